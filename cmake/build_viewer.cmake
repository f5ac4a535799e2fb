# Builds the viewer's page, OUTPUT/index.html, from the folder VIEWER.
#
#   cmake -DNODE=node -DNPM=npm -DVIEWER=FOLDER -DOUTPUT=FOLDER -P build_viewer.cmake
#
# What the page is built with goes to VIEWER/node_modules, once for all build folders: the network is asked only when
# package-lock.json is not the one that was installed. Builds that run at the same time wait for each other there.
set(modules ${VIEWER}/node_modules)
set(stamp ${modules}/.tandem-installed)
set(marker "<!--tandem:data-->")

file(SHA256 ${VIEWER}/package-lock.json wanted)

# Whether what is in node_modules is what package-lock.json says.
function(is_installed result)
  set(${result} FALSE PARENT_SCOPE)
  if(EXISTS ${stamp})
    file(READ ${stamp} installed)
    if(installed STREQUAL wanted)
      set(${result} TRUE PARENT_SCOPE)
    endif()
    return()
  endif()
  # Somebody may have run npm by hand.
  if(EXISTS ${modules}/.package-lock.json)
    execute_process(COMMAND ${NPM} ls --all --silent WORKING_DIRECTORY ${VIEWER} RESULT_VARIABLE status OUTPUT_QUIET
                                                                                                 ERROR_QUIET)
    if(status EQUAL 0)
      file(WRITE ${stamp} ${wanted})
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endif()
endfunction()

function(install)
  message(STATUS "viewer: fetching what its page is built with (npm ci in ${VIEWER})")
  execute_process(COMMAND ${NPM} ci --loglevel=error --fetch-retry-mintimeout=2000
                          --fetch-retry-maxtimeout=10000 WORKING_DIRECTORY ${VIEWER} RESULT_VARIABLE status
                  OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    message("${text}")
    message(FATAL_ERROR "viewer: npm could not fetch what the page is built with, which needs the network once (and the \
right to write to ${VIEWER}). To build the program without 'tandem view': -DTANDEM_VIEWER=OFF")
  endif()
  file(WRITE ${stamp} ${wanted})
endfunction()

file(LOCK ${VIEWER}/node_modules.lock GUARD PROCESS TIMEOUT 600 RESULT_VARIABLE locked)
if(NOT locked EQUAL 0)
  message(FATAL_ERROR "viewer: ${VIEWER}/node_modules.lock cannot be taken: ${locked}")
endif()
is_installed(ready)
if(NOT ready)
  install()
endif()
file(LOCK ${VIEWER}/node_modules.lock RELEASE)

execute_process(COMMAND ${NODE} ${modules}/vite/bin/vite.js build --logLevel warn --emptyOutDir --outDir ${OUTPUT}
                WORKING_DIRECTORY ${VIEWER} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "viewer: the page could not be built")
endif()

# One file, with one place for a recording.
file(GLOB written ${OUTPUT}/*)
if(NOT written STREQUAL "${OUTPUT}/index.html")
  message(FATAL_ERROR "viewer: expected that the page is one file, index.html, found: ${written}")
endif()
file(READ ${OUTPUT}/index.html page)
string(REGEX MATCHALL "${marker}" places "${page}")
list(LENGTH places count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "viewer: expected the marker ${marker} once in ${OUTPUT}/index.html, found it ${count} times")
endif()
