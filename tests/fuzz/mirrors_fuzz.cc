// registries.conf and mirror objects: whatever the bytes are, they are refused with a place, or both readings of the
// mirrors, of Linux nodes and of Windows ones, have a list of endpoints or say why there is none.
#include "provisioner/registries/endpoints.h"
#include "provisioner/registries/operator_hosts.h"
#include "provisioner/source/mirror_objects.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  namespace registries = prov::registries;
  prov::Findings findings;
  const auto read = prov::source::ReadMirrorFile(std::string(TextOf(data, size)), "mirrors", findings);
  CheckFindings(findings);
  if (!read) return 0;
  FUZZ_CHECK(read->stated());
  for (std::size_t i = 0; i < read->registries.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) FUZZ_CHECK(read->registries[i].prefix != read->registries[j].prefix);
  }
  const registries::OperatorHosts files = registries::MakeOperatorHosts(*read);
  CheckFindings(files.findings);
  for (const char* text : {"quay.io/org/app:v1",
                           "a.example.com/b@sha256:"
                           "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}) {
    const auto image = registries::ParseImageReference(text, "--image");
    for (const auto& list :
         {registries::LinuxEndpoints(*image, *read), registries::OpenShiftWindowsEndpoints(*image, *read, files)})
      FUZZ_CHECK(list.endpoints.empty() == !list.refusal.empty());
  }
  return 0;
}
