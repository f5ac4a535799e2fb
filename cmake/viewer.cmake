# The page that `tandem view` writes: built from viewer/ with Vite, then put into the program as an array of bytes.
#
# Adds to `program` the source that has the page, or, with TANDEM_VIEWER off, the definition TANDEM_NO_VIEWER.
function(tandem_find_node)
  find_program(TANDEM_NODE node DOC "Node.js, which builds the viewer's page")
  find_program(TANDEM_NPM npm DOC "npm, which fetches what the viewer's page is built with")
  set(hint "Install Node.js 18 or later (Debian: apt-get install nodejs npm), or build without the viewer: \
-DTANDEM_VIEWER=OFF")
  foreach(command NODE NPM)
    if(NOT TANDEM_${command})
      string(TOLOWER ${command} name)
      message(FATAL_ERROR "The command ${name} was not found. ${hint}")
    endif()
  endforeach()
  execute_process(COMMAND ${TANDEM_NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "^v" "" version "${version}")
  if(version VERSION_LESS 18)
    unset(TANDEM_NODE CACHE) # so that the next run looks again
    message(FATAL_ERROR "Node.js is of version '${version}'. ${hint}")
  endif()
endfunction()

function(tandem_add_viewer program)
  if(NOT TANDEM_VIEWER)
    target_compile_definitions(${program} PRIVATE TANDEM_NO_VIEWER)
    return()
  endif()
  tandem_find_node()
  set(viewer ${PROJECT_SOURCE_DIR}/viewer)
  set(page ${PROJECT_BINARY_DIR}/viewer/index.html)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/view_page_bytes.c)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${viewer}/src/*)
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -DNODE=${TANDEM_NODE} -DNPM=${TANDEM_NPM} -DVIEWER=${viewer}
            -DOUTPUT=${PROJECT_BINARY_DIR}/viewer -P ${PROJECT_SOURCE_DIR}/cmake/build_viewer.cmake
    DEPENDS ${files} ${viewer}/index.html ${viewer}/package-lock.json ${viewer}/vite.config.ts ${viewer}/tsconfig.json
            ${PROJECT_SOURCE_DIR}/cmake/build_viewer.cmake
    COMMENT "Building the viewer's page"
    VERBATIM)

  add_executable(tandem_embed_viewer ${PROJECT_SOURCE_DIR}/cmake/embed_viewer.c)
  target_compile_options(tandem_embed_viewer PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
                                                     $<$<BOOL:${TANDEM_WERROR}>:-Werror>)
  add_custom_command(
    OUTPUT ${source}
    COMMAND tandem_embed_viewer ${source} ${page}
    DEPENDS tandem_embed_viewer ${page}
    COMMENT "Embedding the viewer's page"
    VERBATIM)
  target_sources(${program} PRIVATE ${source})
endfunction()
