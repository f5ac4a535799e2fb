#!/usr/bin/env bash
# Installs the build below a scratch folder, moves the tree (it must not matter where it lies) and uses it as a stranger
# would: through pkg-config, through find_package, through the installed program.
#
#   check_install.sh BUILD WORK CC LIBDIR BINDIR MANDIR DATADIR ASSIMP [COMPILER_FLAG...]
#
# The folders are relative to the prefix, as CMake's GNUInstallDirs has them; ASSIMP is ON or OFF; the flags are those of
# a sanitizer, if the build has one.
set -euo pipefail

build=$1 work=$2 cc=$3 libdir=$4 bindir=$5 mandir=$6 datadir=$7 assimp=$8
flags=("${@:9}")
consumer=$(cd "$(dirname "$0")" && pwd)/consumer

unset DESTDIR
rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix"
prefix=$work/prefix

echo "-- files"
for file in "$libdir/libtandem.so" "$libdir/libtandem.a" "$libdir/pkgconfig/tandem.pc" include/tandem/tandem.h \
    "$bindir/tandem" "$mandir/man1/tandem.1" "$datadir/bash-completion/completions/tandem" \
    "$datadir/zsh/site-functions/_tandem" "$datadir/fish/vendor_completions.d/tandem.fish"; do
    if [ ! -s "$prefix/$file" ]; then
        echo "check_install: $file was not installed" >&2
        exit 1
    fi
done
if grep -rIlF -e "$build" -e "$work/first" "$prefix/$libdir/pkgconfig" "$prefix/$libdir/cmake" "$prefix/include"; then
    echo "check_install: the files above name the folder of the build" >&2
    exit 1
fi

echo "-- the program"
"$prefix/$bindir/tandem" --version

echo "-- pkg-config, shared"
export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
read -ra shared <<<"$(pkg-config --cflags --libs tandem)"
"$cc" -Wall -Wextra -Werror "${flags[@]}" "$consumer/consumer.c" "${shared[@]}" -o "$work/pkg-shared"
LD_LIBRARY_PATH=$prefix/$libdir "$work/pkg-shared"

echo "-- pkg-config, static"
read -ra static <<<"$(pkg-config --static --cflags --libs tandem | sed 's/-ltandem\b/-l:libtandem.a/')"
"$cc" -Wall -Wextra -Werror "${flags[@]}" "$consumer/consumer.c" "${static[@]}" -o "$work/pkg-static"
"$work/pkg-static"

echo "-- pkg-config, scene"
read -ra with_scene <<<"$(pkg-config --cflags --libs tandem-scene)"
"$cc" -Wall -Wextra -Werror "${flags[@]}" "$consumer/consumer_scene.c" "${with_scene[@]}" -o "$work/pkg-scene"
"$work/pkg-scene"

if [ "$assimp" = ON ]; then
    echo "-- pkg-config, assimp"
    read -ra with_assimp <<<"$(pkg-config --cflags --libs tandem-assimp)"
    "$cc" -Wall -Wextra -Werror "${flags[@]}" "$consumer/consumer_assimp.c" "${with_assimp[@]}" -o "$work/pkg-assimp"
    "$work/pkg-assimp"
fi

echo "-- find_package"
cmake -S "$consumer" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_C_FLAGS="${flags[*]}" -DASSIMP="$assimp" >"$work/configure.log"
cmake --build "$work/cmake" >"$work/build.log"
"$work/cmake/consumer_shared"
"$work/cmake/consumer_static"
"$work/cmake/consumer_scene"
if [ "$assimp" = ON ]; then
    "$work/cmake/consumer_assimp"
fi
