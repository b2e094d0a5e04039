# Writes OUT, a header that defines PROVISIONER_COMMIT, if it is not there with this text: COMMIT, or what git says of SOURCE,
# or what git archive wrote here.
cmake_minimum_required(VERSION 3.25)
set(archived "$Format:%H$")
if(NOT COMMIT)
  # A checkout around an unpacked archive is of another project.
  execute_process(COMMAND git -C ${SOURCE} rev-parse --show-prefix OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND prefix STREQUAL "")
    execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=* OUTPUT_VARIABLE COMMIT
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  elseif(archived MATCHES "^[0-9a-f]+$")
    string(SUBSTRING ${archived} 0 12 COMMIT)
  endif()
  if(NOT COMMIT)
    set(COMMIT unknown)
  endif()
endif()
# It becomes a string of C.
if(NOT COMMIT MATCHES "^[A-Za-z0-9._+-]+$")
  message(FATAL_ERROR "PROVISIONER_COMMIT is '${COMMIT}'; give letters, digits and . _ + - only")
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define PROVISIONER_COMMIT \"@COMMIT@\"\n" @ONLY)
