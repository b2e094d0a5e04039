// kubeconfigs: whatever the bytes are, they are refused, or lead to an https server with credentials of one kind; and
// no error holds a credential (marked by the word that the seeds use).
#include "provisioner/source/kube_config.h"
#include "provisioner/source/kube_uri.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

constexpr std::string_view kSecret = "c4nAry";

// Names may stand in messages, so the word is a secret only as the plain value of a secret's key; in a quoted or block
// scalar the same characters may be a name.
bool IsAboutNames(std::string_view bytes) {
  if (bytes.find_first_of("\"'|>") != std::string_view::npos) return true;
  for (std::size_t at = bytes.find(kSecret); at != std::string_view::npos; at = bytes.find(kSecret, at + 1)) {
    const std::string_view before = bytes.substr(0, at);
    const bool secret =
        before.ends_with(" token: ") || before.ends_with(" password: ") || before.ends_with(" proxy-url: http://u:");
    if (!secret) return true;
  }
  return false;
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov;
  const std::string_view bytes = fuzz::TextOf(data, size);
  for (const char* context : {"", "here"}) {
    const auto config = source::ParseKubeConfig(std::string(bytes), "kubeconfig", context);
    if (!config) {
      fuzz::CheckError(config.error(), "kubeconfig");
      FUZZ_CHECK(fuzz::IsAboutNames(bytes) || !fuzz::Holds(config.error(), fuzz::kSecret));
      continue;
    }
    FUZZ_CHECK(!config->context.empty());
    FUZZ_CHECK(config->user.certificate.Given() == config->user.key.Given());
    const auto server = source::ParseKubeServer("https://" + config->cluster.host + config->cluster.prefix, "again");
    FUZZ_CHECK(server && server->host == config->cluster.host && server->prefix == config->cluster.prefix);
    FUZZ_CHECK(!config->user.token || !config->user.token->empty());
  }
  // The same bytes as a URI: what is taken names one object, safe in a URL.
  const auto target = source::ParseKubeUri("kube://" + std::string(bytes), {});
  FUZZ_CHECK(!target || source::IsKubeName(target->name));
  return 0;
}
