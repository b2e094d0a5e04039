# Toolchain of the Windows build: Debian's mingw-w64 with POSIX threads, and the libraries that scripts/windows-deps builds.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)

set(triplet x86_64-w64-mingw32)
set(CMAKE_C_COMPILER ${triplet}-gcc-posix)
set(CMAKE_CXX_COMPILER ${triplet}-g++-posix)
set(CMAKE_RC_COMPILER ${triplet}-windres)
set(CMAKE_AR ${triplet}-gcc-ar-posix CACHE FILEPATH "")
set(CMAKE_RANLIB ${triplet}-gcc-ranlib-posix CACHE FILEPATH "")

if(NOT WINDEPS_PREFIX)
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../windows-deps --prefix
    OUTPUT_VARIABLE WINDEPS_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  if(NOT EXISTS ${WINDEPS_PREFIX}/MANIFEST)
    message(FATAL_ERROR "The libraries of the Windows build are not in ${WINDEPS_PREFIX}: run scripts/setup --windows")
  endif()
endif()
# In the cache, so that what was found there and what is found later agree; another prefix needs cmake --fresh.
set(WINDEPS_PREFIX ${WINDEPS_PREFIX} CACHE PATH "Libraries built by scripts/windows-deps")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WINDEPS_PREFIX)

set(CMAKE_FIND_ROOT_PATH ${WINDEPS_PREFIX} /usr/${triplet})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(Boost_NO_BOOST_CMAKE ON)
set(ZLIB_LIBRARY /usr/${triplet}/lib/libz.a CACHE FILEPATH "")  # FindZLIB would take the DLL's import library

# One file that needs nothing but the system's DLLs, and the same bytes from the same sources: no time in the header.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -Wl,--gc-sections -Wl,--no-insert-timestamp")
