# Names what the program is made of to scripts/cmake/sbom.cmake, which runs after each link. Uses the versions that
# version.cmake found.

# sbom_library(NAME VERSION LICENSE RELATION TEXT SOURCE DIGEST): RELATION is one of SPDX; TEXT is where the licence's words
# are; SOURCE names what was compiled or linked; DIGEST is the SHA-256 of a source package's .dsc, which has those of its files.
macro(sbom_library name version license relation text source digest)
  set(sbom_version_of "${version}")
  if(sbom_version_of STREQUAL "")
    set(sbom_version_of NOASSERTION)
  endif()
  list(APPEND prov_sbom "${name}|${sbom_version_of}|${license}|${relation}|Organization: Debian|${text}|${source}|${digest}")
endmacro()

# sbom_packaged(NAME PACKAGE...): of the first package that is installed, with its version and its copyright file.
macro(sbom_packaged name license relation)
  set(sbom_found "")
  set(sbom_source "")
  foreach(package ${ARGN})
    if(sbom_found STREQUAL "")
      execute_process(COMMAND dpkg-query -W -f \${Version} ${package} OUTPUT_VARIABLE sbom_found ERROR_QUIET RESULT_VARIABLE failed)
      if(failed)
        set(sbom_found "")
      else()
        set(sbom_text /usr/share/doc/${package}/copyright)
        set(sbom_source "Debian package ${package}")
      endif()
    endif()
  endforeach()
  sbom_library("${name}" "${sbom_found}" "${license}" ${relation} "${sbom_text}" "${sbom_source}" "")
endmacro()

# sbom_built(NAME ENTRY LICENSE): of scripts/windows-deps.
macro(sbom_built name entry license)
  file(STRINGS ${WINDEPS_PREFIX}/MANIFEST line REGEX "^${entry} ")
  string(REGEX MATCH "^[^ ]+ +([^ ]+) +([0-9a-f]+) +([^ ]+)$" line "${line}")
  sbom_library("${name}" "${CMAKE_MATCH_1}" "${license}" STATIC_LINK ${WINDEPS_PREFIX}/licenses/${entry}
    "Debian source package ${CMAKE_MATCH_3} with its patches" "${CMAKE_MATCH_2}")
endmacro()

# sbom_loaded(NAME LICENSE): not part of the program, so its licence's words are not in licenses.txt.
macro(sbom_loaded name license)
  list(APPEND prov_sbom "${name}|NOASSERTION|${license}|OPTIONAL_DEPENDENCY_OF|NOASSERTION|||")
endmacro()

set(prov_sbom "")
sbom_packaged(fmt MIT STATIC_LINK libfmt-dev)
sbom_packaged(RapidJSON MIT STATIC_LINK rapidjson-dev)
sbom_packaged(toml++ MIT STATIC_LINK libtomlplusplus-dev)
if(WIN32)
  sbom_built(Boost.Program_options boost BSL-1.0)
  sbom_built(expat expat MIT)
  sbom_built(libcurl curl curl)
  sbom_built(libyaml yaml MIT)
  sbom_built(OpenSSL openssl Apache-2.0)
  sbom_packaged(zlib Zlib STATIC_LINK libz-mingw-w64-dev)
  sbom_packaged("libgcc, libssp and libstdc++" "GPL-3.0-or-later WITH GCC-exception-3.1" STATIC_LINK gcc-mingw-w64-base)
  sbom_packaged("mingw-w64 runtime and winpthreads" "ZPL-2.1 AND MIT AND BSD-3-Clause" STATIC_LINK mingw-w64-x86-64-dev)
else()
  set(linked STATIC_LINK)
  if(NOT PROVISIONER_STATIC_LIBRARIES)
    set(linked DYNAMIC_LINK)
  endif()
  sbom_packaged(Boost.Program_options BSL-1.0 ${linked} libboost1.74-dev)
  sbom_packaged(expat MIT ${linked} libexpat1-dev)
  sbom_packaged(libyaml MIT ${linked} libyaml-dev)
  sbom_packaged(OpenSSL Apache-2.0 ${linked} libssl-dev)
  sbom_packaged(zlib Zlib ${linked} zlib1g-dev)
  sbom_packaged("libgcc and libstdc++" "GPL-3.0-or-later WITH GCC-exception-3.1" ${linked} gcc-12-base)
  sbom_packaged("GNU C library" LGPL-2.1-or-later DYNAMIC_LINK libc6)
  # Loaded where a command needs them. The version is that of the system that runs the program.
  sbom_loaded(libcurl curl)
  sbom_loaded(libarchive BSD-2-Clause)
  sbom_loaded(wimlib LGPL-3.0-or-later)
endif()
file(CONFIGURE OUTPUT sbom.cmake CONTENT [[
set(sbom_version "@PROJECT_VERSION@")
set(sbom_libraries "@prov_sbom@")
]] @ONLY)
add_custom_command(TARGET provisioner POST_BUILD
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:provisioner> -DLIST=${CMAKE_CURRENT_BINARY_DIR}/sbom.cmake
    -DOUT=$<TARGET_FILE_DIR:provisioner> -P ${CMAKE_SOURCE_DIR}/scripts/cmake/sbom.cmake VERBATIM)
