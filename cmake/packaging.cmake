# `cmake --install`: the library (static and shared), headers, find_package(tegula) and tegula.pc.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tegula DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS tegula_static tegula_shared EXPORT tegulaTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tegula)
install(EXPORT tegulaTargets NAMESPACE tegula:: DESTINATION ${config_dir} FILE tegulaConfig.cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tegulaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tegulaConfigVersion.cmake DESTINATION ${config_dir})

list(TRANSFORM TEGULA_LINK_NAMES PREPEND "-l" OUTPUT_VARIABLE link_flags)
list(JOIN link_flags " " TEGULA_LINK_FLAGS)
configure_file(${PROJECT_SOURCE_DIR}/cmake/tegula.pc.in ${PROJECT_BINARY_DIR}/tegula.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tegula.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
