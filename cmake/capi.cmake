# libtegula-tiledb.so: the C ABI of libtiledb on the engine (src/capi). The command does not link it; `tegula run` puts it in front of a
# program. Programs that were linked with libtiledb 2.30 look for it by the name that is its SONAME.
set(capi_objects "")
foreach(goal speed size)
  tegula_sources(${goal} sources src/capi)
  if(sources)
    tegula_objects(capi_${goal} ${goal} ${sources})
    list(APPEND capi_objects $<TARGET_OBJECTS:capi_${goal}>)
  endif()
endforeach()
foreach(room ${TEGULA_ROOMS})
  if(room MATCHES "^(arrow|convert|serve)$")
    continue()
  endif()
  string(REPLACE "/" "_" name ${room})
  foreach(objects ${TEGULA_TARGETS_${name}})
    list(APPEND capi_objects $<TARGET_OBJECTS:${objects}>)
  endforeach()
endforeach()
add_library(tegula_tiledb SHARED ${capi_objects})
set_target_properties(tegula_tiledb PROPERTIES OUTPUT_NAME tegula-tiledb LINKER_LANGUAGE CXX NO_SONAME ON
                      LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/capi.map)
target_link_libraries(tegula_tiledb PRIVATE tegula_settings tegula_dependencies)
# Nothing but the ABI is visible: other modules of the process have C++ code of their own.
target_link_options(tegula_tiledb PRIVATE -Wl,-soname,libtiledb.so.2.30 -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/capi.map
                    -Wl,--no-undefined -Wl,--gc-sections $<$<CONFIG:Release>:-s>)
install(TARGETS tegula_tiledb LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
