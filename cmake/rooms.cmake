# A room is a folder of src/ compiled once, as objects; the library, the tests and the fuzz targets link the objects
# of the rooms they are allowed to see.
set(TEGULA_ROOMS "" CACHE INTERNAL "")

# tegula_room(base) compiles src/base/*.cc as the target room_base.
function(tegula_room path)
  string(REPLACE "/" "_" name ${path})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${path}/*.cc)
  if(NOT sources)
    return()
  endif()
  add_library(room_${name} OBJECT ${sources})
  set_target_properties(room_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(room_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(room_${name} PUBLIC tegula_settings tegula_dependencies)
  if(TEGULA_PCH AND path STREQUAL "base")
    target_precompile_headers(room_base PRIVATE <algorithm> <functional> <map> <memory> <optional> <span> <string> <variant> <vector>
      <fmt/format.h> <nlohmann/json.hpp>)
  elseif(TEGULA_PCH)
    target_precompile_headers(room_${name} REUSE_FROM room_base)
  endif()
  set(TEGULA_ROOMS ${TEGULA_ROOMS} ${path} CACHE INTERNAL "")
endfunction()

# Links `target` with the objects of room `path` and of the rooms above it.
function(tegula_link_rooms target path)
  foreach(room ${TEGULA_ROOMS})
    string(REPLACE "/" "_" name ${room})
    # The format families do not know each other.
    if(NOT (room MATCHES "^format/." AND path MATCHES "^format/." AND NOT room STREQUAL path))
      target_link_libraries(${target} PRIVATE room_${name})
    endif()
    if(room STREQUAL path)
      break()
    endif()
  endforeach()
endfunction()

# The library itself: libtegula.a and libtegula.so of all rooms.
function(tegula_libraries)
  foreach(kind STATIC SHARED)
    string(TOLOWER tegula_${kind} target)
    add_library(${target} ${kind})
    foreach(room ${TEGULA_ROOMS})
      string(REPLACE "/" "_" name ${room})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:room_${name}>)
    endforeach()
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tegula_settings> $<BUILD_INTERFACE:tegula_dependencies>)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME tegula LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  endforeach()
  # Who links the installed archive has to bring what it needs; cmake/packaging.cmake knows the names.
  target_link_libraries(tegula_static INTERFACE $<INSTALL_INTERFACE:${TEGULA_LINK_NAMES}>)
  set_target_properties(tegula_static PROPERTIES EXPORT_NAME tegula_static)
  set_target_properties(tegula_shared PROPERTIES EXPORT_NAME tegula)
  add_library(tegula::tegula ALIAS tegula_static)
endfunction()
