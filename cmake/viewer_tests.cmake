# The tests of the viewer that need no browser: its types, the functions of its interface, and what it reads, compared
# with what the program says.
if(NOT TANDEM_VIEWER)
  message(STATUS "tests: viewer_types, viewer_ui and viewer_reader are left out (TANDEM_VIEWER is off)")
  return()
endif()
set(viewer ${PROJECT_SOURCE_DIR}/viewer)
add_test(NAME viewer_types COMMAND ${TANDEM_NODE} ${viewer}/node_modules/typescript/bin/tsc --noEmit --project ${viewer})
add_test(NAME viewer_ui COMMAND ${TANDEM_NODE} --test ${viewer}/tests/ui.test.mjs)
add_test(NAME viewer_reader COMMAND ${TANDEM_NODE} --test ${viewer}/tests/reader.test.mjs
                                    ${viewer}/tests/damage.test.mjs ${viewer}/tests/program.test.mjs
                                    ${viewer}/tests/source.test.mjs)
set_tests_properties(viewer_reader PROPERTIES ENVIRONMENT TANDEM=$<TARGET_FILE:tandem_program>)
