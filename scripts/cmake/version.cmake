# What `provisioner --version` says of the build: definitions for provisioner/cli/version.cc.

# The installed package of a library: its Debian revision tells more than the library's own number, of security updates.
# Empty where nobody knows.
function(prov_package name variable)
  set(version "")
  if(WIN32 AND EXISTS ${WINDEPS_PREFIX}/MANIFEST)
    file(STRINGS ${WINDEPS_PREFIX}/MANIFEST line REGEX "^${name} ")
    string(REGEX MATCH "^[^ ]+ +([^ ]+)" line "${line}")
    set(version "${CMAKE_MATCH_1}")
  endif()
  foreach(package ${ARGN})
    if(NOT version)
      execute_process(COMMAND dpkg-query -W -f \${Version} ${package} OUTPUT_VARIABLE version ERROR_QUIET RESULT_VARIABLE failed)
      if(failed)
        set(version "")
      endif()
    endif()
  endforeach()
  string(TOUPPER ${name} upper)
  set(${variable} ${${variable}} PROVISIONER_PACKAGE_${upper}="${version}" PARENT_SCOPE)
endfunction()

set(prov_definitions PROVISIONER_VERSION="${PROJECT_VERSION}"
  PROVISIONER_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
  PROVISIONER_TARGET="${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}")
prov_package(boost prov_definitions libboost1.74-dev)
prov_package(fmt prov_definitions libfmt-dev)
prov_package(rapidjson prov_definitions rapidjson-dev)
prov_package(tomlplusplus prov_definitions libtomlplusplus-dev)
if(WIN32)
  prov_package(curl prov_definitions)
  prov_package(expat prov_definitions)
  prov_package(yaml prov_definitions)
  prov_package(openssl prov_definitions)
  prov_package(zlib prov_definitions libz-mingw-w64-dev)
else()
  list(APPEND prov_definitions PROVISIONER_PACKAGE_CURL="")
  prov_package(expat prov_definitions libexpat1-dev)
  prov_package(yaml prov_definitions libyaml-dev)
  prov_package(openssl prov_definitions libssl-dev)
  prov_package(zlib prov_definitions zlib1g-dev)
endif()
set_source_files_properties(provisioner/cli/version.cc PROPERTIES COMPILE_DEFINITIONS "${prov_definitions}"
  INCLUDE_DIRECTORIES ${CMAKE_CURRENT_BINARY_DIR}/generated)
# An update of a static library links the program anew; then these words must be new, too.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${EXPAT_LIBRARY} ${OPENSSL_CRYPTO_LIBRARY} ${YAML_LIBRARY} ${Z_LIBRARY})

# The commit, asked for at each build. PROVISIONER_COMMIT names it where the sources are no git checkout.
set(PROVISIONER_COMMIT "" CACHE STRING "The commit that --version names, where git can't tell")
add_custom_target(prov_commit
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUT=${CMAKE_CURRENT_BINARY_DIR}/generated/prov_commit.h
    -DCOMMIT=${PROVISIONER_COMMIT} -P ${CMAKE_SOURCE_DIR}/scripts/cmake/commit.cmake
  BYPRODUCTS ${CMAKE_CURRENT_BINARY_DIR}/generated/prov_commit.h VERBATIM)
add_dependencies(prov_cli prov_commit)
