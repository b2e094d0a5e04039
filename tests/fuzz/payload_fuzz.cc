// Payloads: whatever manifest.json and egress.json say, reading ends in an error of the payload, or in settings that
// can be baked again to the same settings. The input is egress.json, or, behind a first byte 0x01, manifest.json.
#include "provisioner/base/relative_path.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/payload_reader.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using payload::EgressDocument;
using payload::PayloadBytes;

constexpr std::string_view kWhere = "payload";

// Around a given egress.json: a certificate that is none, and a manifest that fits.
PayloadBytes Around(std::string egress) {
  PayloadBytes files = {{"egress.json", std::move(egress)}, {"trust/ROOT/x.cer", "0"}};
  std::vector<payload::PayloadFile> list;
  for (const auto& [path, bytes] : files) list.push_back({path, bytes, false, {}});
  files["manifest.json"] = payload::ManifestJson(list, {1});
  return files;
}

void CheckRefusal(const Error& error) {
  CheckError(error);
  FUZZ_CHECK(error.where.starts_with(kWhere));
  FUZZ_CHECK(InfoOf(error.code).exit == 11 || InfoOf(error.code).exit == 12);
}

void CheckEgress(std::string_view text) {
  const auto read = payload::ReadEgressJson(Around(std::string(text)), kWhere);
  if (!read) return CheckRefusal(read.error());
  FUZZ_CHECK(IsUtf8(text));
  const auto state = reconcile::MakeDesiredState(read->config, read->options);
  if (!state) return CheckError(state.error());
  // Credentials that no item holds are not written, so the second reading is the one that stays.
  const auto again =
      payload::ReadEgressJson(Around(payload::EgressJson(read->config, *state, read->generation)), kWhere);
  FUZZ_CHECK(again);
  const auto state_again = reconcile::MakeDesiredState(again->config, again->options);
  FUZZ_CHECK(state_again);
  FUZZ_CHECK(payload::EgressJson(again->config, *state_again, again->generation) ==
             payload::EgressJson(read->config, *state, read->generation));
}

void CheckManifest(std::string_view text) {
  const auto manifest = payload::ParseManifest(text, kWhere);
  if (!manifest) return CheckRefusal(manifest.error());
  for (const payload::ManifestEntry& entry : manifest->files) {
    FUZZ_CHECK(IsSafeRelativePath(entry.path) && !EqualsIgnoreAsciiCase(entry.path, "manifest.json"));
    FUZZ_CHECK(entry.sha256.size() == 64 && entry.sha256 == AsciiLower(entry.sha256));
  }
  const auto checked = payload::CheckDigests({{"manifest.json", std::string(text)}}, *manifest, kWhere);
  FUZZ_CHECK(checked.has_value() == manifest->files.empty());
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string_view text = TextOf(data, size);
  if (text.starts_with('\x01')) {
    CheckManifest(text.substr(1));
  } else {
    CheckEgress(text);
  }
  return 0;
}
