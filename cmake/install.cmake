# Where the library goes: headers, its shared and static form, pkg-config files and a CMake package
# (find_package(tandem): tandem::tandem, tandem::static, and tandem::assimp and tandem::scene if asked for). The program, its man pages
# and its completions are installed by cli/CMakeLists.txt.
include(CMakePackageConfigHelpers)

set_target_properties(tandem_static PROPERTIES EXPORT_NAME static)
install(TARGETS tandem tandem_static EXPORT tandemTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/tandem/base.h ${PROJECT_SOURCE_DIR}/include/tandem/continuous.h
              ${PROJECT_SOURCE_DIR}/include/tandem/device.h ${PROJECT_SOURCE_DIR}/include/tandem/front.h
              ${PROJECT_SOURCE_DIR}/include/tandem/io.h ${PROJECT_SOURCE_DIR}/include/tandem/mesh.h
              ${PROJECT_SOURCE_DIR}/include/tandem/planar.h
              ${PROJECT_SOURCE_DIR}/include/tandem/query.h ${PROJECT_SOURCE_DIR}/include/tandem/ray.h
              ${PROJECT_SOURCE_DIR}/include/tandem/render.h ${PROJECT_SOURCE_DIR}/include/tandem/scene.h
              ${PROJECT_SOURCE_DIR}/include/tandem/tandem.h ${PROJECT_SOURCE_DIR}/include/tandem/traced.h
              ${PROJECT_SOURCE_DIR}/include/tandem/world.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tandem)

# Both packages find their files from where they lie themselves, so that an installed tree can be moved.
set(TANDEM_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(TANDEM_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tandem)
file(RELATIVE_PATH TANDEM_PC_PREFIX ${CMAKE_INSTALL_PREFIX}/${TANDEM_PC_DIR} ${CMAKE_INSTALL_PREFIX})
string(JOIN " -l" TANDEM_PC_DL "" ${CMAKE_DL_LIBS}) # " -ldl", where dlopen is not in libc
string(REGEX REPLACE "/$" "" TANDEM_PC_PREFIX "${TANDEM_PC_PREFIX}")

configure_file(${PROJECT_SOURCE_DIR}/cmake/tandem.pc.in ${PROJECT_BINARY_DIR}/cmake/tandem.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/tandem.pc DESTINATION ${TANDEM_PC_DIR})

# The reader of the other mesh formats stands on internals of the library, so it goes with the static form of it.
if(TANDEM_ASSIMP)
  set_target_properties(tandem_assimp PROPERTIES EXPORT_NAME assimp)
  install(TARGETS tandem_assimp EXPORT tandemAssimpTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT tandemAssimpTargets NAMESPACE tandem:: DESTINATION ${TANDEM_PACKAGE_DIR})
  install(FILES ${PROJECT_SOURCE_DIR}/include/tandem/assimp.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tandem)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tandem-assimp.pc.in ${PROJECT_BINARY_DIR}/cmake/tandem-assimp.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/tandem-assimp.pc DESTINATION ${TANDEM_PC_DIR})
endif()

# So do scenes and recordings.
set_target_properties(tandem_scene PROPERTIES EXPORT_NAME scene)
install(TARGETS tandem_scene EXPORT tandemSceneTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT tandemSceneTargets NAMESPACE tandem:: DESTINATION ${TANDEM_PACKAGE_DIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/tandem-scene.pc.in ${PROJECT_BINARY_DIR}/cmake/tandem-scene.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/tandem-scene.pc DESTINATION ${TANDEM_PC_DIR})

install(EXPORT tandemTargets NAMESPACE tandem:: DESTINATION ${TANDEM_PACKAGE_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tandemConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/cmake/tandemConfig.cmake
                              INSTALL_DESTINATION ${TANDEM_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
# While the major version is 0, a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/tandemConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/tandemConfig.cmake ${PROJECT_BINARY_DIR}/cmake/tandemConfigVersion.cmake
        DESTINATION ${TANDEM_PACKAGE_DIR})

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
