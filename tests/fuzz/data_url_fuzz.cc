// DecodeDataUrl: agrees with a naive reading of what follows the comma, keeps to its limit, and decodes what was
// encoded.
#include <fmt/format.h>

#include "ignition/data_url.h"
#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

constexpr std::uint64_t kLimit = 1 << 16;
constexpr std::string_view kWhere = "$.source";

std::string EscapeAll(std::string_view bytes) {
  std::string out = "data:,";
  for (const char c : bytes) out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

// Percent-decoding that passes over whatever is malformed.
std::string Naive(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = text[i] == '%' ? FromHex(text.substr(i + 1, 2)) : std::nullopt;
    out += byte ? *byte : std::string(1, text[i]);
    if (byte) i += 2;
  }
  return out;
}

void CheckDecoded(std::string_view url, const std::string& bytes) {
  FUZZ_CHECK(bytes.size() <= kLimit);
  FUZZ_CHECK(url.starts_with("data:"));
  FUZZ_CHECK(Holds(url, ","));
  // Limits cut exactly.
  const auto exact = ignition::DecodeDataUrl(url, bytes.size(), kWhere);
  FUZZ_CHECK(exact && *exact == bytes);
  if (!bytes.empty()) {
    const auto less = ignition::DecodeDataUrl(url, bytes.size() - 1, kWhere);
    FUZZ_CHECK(!less && less.error().code == Code::kTooLarge);
  }
  // Without quoted parameters the first comma is the one.
  if (!Holds(url, "\"")) {
    const std::size_t comma = url.find(',');
    const std::string_view data = url.substr(comma + 1);
    if (url.substr(0, comma).ends_with(";base64")) {
      const auto decoded = DecodeBase64(data);
      FUZZ_CHECK(decoded && *decoded == bytes);
    } else {
      FUZZ_CHECK(Naive(data) == bytes);
    }
  }
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string_view text = TextOf(data, size);
  const auto decoded = prov::ignition::DecodeDataUrl(text, kLimit, kWhere);
  if (decoded) {
    CheckDecoded(text, *decoded);
  } else {
    CheckError(decoded.error());
    FUZZ_CHECK(decoded.error().code == prov::Code::kDataUrl || decoded.error().code == prov::Code::kTooLarge);
    FUZZ_CHECK(decoded.error().where == kWhere);
  }
  if (size <= kLimit) {
    const auto escaped = prov::ignition::DecodeDataUrl(EscapeAll(text), kLimit, kWhere);
    FUZZ_CHECK(escaped && *escaped == text);
    const auto base64 = prov::ignition::DecodeDataUrl("data:;base64," + prov::EncodeBase64(text), kLimit, kWhere);
    FUZZ_CHECK(base64 && *base64 == text);
  }
  return 0;
}
