// EnvironmentFile= and Environment=: names and values are what they promise, findings never hold a value, and what was
// read reads back the same when it is written by systemd's rules. Each byte 0x01 of the input stands for a secret.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "provisioner/base/text.h"
#include "provisioner/egress/environment_assignments.h"
#include "provisioner/egress/environment_file.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using egress::Assignment;

constexpr std::string_view kSecret = "c4n:ry";  // no name, so nothing may show it
constexpr std::string_view kWhere = "/etc/mco/proxy.env";

void CheckAssignments(const std::vector<Assignment>& all, std::string_view text) {
  const auto ends =
      static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return c == '\n' || c == '\r'; }));
  std::set<std::string_view> names;
  for (const Assignment& a : all) {
    FUZZ_CHECK(egress::IsVariableName(a.name));
    FUZZ_CHECK(names.insert(a.name).second);
    FUZZ_CHECK(IsUtf8(a.value.Reveal()));
    FUZZ_CHECK(!Holds(a.value.Reveal(), std::string_view("\0", 1)));
    FUZZ_CHECK(a.line >= 1 && a.line <= ends + 1);
  }
}

bool Same(const std::vector<Assignment>& a, const std::vector<Assignment>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return x.name == y.name && x.value == y.value; });
}

std::string WriteFile(const std::vector<Assignment>& all) {
  std::string out;
  for (const Assignment& a : all) {
    out += a.name + "=\"";
    for (const char c : a.value.Reveal()) {
      if (Holds("\"\\`$", std::string_view(&c, 1))) out += '\\';
      out += c;
    }
    out += "\"\n";
  }
  return out;
}

std::string WriteUnit(const std::vector<Assignment>& all) {
  std::string out = "[Service]\n";
  for (const Assignment& a : all) {
    out += "Environment=\"" + a.name + "=";
    for (const char c : a.value.Reveal()) {
      const auto byte = static_cast<unsigned char>(c);
      const bool plain = byte >= 0x20 && byte != 0x7F && byte != '"' && byte != '\\';
      out += plain ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
    }
    out += "\"\n";
  }
  return out;
}

void CheckFile(std::string_view text) {
  Findings findings;
  const auto all = egress::ParseEnvironmentFile(text, kWhere, findings);
  CheckFindings(findings);
  FUZZ_CHECK(!Holds(findings, kSecret));
  if (!all) {
    CheckError(all.error());
    FUZZ_CHECK(all.error().code == Code::kEnvNul || all.error().code == Code::kEnvUtf8);
    FUZZ_CHECK(!Holds(all.error(), kSecret));
    return;
  }
  CheckAssignments(*all, text);
  Findings ignored;
  const auto again = egress::ParseEnvironmentFile(WriteFile(*all), kWhere, ignored);
  FUZZ_CHECK(again && Same(*all, *again));
  const auto from_unit = egress::ParseUnitEnvironment(WriteUnit(*all), kWhere, ignored);
  FUZZ_CHECK(Same(*all, from_unit));
}

void CheckUnit(std::string_view text) {
  Findings findings;
  const auto all = egress::ParseUnitEnvironment(text, kWhere, findings);
  CheckFindings(findings);
  FUZZ_CHECK(!Holds(findings, kSecret));
  CheckAssignments(all, text);
  Findings ignored;
  FUZZ_CHECK(Same(all, egress::ParseUnitEnvironment(WriteUnit(all), kWhere, ignored)));
  // Another section behind it changes nothing, wherever the text ends.
  const auto longer = egress::ParseUnitEnvironment(std::string(text) + "\n\n[Install]\n", kWhere, ignored);
  FUZZ_CHECK(Same(all, longer));
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = prov::fuzz::PlantSecrets(prov::fuzz::TextOf(data, size), prov::fuzz::kSecret);
  prov::fuzz::CheckFile(text);
  prov::fuzz::CheckUnit(text);
  return 0;
}
