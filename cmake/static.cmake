# Links third-party libraries as archives, where the system has archives that fit into a shared object, so that a wheel
# needs little of the machine it lands on. The others stay shared; `auditwheel repair` puts them into the wheel.
function(tegula_link_static target)
  set(archives "")
  foreach(name crypto z bz2 lzma zstd lz4 deflate blosc snappy webp sharpyuv)
    find_library(TEGULA_STATIC_${name} lib${name}.a)
    if(TEGULA_STATIC_${name} AND NOT DEFINED TEGULA_STATIC_FITS_${name})
      # Archives that were not compiled as position-independent code do not fit.
      execute_process(COMMAND ${CMAKE_CXX_COMPILER} -shared -o ${CMAKE_BINARY_DIR}/fits.so -Wl,-z,text
                              -Wl,--whole-archive ${TEGULA_STATIC_${name}} -Wl,--no-whole-archive
                      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
      set(fits ON)
      if(failed)
        set(fits OFF)
      endif()
      set(TEGULA_STATIC_FITS_${name} ${fits} CACHE INTERNAL "")
    endif()
    if(TEGULA_STATIC_${name} AND TEGULA_STATIC_FITS_${name})
      list(APPEND archives ${TEGULA_STATIC_${name}})
    endif()
  endforeach()
  # Debian has no archive of fmt; its headers hold the code.
  target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/python/fmt/fmt_library.cc)
  # Before the shared libraries that the rooms bring, of which --as-needed then drops what nothing is left to take from.
  target_link_options(${target} PRIVATE -Wl,--as-needed -static-libstdc++ -static-libgcc -Wl,--gc-sections)
  target_link_libraries(${target} PRIVATE -Wl,--start-group ${archives} -Wl,--end-group)
endfunction()
