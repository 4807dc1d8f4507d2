# Compiler settings shared by every target of this tree.
if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
  find_program(TEGULA_CCACHE ccache)
  if(TEGULA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Precompiled headers are cached only when ccache is told that this is what is wanted.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${TEGULA_CCACHE})
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endif()

add_library(tegula_settings INTERFACE)
target_compile_features(tegula_settings INTERFACE cxx_std_20)
target_compile_options(tegula_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wcast-qual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc 12 warns about the insides of libstdc++ and fmt when it inlines them.
  target_compile_options(tegula_settings INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread
                         -Wno-array-bounds -Wno-restrict -Wno-dangling-pointer)
endif()
# What a target is compiled for, its property TEGULA_GOAL: `size`; `soon`, for tests, which spend their time in the rooms; or speed.
# With gcc, loops become vectors as with -O3; the rest of -O3 makes the code a fifth larger and no row of bench/ faster.
# The options stand here, in one place, because what a target inherits comes after its own and the last -O counts.
set(goal $<TARGET_PROPERTY:TEGULA_GOAL>)
set(speed "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(speed -O2$<SEMICOLON>-fvect-cost-model=dynamic)
endif()
target_compile_options(tegula_settings INTERFACE
  "$<$<CONFIG:Release>:$<IF:$<STREQUAL:${goal},size>,-Os,$<IF:$<STREQUAL:${goal},soon>,-O1,${speed}>>>"
  # clang takes less than half the time when it does not optimise at all.
  $<$<AND:$<BOOL:${TEGULA_FUZZ}>,$<STREQUAL:${goal},soon>>:-O0>)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # libstdc++ 12 itself calls what it deprecates, from std::stable_sort.
  target_compile_options(tegula_settings INTERFACE -Wno-deprecated-declarations)
endif()
if(TEGULA_WERROR)
  target_compile_options(tegula_settings INTERFACE -Werror)
endif()
if(TEGULA_SANITIZE)
  target_compile_options(tegula_settings INTERFACE -fsanitize=${TEGULA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(tegula_settings INTERFACE -fsanitize=${TEGULA_SANITIZE})
endif()
if(TEGULA_FUZZ)
  target_link_options(tegula_settings INTERFACE -fsanitize=fuzzer-no-link)
  # What the address sanitizer finds as well, or the compiler: a fifth of the time to compile.
  target_compile_options(tegula_settings INTERFACE -fno-sanitize=null,object-size,vptr,return,builtin,function)
endif()
