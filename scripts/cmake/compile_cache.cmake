# Compiles through ccache where it is installed. Any clone on this machine finds what another one compiled: paths below
# the source tree are handed over relative to the build folder, and the folder itself is not part of the key.
# CMAKE_CXX_COMPILER_LAUNCHER chooses another launcher; -DPROVISIONER_COMPILE_CACHE=OFF none.
option(PROVISIONER_COMPILE_CACHE "Compile through ccache where it is installed" ON)
file(RELATIVE_PATH prov_source_from_build ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})  # ends with a slash
cmake_path(NORMAL_PATH prov_source_from_build)
string(REGEX REPLACE "/$" "" prov_source_from_build "${prov_source_from_build}")

find_program(CCACHE_PROGRAM ccache)
if(PROVISIONER_COMPILE_CACHE AND CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # pch_defines, time_macros: what ccache asks for where a precompiled header is used; no source here expands __TIME__.
  set(prov_launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1
    CCACHE_EXTRAFILES=${CMAKE_SOURCE_DIR}/tests/fuzz/sanitizer-ignorelist.txt ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${prov_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${prov_launcher})
  set(prov_compile_cache ON)
endif()

# CMake hands Clang a precompiled header as -Xclang ABSOLUTE_PATH, which ccache takes for text. As the driver's own option it
# is a path, which ccache makes relative.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)
endif()

# A precompiled header holds absolute paths, so its bytes differ from clone to clone. ccache takes the digest in
# HEADER.sum instead: that of the contents of all files that the header includes. They are the system's; when one of
# them changes, ninja configures again, which writes another digest.
function(prov_precompiled_digest target)
  if(NOT prov_compile_cache)
    return()
  endif()
  set(text ${CMAKE_CURRENT_BINARY_DIR}/${target}-headers.cc)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \\1\n" OUTPUT_VARIABLE lines)
  string(JOIN "" lines ${lines})
  file(WRITE ${text} "${lines}")
  # A folder that the compiler searches anyway must not be named: its headers would not find the next ones.
  get_target_property(folders fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
  list(REMOVE_ITEM folders ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  list(TRANSFORM folders PREPEND -isystem)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -std=gnu++23 ${folders} -M ${text}
    OUTPUT_VARIABLE rule COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "/[^ \\\n]+" files "${rule}")
  list(REMOVE_ITEM files ${text})
  list(SORT files)
  set(digests ${CMAKE_CXX_COMPILER_VERSION})
  foreach(file IN LISTS files)
    file(SHA256 ${file} digest)
    list(APPEND digests ${file} ${digest})
  endforeach()
  string(SHA256 digest "${digests}")
  set(suffix gch)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set(suffix pch)
  endif()
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.${suffix}.sum ${digest})
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
endfunction()
