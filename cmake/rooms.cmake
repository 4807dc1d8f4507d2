# A room is a folder of src/ compiled once, as objects; the library, the tests and the fuzz targets link the objects
# of the rooms they are allowed to see.
set(TEGULA_ROOMS "" CACHE INTERNAL "")

# What works on metadata, once for an array, and not on cells. Releases compile it for size: half of the code, and a
# quarter less time to compile it.
set(TEGULA_FOR_SIZE
  base/json base/numpy_dtype
  store/[a-z]*
  query/bind query/dates query/expression query/field query/lexer query/literal query/parse_aggregates
  format/registry
  format/tiledb/array_info format/tiledb/array_metadata format/tiledb/array_schema format/tiledb/consolidate[a-z_]*
  format/tiledb/create format/tiledb/delete_[a-z]* format/tiledb/driver format/tiledb/enumeration format/tiledb/evolve
  format/tiledb/filter_pipeline format/tiledb/group format/tiledb/labels format/tiledb/leftovers format/tiledb/merge_plan
  format/tiledb/metadata_write format/tiledb/schema_[a-z]* format/tiledb/tiledb_[a-z]* format/tiledb/vacuum
  format/tiledb/verify format/tiledb/writable_array
  format/bcolz/attributes format/bcolz/bcolz_array format/bcolz/changes format/bcolz/chunk_length format/bcolz/create
  format/bcolz/default_value format/bcolz/driver format/bcolz/meta format/bcolz/opened format/bcolz/pending_set
  format/bcolz/schema_model format/bcolz/verify
  format/zarr/array_meta format/zarr/base64 format/zarr/byte_steps format/zarr/create format/zarr/documents
  format/zarr/driver format/zarr/dtypes format/zarr/fill_value format/zarr/group format/zarr/json_items
  format/zarr/listing format/zarr/metadata_files format/zarr/original format/zarr/pickle[a-z_]* format/zarr/v[123]
  format/zarr/zarr_array
  convert/convert convert/filters convert/metadata convert/pass_[a-z]* convert/record convert/target)
list(JOIN TEGULA_FOR_SIZE "|" TEGULA_FOR_SIZE)

# tegula_room(base) compiles src/base/*.cc as the target room_base.
function(tegula_room path)
  string(REPLACE "/" "_" name ${path})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${path}/*.cc)
  if(NOT sources)
    return()
  endif()
  add_library(room_${name} OBJECT ${sources})
  set(for_size ${sources})
  list(FILTER for_size INCLUDE REGEX "/src/(${TEGULA_FOR_SIZE})\\.cc$")
  set_source_files_properties(${for_size} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-Os>)
  set_target_properties(room_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(room_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(room_${name} PUBLIC tegula_settings tegula_dependencies)
  if(TEGULA_FUZZ)  # counters of what ran, for libFuzzer
    target_compile_options(room_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
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
