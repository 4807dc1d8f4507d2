# Third-party libraries, gathered in tegula_dependencies.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(LibLZMA REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(lz4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(blosc REQUIRED IMPORTED_TARGET blosc)
find_library(SNAPPY_LIBRARY snappy REQUIRED)
# The archive: one library less to load at every start.
find_library(PUGIXML_LIBRARY NAMES libpugixml.a pugixml REQUIRED)

add_library(tegula_dependencies INTERFACE)
target_link_libraries(tegula_dependencies INTERFACE Threads::Threads fmt::fmt nlohmann_json::nlohmann_json
  OpenSSL::Crypto ZLIB::ZLIB BZip2::BZip2 LibLZMA::LibLZMA PkgConfig::zstd PkgConfig::lz4 PkgConfig::libdeflate
  PkgConfig::blosc ${SNAPPY_LIBRARY} ${PUGIXML_LIBRARY} ${CMAKE_DL_LIBS})

# The same by link name, for the installed archive and tegula.pc.
set(TEGULA_LINK_NAMES fmt crypto z bz2 lzma zstd lz4 deflate blosc snappy pugixml pthread)

if(TEGULA_WEBP)
  pkg_check_modules(webp IMPORTED_TARGET libwebp)
  if(webp_FOUND)
    target_link_libraries(tegula_dependencies INTERFACE PkgConfig::webp)
    target_compile_definitions(tegula_dependencies INTERFACE TEGULA_HAVE_WEBP=1)
    list(APPEND TEGULA_LINK_NAMES webp)
  else()
    message(STATUS "libwebp not found: the WebP filter will be refused by name")
  endif()
endif()
