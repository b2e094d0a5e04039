// Policies for HNS: whatever the bytes are, they are refused with a place, or what is valid of them is read again from
// what HNS would get, says the same, and is found byte for byte in what HNS would tell.
#include <string>
#include <vector>

#include "provisioner/base/json_reader.h"
#include "provisioner/hns/policy.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using hns::Policy;

void CheckSettings(const std::string& settings) {
  FUZZ_CHECK(ParseJsonDocument(settings, "s").has_value());
  FUZZ_CHECK(hns::SameSettings(settings, settings));
  const std::string listed = R"({"Policies":[{"Type":"ACL"},)" + hns::EndpointPolicyJson(settings) + "]}";
  const auto told = hns::ListedSettings(listed, "listed");
  FUZZ_CHECK(told && told->size() == 1 && told->front() == settings);
}

void CheckValid(const std::vector<Policy>& policies) {
  std::vector<std::string> all;
  for (const Policy& policy : policies) {
    const std::string settings = hns::SettingsJson(policy);
    CheckSettings(settings);
    for (const std::string& form :
         {hns::EndpointPolicyJson(settings), hns::CniEntryJson(hns::CniPlugin::kWinOverlay, settings),
          hns::CniEntryJson(hns::CniPlugin::kAzureVnet, settings)}) {
      const auto again = hns::ReadPolicies(form, "again");
      FUZZ_CHECK(again && again->size() == 1);
      FUZZ_CHECK(hns::SettingsJson(again->front()) == settings);
    }
    all.push_back(settings);
  }
  FUZZ_CHECK(ParseJsonDocument(hns::ModifyRequest(hns::Modification::kAdd, all), "r").has_value());
}

// What HNS tells is somebody else's, too.
void CheckTold(std::string_view text) {
  const auto told = hns::ListedSettings(text, "endpoint");
  if (!told) return CheckError(told.error());
  for (const std::string& settings : *told) {
    FUZZ_CHECK(settings == "{}" || Holds(text, settings));  // a policy without settings has these
    FUZZ_CHECK(hns::SameSettings(settings, settings));
  }
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov;
  const std::string text(fuzz::TextOf(data, size));
  fuzz::CheckTold(text);
  const auto policies = hns::ReadPolicies(text, "policy.json");
  if (!policies) {
    fuzz::CheckError(policies.error(), "policy.json");
    return 0;
  }
  FUZZ_CHECK(!policies->empty());
  fuzz::CheckFindings(hns::Validate(*policies));
  if (hns::RequireValid(*policies)) fuzz::CheckValid(*policies);
  return 0;
}
