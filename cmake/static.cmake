# Links third-party libraries as archives, where the system has archives that fit into a shared object, so that a wheel
# needs little of the machine it lands on.
function(tegula_link_static target)
  set(archives "")
  foreach(name crypto z bz2 lzma zstd lz4 deflate blosc snappy webp)
    find_library(TEGULA_STATIC_${name} lib${name}.a)
    if(TEGULA_STATIC_${name})
      list(APPEND archives ${TEGULA_STATIC_${name}})
    endif()
  endforeach()
  # Before the shared ones that the rooms bring: what the archives have is then taken from them, and --as-needed drops the
  # libraries that nothing is left to take from.
  target_link_options(${target} PRIVATE LINKER:--as-needed -static-libstdc++ -static-libgcc LINKER:--gc-sections
                      "LINKER:--start-group" ${archives} "LINKER:--end-group")
endfunction()
