# What packages hold, in the folders that GNUInstallDirs names. The components:
#   program        the program, its manual page and completions, its bill of materials and the licences
#   library        libprovisioner, the C interface as a shared library (with PROVISIONER_C_LIBRARY)
#   development    its header, the link that the linker takes, provisioner.pc
#   documentation  the pages, with that of the codes, and the recipes for images
# cmake --install BUILD --component NAME takes one, with DESTDIR as usual.
include(GNUInstallDirs)
# Debian's zsh looks into share/zsh/vendor-completions instead.
set(PROVISIONER_ZSH_COMPLETIONS_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh finds completions")

install(TARGETS provisioner RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(FILES $<TARGET_FILE_DIR:provisioner>/provisioner.spdx.json $<TARGET_FILE_DIR:provisioner>/licenses.txt LICENSE NOTICE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# The program writes them itself, so it has to run here. Sanitizers and coverage would see that as a test.
if(NOT CMAKE_CROSSCOMPILING AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize" AND NOT CMAKE_C_FLAGS MATCHES "--coverage")
  set(pages ${CMAKE_CURRENT_BINARY_DIR}/pages)
  add_custom_command(TARGET provisioner POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:provisioner> -DOUT=${pages} -P ${CMAKE_SOURCE_DIR}/scripts/cmake/pages.cmake VERBATIM)
  install(FILES ${pages}/provisioner.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${pages}/codes.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/provisioner/docs COMPONENT documentation)
  install(FILES ${pages}/provisioner.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME provisioner
    COMPONENT program)
  install(FILES ${pages}/_provisioner DESTINATION ${PROVISIONER_ZSH_COMPLETIONS_DIR} COMPONENT program)
  # No shell looks for this one: a profile names it.
  install(FILES ${pages}/completion.ps1 DESTINATION ${CMAKE_INSTALL_DATADIR}/provisioner COMPONENT program)
endif()

# Laid out as here, so that the pages' links lead to each other.
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(FILES provisioner/CHANGELOG.md provisioner/DESIGN.md provisioner/SOURCES.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/provisioner
  COMPONENT documentation)
install(DIRECTORY provisioner/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}/provisioner COMPONENT documentation)
# The page of golden images runs these.
install(DIRECTORY images/recipes DESTINATION ${CMAKE_INSTALL_DOCDIR}/images USE_SOURCE_PERMISSIONS COMPONENT documentation)

if(PROVISIONER_C_LIBRARY)
  # Raised with what old callers would notice; so is the name that they are linked with.
  file(STRINGS provisioner/c_api/provisioner.h c_api_version REGEX "^#define PROVISIONER_C_API_VERSION [0-9]+$")
  string(REGEX REPLACE ".* " "" c_api_version "${c_api_version}")
  add_library(provisioner_c SHARED $<TARGET_OBJECTS:prov_c_api>)
  target_link_libraries(provisioner_c PRIVATE prov_source)
  # Its C++ is nobody's interface.
  set(symbols ${CMAKE_CURRENT_SOURCE_DIR}/provisioner/c_api/provisioner.map)
  target_link_options(provisioner_c PRIVATE LINKER:--version-script=${symbols} LINKER:-z,defs)
  set_target_properties(provisioner_c PROPERTIES OUTPUT_NAME provisioner LINKER_LANGUAGE CXX LINK_DEPENDS ${symbols}
    VERSION ${PROJECT_VERSION} SOVERSION ${c_api_version} PUBLIC_HEADER provisioner/c_api/provisioner.h)
  install(TARGETS provisioner_c
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
    PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  configure_file(provisioner/c_api/provisioner.pc.in provisioner.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/provisioner.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endif()
