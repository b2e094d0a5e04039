// registries.conf and mirror objects, and what is made of them: whatever the bytes are, they are refused with a place,
// or both readings of the mirrors, of Linux nodes and of Windows ones, have a list of endpoints or say why there is
// none.
#include <set>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/relative_path.h"
#include "provisioner/base/text.h"
#include "provisioner/registries/endpoints.h"
#include "provisioner/registries/hosts_files.h"
#include "provisioner/registries/mirrors_json.h"
#include "provisioner/registries/operator_hosts.h"
#include "provisioner/source/mirror_objects.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

// Each version of containerd reads the files that are made of the mirrors, and each has a place of its own on Windows.
void CheckFiles(const registries::Mirrors& mirrors) {
  const registries::HostsFiles made = registries::MakeHostsFiles(mirrors, {});
  CheckFindings(made.findings);
  std::set<std::string> places;
  for (const registries::RegistryFile& file : made.files) {
    const std::string place = AsciiLower(file.folder + "/" + file.name);
    FUZZ_CHECK(IsSafeRelativePath(place) && places.insert(place).second);
    if (file.name != registries::kHostsFile) continue;
    for (const auto version :
         {registries::Containerd::k1_6, registries::Containerd::k1_7, registries::Containerd::k2}) {
      Findings findings;
      FUZZ_CHECK(registries::ReadHostsToml(file.bytes, "hosts.toml", version, findings).has_value());
    }
  }
}

void CheckJson(const registries::Mirrors& mirrors) {
  JsonWriter json;
  registries::WriteMirrors(json, mirrors);
  const auto node = ParseJsonDocument(json.Text(), "mirrors");
  const auto read = node ? registries::ReadMirrors(*node) : std::unexpected(node.error());
  FUZZ_CHECK(read && read->registries == mirrors.registries && read->cas == mirrors.cas);
}

}  // namespace
}  // namespace prov::fuzz

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
  CheckFiles(*read);
  CheckJson(*read);
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
