// The YAML reader: what it reads can be written as JSON and read back as the same values, and the configs in it keep
// the promises of every document.
#include <algorithm>

#include "ignition/yaml.h"
#include "provisioner/base/json.h"
#include "provisioner/base/rapidjson.h"
#include "tests/fuzz/ignition_checks.h"

namespace prov::fuzz {
namespace {

bool SameNumber(const JsonValue& a, const JsonValue& b) {
  if (!a.IsDouble() && !b.IsDouble()) return a == b;
  // The JSON reader rounds fast, not exactly.
  const double larger = std::max(std::abs(a.GetDouble()), std::abs(b.GetDouble()));
  return std::abs(a.GetDouble() - b.GetDouble()) <= std::max(larger * 1e-14, 1e-300);
}

bool Same(const JsonValue& a, const JsonValue& b) {
  if (a.GetType() != b.GetType()) return false;
  if (a.IsNumber()) return SameNumber(a, b);
  if (a.IsString()) return JsonTextOf(a) == JsonTextOf(b);
  if (a.IsArray()) return std::equal(a.Begin(), a.End(), b.Begin(), b.End(), Same);
  if (!a.IsObject()) return true;
  return std::equal(a.MemberBegin(), a.MemberEnd(), b.MemberBegin(), b.MemberEnd(), [](const auto& x, const auto& y) {
    return JsonTextOf(x.name) == JsonTextOf(y.name) && Same(x.value, y.value);
  });
}

void CheckValues(const std::string& text) {
  const ignition::Limits limits = SmallLimits();
  const auto yaml = ignition::ParseYaml(text, limits);
  if (!yaml) {
    CheckError(yaml.error());
    return;
  }
  if ((*yaml)->root().IsNull()) return;  // no content at all
  rapidjson::StringBuffer json;
  rapidjson::Writer<rapidjson::StringBuffer> writer(json);
  FUZZ_CHECK((*yaml)->root().Accept(writer));
  const auto again = ParseJson(std::string(json.GetString(), json.GetSize()), limits);
  if (!again) std::fprintf(stderr, "%s (%s)\n", again.error().message.c_str(), again.error().where.c_str());
  FUZZ_CHECK(again || again.error().code == Code::kTooLarge);
  if (again) FUZZ_CHECK(Same((*yaml)->root(), (*again)->root()));
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  std::string text(TextOf(data, size));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  // JSON would go to the other reader.
  if (first != std::string::npos && (text[first] == '{' || text[first] == '[')) text.insert(0, "---\n");
  CheckValues(text);
  CheckDocument(std::move(text));
  return 0;
}
