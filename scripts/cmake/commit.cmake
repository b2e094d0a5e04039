# Writes OUT, a header that defines PROVISIONER_COMMIT, if it is not there with this text: COMMIT, or what git says of SOURCE.
cmake_minimum_required(VERSION 3.25)
if(NOT COMMIT)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=* OUTPUT_VARIABLE COMMIT
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(COMMIT unknown)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define PROVISIONER_COMMIT \"@COMMIT@\"\n" @ONLY)
