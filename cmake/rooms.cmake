# src/ROOMS names the folders of src/ and cli/. A room of the build is what its first words group together (all of
# format/tiledb, say); its folders are compiled once, as objects: room_NAME for speed and room_NAME_size for size. The
# library, the tests and the fuzz targets link the objects of the rooms they are allowed to see.
set(TEGULA_ROOMS base store codec model query format/tiledb format/bcolz format/zarr format/registry arrow convert)

# tegula_sources(speed OUT src/base src/format/tiledb ...) is every source of those trees whose folder src/ROOMS marks `speed`.
function(tegula_sources goal out)
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/ROOMS lines REGEX "^[a-z]")
  set(found "")
  foreach(tree ${ARGN})
    foreach(line ${lines})
      string(REGEX REPLACE "^([^ ]+) +([a-z]+).*" "\\1;\\2" parts "${line}")
      list(GET parts 0 folder)
      list(GET parts 1 marked)
      if(NOT folder MATCHES "^cli/")
        set(folder src/${folder})
      endif()
      if(marked STREQUAL goal AND "${folder}/" MATCHES "^${tree}/")
        file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
        list(APPEND found ${sources})
      endif()
    endforeach()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Headers that nearly every source needs, compiled once for each way of compiling: a third of the time of a build from nothing.
set(TEGULA_PRECOMPILED <algorithm> <array> <cstdint> <cstring> <functional> <map> <memory> <optional> <span> <string> <string_view>
    <utility> <variant> <vector> <fmt/format.h>)

# tegula_objects(TARGET speed|size SOURCES ...)
function(tegula_objects target goal)
  add_library(${target} OBJECT ${ARGN})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC tegula_settings tegula_dependencies)
  if(goal STREQUAL "size")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Os>)
  endif()
  if(TEGULA_FUZZ)  # counters of what ran, for libFuzzer
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(TEGULA_PCH)
    get_property(first GLOBAL PROPERTY tegula_precompiled_${goal})
    if(first)
      target_precompile_headers(${target} REUSE_FROM ${first})
    else()
      target_precompile_headers(${target} PRIVATE ${TEGULA_PRECOMPILED})
      set_property(GLOBAL PROPERTY tegula_precompiled_${goal} ${target})
    endif()
  endif()
endfunction()

foreach(room ${TEGULA_ROOMS})
  string(REPLACE "/" "_" name ${room})
  set(TEGULA_TARGETS_${name} "")
  foreach(goal speed size)
    tegula_sources(${goal} sources src/${room})
    set(target room_${name})
    if(goal STREQUAL "size")
      set(target room_${name}_size)
    endif()
    if(sources)
      tegula_objects(${target} ${goal} ${sources})
      list(APPEND TEGULA_TARGETS_${name} ${target})
    endif()
  endforeach()
endforeach()

# A product and a sum are rounded one after the other, as by the libraries whose values are given back: where the processor
# has fused operations, compilers would otherwise use them.
set_source_files_properties(src/codec/integer/float_scale.cc src/codec/numcodecs/numcodecs_scale.cc PROPERTIES COMPILE_OPTIONS -ffp-contract=off
                            SKIP_PRECOMPILE_HEADERS ON)

# Links `target` with the objects of room `path` and of the rooms above it.
function(tegula_link_rooms target path)
  foreach(room ${TEGULA_ROOMS})
    string(REPLACE "/" "_" name ${room})
    # The format families do not know each other.
    if(NOT (room MATCHES "^format/" AND path MATCHES "^format/" AND NOT path STREQUAL "format/registry" AND NOT room STREQUAL path))
      target_link_libraries(${target} PRIVATE ${TEGULA_TARGETS_${name}})
    endif()
    if(room STREQUAL path)
      break()
    endif()
  endforeach()
endfunction()

# The library itself: libtegula.a and libtegula.so of all rooms.
foreach(kind STATIC SHARED)
  string(TOLOWER tegula_${kind} target)
  add_library(${target} ${kind})
  foreach(room ${TEGULA_ROOMS})
    string(REPLACE "/" "_" name ${room})
    foreach(objects ${TEGULA_TARGETS_${name}})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
    endforeach()
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
