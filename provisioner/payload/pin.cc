#include "provisioner/payload/pin.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/base64.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/payload_signature.h"

namespace prov::payload {
Pin With(Pin pin, const Pin& given) {
  const bool named = !given.signers.empty();
  if (named && (pin.signers.empty() || pin.signers.front().sha256 != given.signers.front().sha256))
    pin.signers = given.signers;
  if (!given.cluster.empty()) pin.cluster = given.cluster;
  return pin;
}

void Introduce(Pin& pin, std::string_view signer, const pki::Certificate& next) {
  auto& all = pin.signers;
  const auto by = std::ranges::find(all, signer, &pki::Certificate::sha256);
  if (by == all.end() || next.sha256 == signer) return;
  all.erase(by + 1, all.end());
  std::erase_if(all, [&](const pki::Certificate& one) { return one.sha256 == next.sha256; });
  all.push_back(next);
}

void Retire(Pin& pin, std::string_view signer) {
  const auto by = std::ranges::find(pin.signers, signer, &pki::Certificate::sha256);
  if (by != pin.signers.end()) pin.signers.erase(pin.signers.begin(), by);
}

std::string Describe(const Pin& pin) {
  std::string out = "payloads";
  if (!pin.cluster.empty()) out += fmt::format(" for the cluster {}", pin.cluster);
  for (std::size_t i = 0; i < pin.signers.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? " that " : " or ", NameOfSigner(pin.signers[i]));
  return pin.signers.empty() ? out : out + " signed";
}

std::string PinJson(const Pin& pin) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1);
  if (!pin.cluster.empty()) json.Member("for", pin.cluster);
  json.Key("signers").BeginArray();
  for (const pki::Certificate& signer : pin.signers) json.String(EncodeBase64(signer.der));
  return json.EndArray().EndObject().Text();
}

Result<Pin> ParsePin(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  Pin out;
  out.cluster = PROV_TRY(root.Find("for", &JsonNode::Text)).value_or("");
  if (!out.cluster.empty() && !IsClusterName(out.cluster))
    return Fail(Code::kType, "names a cluster by no text that may be its name", std::string(where));
  for (const JsonNode& node : PROV_TRY(root.Get("signers", &JsonNode::Items))) {
    const auto der = DecodeBase64(PROV_TRY(node.Text()));
    if (!der) return node.Refuse(Code::kType, "is not base64");
    out.signers.push_back(PROV_TRY(ReadSigner(*der, where)));
  }
  if (out.empty()) return Fail(Code::kType, "pins neither a signer nor a cluster", std::string(where));
  return out;
}

bool IsClusterName(std::string_view name) {
  constexpr std::size_t kLongest = 253;
  return !name.empty() && name.size() <= kLongest && Printable(name) == name;
}

}  // namespace prov::payload
