# Run after each link of the program (cmake -P): writes OUT/provisioner.spdx.json, what is linked into PROGRAM (SPDX 2.3),
# and OUT/licenses.txt, the licences of all that. LIST is the file that sbom_list.cmake wrote.
cmake_minimum_required(VERSION 3.25)
include(${LIST})  # sbom_version, sbom_libraries

file(SHA256 ${PROGRAM} digest)
get_filename_component(file_name ${PROGRAM} NAME)
# The same program, the same document: its time is SOURCE_DATE_EPOCH's, or that of the oldest file that archives can hold.
if("$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
  set(ENV{SOURCE_DATE_EPOCH} 315532800)
endif()
string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)

set(packages "")
set(relations "\n    {\"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\", \"relatedSpdxElement\": \"SPDXRef-provisioner\"}")
set(licenses "What is in ${file_name} ${sbom_version} beside its own code, and under which licences.\n")
foreach(entry IN LISTS sbom_libraries)
  string(REPLACE "|" ";" fields "${entry}")
  list(GET fields 0 name)
  list(GET fields 1 version)
  list(GET fields 2 license)
  list(GET fields 3 relation)
  list(GET fields 4 supplier)
  list(GET fields 5 text)
  list(GET fields 6 source)
  list(GET fields 7 source_digest)
  if(source)
    set(source ", \"sourceInfo\": \"${source}\"")
  endif()
  if(source_digest)
    string(APPEND source ", \"checksums\": [{\"algorithm\": \"SHA256\", \"checksumValue\": \"${source_digest}\"}]")
  endif()
  string(REGEX REPLACE "[^A-Za-z0-9.-]" "-" id "${name}")
  string(APPEND packages ",\n    {\"SPDXID\": \"SPDXRef-${id}\", \"name\": \"${name}\", \"versionInfo\": \"${version}\", \"supplier\": \"${supplier}\", \"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false, \"licenseConcluded\": \"${license}\", \"licenseDeclared\": \"${license}\", \"copyrightText\": \"NOASSERTION\"${source}}")
  set(relation_ends "\"SPDXRef-provisioner\"" "\"SPDXRef-${id}\"")
  if(relation STREQUAL OPTIONAL_DEPENDENCY_OF)
    list(REVERSE relation_ends)
  endif()
  list(GET relation_ends 0 from)
  list(GET relation_ends 1 to)
  string(APPEND relations ",\n    {\"spdxElementId\": ${from}, \"relationshipType\": \"${relation}\", \"relatedSpdxElement\": ${to}}")
  if(relation STREQUAL OPTIONAL_DEPENDENCY_OF)
    continue()
  endif()
  string(APPEND licenses "\n\n================ ${name} ${version}: ${license}\n\n")
  if(EXISTS "${text}")
    file(READ "${text}" words)
    string(APPEND licenses "${words}")
  else()
    message(WARNING "no licence text of ${name}: ${text} is missing, so licenses.txt names the licence alone")
    string(APPEND licenses "(its text was not on the build machine)\n")
  endif()
endforeach()

file(WRITE ${OUT}/licenses.txt "${licenses}")
file(WRITE ${OUT}/provisioner.spdx.json "{
  \"spdxVersion\": \"SPDX-2.3\",
  \"dataLicense\": \"CC0-1.0\",
  \"SPDXID\": \"SPDXRef-DOCUMENT\",
  \"name\": \"${file_name} ${sbom_version}\",
  \"documentNamespace\": \"https://spdx.org/spdxdocs/provisioner-${sbom_version}-${digest}\",
  \"creationInfo\": {\"created\": \"${created}\", \"creators\": [\"Tool: provisioner-build\"]},
  \"packages\": [
    {\"SPDXID\": \"SPDXRef-provisioner\", \"name\": \"provisioner\", \"versionInfo\": \"${sbom_version}\", \"packageFileName\": \"${file_name}\", \"supplier\": \"NOASSERTION\", \"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false, \"checksums\": [{\"algorithm\": \"SHA256\", \"checksumValue\": \"${digest}\"}], \"licenseConcluded\": \"Apache-2.0\", \"licenseDeclared\": \"Apache-2.0\", \"copyrightText\": \"NOASSERTION\"}${packages}
  ],
  \"relationships\": [${relations}
  ]
}
")
