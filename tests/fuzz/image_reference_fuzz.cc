// References to images: whatever the bytes are, they are refused without showing a password, or the full reference is
// read back as the same, and gives an endpoint by every reading.
#include <algorithm>

#include "provisioner/registries/endpoints.h"
#include "provisioner/registries/image_reference.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov;
  constexpr std::string_view kSecret = "zq9secret";
  const std::string planted = ":" + std::string(kSecret) + "@";
  const std::string text = fuzz::PlantSecrets(fuzz::TextOf(data, size), planted);
  const auto read = registries::ParseImageReference(text, "--image");
  if (!read) {
    fuzz::CheckError(read.error(), "--image");
    FUZZ_CHECK(read.error().code == Code::kImageReference);
    const std::size_t secret = text.find(planted);
    if (secret < text.find('/') && text.find("sha", secret) == std::string::npos)
      FUZZ_CHECK(!fuzz::Holds(read.error(), kSecret));
    return 0;
  }
  FUZZ_CHECK(!read->registry.empty() && !read->repository.empty() && !read->Object().empty());
  FUZZ_CHECK(read->registry != "index.docker.io");
  const auto again = registries::ParseImageReference(read->Text(), "--image");
  FUZZ_CHECK(again && again->Text() == read->Text());
  FUZZ_CHECK(again->registry == read->registry && again->repository == read->repository);
  FUZZ_CHECK(again->tag == read->tag && again->digest == read->digest);
  for (const auto& list :
       {registries::ContainerdEndpoints(*read, nullptr, {}), registries::LinuxEndpoints(*read, {})}) {
    FUZZ_CHECK(list.endpoints.size() == 1 && list.refusal.empty());
    const std::string url = list.endpoints[0].UrlOf("manifests/" + read->Object());
    FUZZ_CHECK(url.ends_with("/v2/" + read->repository + "/manifests/" + read->Object()));
  }
  return 0;
}
