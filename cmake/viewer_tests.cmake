# The tests of the viewer: its types, the functions of its interface, what it reads, compared with what the program
# says, and its page in a browser.
if(NOT TANDEM_VIEWER)
  message(STATUS "tests: viewer_types, viewer_ui, viewer_reader and viewer_page are left out (TANDEM_VIEWER is off)")
  return()
endif()
set(viewer ${PROJECT_SOURCE_DIR}/viewer)
add_test(NAME viewer_types COMMAND ${TANDEM_NODE} ${viewer}/node_modules/typescript/bin/tsc --noEmit --project ${viewer})
add_test(NAME viewer_ui COMMAND ${TANDEM_NODE} --test ${viewer}/tests/ui.test.mjs)
add_test(NAME viewer_reader COMMAND ${TANDEM_NODE} --test ${viewer}/tests/reader.test.mjs
                                    ${viewer}/tests/damage.test.mjs ${viewer}/tests/program.test.mjs
                                    ${viewer}/tests/source.test.mjs ${viewer}/tests/soft.test.mjs)
set_tests_properties(viewer_reader PROPERTIES ENVIRONMENT TANDEM=$<TARGET_FILE:tandem_program>)

# Skipped where there is no Chromium. Alone: it measures how time passes.
add_test(NAME viewer_page COMMAND ${TANDEM_NODE} ${viewer}/tests/browser/run.mjs)
set_tests_properties(viewer_page PROPERTIES RUN_SERIAL TRUE TIMEOUT 300 SKIP_RETURN_CODE 77)
set_tests_properties(viewer_page PROPERTIES
  ENVIRONMENT "TANDEM=$<TARGET_FILE:tandem_program>;TANDEM_SHOTS=${PROJECT_BINARY_DIR}/viewer-shots")
