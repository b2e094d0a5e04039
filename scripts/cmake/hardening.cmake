# Hardening for every target and build type, as far as each can have it. provisioner/docs/security.md lists what this
# gives and what the tools can't do; tests/e2e/hardening_e2e.py looks at the built program.
add_compile_options(-fstack-protector-strong)
add_link_options(-fstack-protector-strong)  # mingw's compiler takes the run time for it from a library (libssp)

# Checked versions of memcpy and its like. They need the optimiser, and sanitizers check the same by other means.
# glibc has three levels, mingw-w64 two.
set(fortify_level 3)
if(WIN32)
  set(fortify_level 2)
endif()
if(NOT "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize")
  set(optimised $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
  add_compile_options($<${optimised}:-U_FORTIFY_SOURCE> $<${optimised}:-D_FORTIFY_SOURCE=${fortify_level}>)
endif()

if(WIN32)
  add_link_options(LINKER:--dynamicbase LINKER:--high-entropy-va LINKER:--nxcompat)
  # Paths of the libraries' headers get into messages; their folder is below the user's home.
  add_compile_options(-ffile-prefix-map=${WINDEPS_PREFIX}/=)
else()
  if(PROVISIONER_C_LIBRARY)
    add_compile_options(-fPIC)
  else()
    add_compile_options(-fPIE)
  endif()
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie> LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-fcf-protection=full -fstack-clash-protection)
  endif()
endif()

# prov_load_late(TARGET DLL PATTERN): the functions of DLL whose names match are looked up at their first call instead of at
# the program's start (delay-load import). By then the program has told Windows to search System32 only
# (provisioner/windows/start_win32.cc), which before its start it can't.
function(prov_load_late target dll pattern)
  find_program(DLLTOOL x86_64-w64-mingw32-dlltool REQUIRED)
  find_program(MINGW_NM x86_64-w64-mingw32-nm REQUIRED)
  cmake_path(GET dll STEM LAST_ONLY name)
  string(TOLOWER ${name} name)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/late)
  # The functions are those of the toolchain's own import library, so the list can't be behind what a library newly calls.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${name}.a OUTPUT_VARIABLE import_library
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${MINGW_NM} ${import_library} OUTPUT_VARIABLE symbols ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " I __imp_(${pattern})\n" functions "${symbols}")
  if(NOT functions)
    message(FATAL_ERROR "${import_library} has no functions ${pattern}: is it the import library of ${dll}?")
  endif()
  list(TRANSFORM functions REPLACE " I __imp_([^\n]*)\n" "\\1")
  list(REMOVE_DUPLICATES functions)
  list(SORT functions)
  string(REPLACE ";" "\n" functions "${functions}")
  file(CONFIGURE OUTPUT late/${name}.def CONTENT "LIBRARY ${dll}\nEXPORTS\n${functions}\n" @ONLY)
  # Found before the toolchain's library of the same name: a linker script that looks at ours first.
  file(CONFIGURE OUTPUT late/lib${name}.a CONTENT "GROUP(-l${name}_late ${import_library})\n" @ONLY)
  add_custom_command(OUTPUT late/lib${name}_late.a
    COMMAND ${DLLTOOL} --input-def ${folder}/${name}.def --output-delaylib ${folder}/lib${name}_late.a
    DEPENDS ${folder}/${name}.def VERBATIM)
  add_custom_target(${target}_late_${name} DEPENDS ${folder}/lib${name}_late.a)
  add_dependencies(${target} ${target}_late_${name})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${folder}/lib${name}.a ${folder}/lib${name}_late.a)
  target_link_directories(${target} BEFORE PRIVATE ${folder})
endfunction()
