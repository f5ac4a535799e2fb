# Writes scenes/*.json into a C file, as the table td_builtin_scenes of src/io/scene.h.
#
#   cmake -DOUTPUT=FILE -DSCENES="A.json;B.json" -P embed_scenes.cmake
set(arrays "")
set(table "")
set(count 0)
list(SORT SCENES)
foreach(path ${SCENES})
  get_filename_component(name ${path} NAME_WE)
  if(NOT name MATCHES "^[a-z][a-z0-9_-]*$")
    message(FATAL_ERROR "${path}: expected a name of small letters, digits, _ and -")
  endif()
  file(READ ${path} text)
  string(JSON written ERROR_VARIABLE wrong GET "${text}" name)
  if(wrong OR NOT written STREQUAL name)
    message(FATAL_ERROR "${path}: expected \"name\": \"${name}\", as the file is called (${wrong})")
  endif()
  string(JSON description ERROR_VARIABLE wrong GET "${text}" description)
  if(wrong OR description MATCHES "[\"\\\\\n]")
    message(FATAL_ERROR "${path}: expected a \"description\" of one line without quotes (${wrong})")
  endif()
  string(REPLACE "-" "_" symbol ${name})
  file(READ ${path} bytes HEX)
  # As numbers: compilers limit the length of a string literal, not of an array.
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(.....................................................................................)" "\\1\n    " bytes "${bytes}")
  string(APPEND arrays "static const unsigned char td_text_${symbol}[] = {\n    ${bytes}0};\n\n")
  string(APPEND table "    {\"${name}\", \"${description}\", td_text_${symbol}, sizeof td_text_${symbol} - 1},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Written by cmake/embed_scenes.cmake from scenes/*.json.\n#include \"io/scene.h\"\n\n${arrays}"
                     "const td_builtin_scene td_builtin_scenes[] = {\n${table}};\n"
                     "const uint32_t td_builtin_scenes_count = ${count};\n")
