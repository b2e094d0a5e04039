// What `check` calls valid, each later step takes: bake, the payload's script, the program on a machine. Over random
// sources and options.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <random>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "images/registry/hive_names.h"
#include "provisioner/base/base64.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/text.h"
#include "provisioner/pki/trust_bundle.h"
#include "templates/templates.h"
#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/amount.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::cli {
namespace {

constexpr std::uint32_t kSeed = 20261127;

// The pattern of the items that the script takes, as the script has it.
std::wregex ScriptItems() {
  const std::string_view script = templates::ApplyEgressPs1();
  std::size_t at = script.find("$itemPattern = ");
  const std::size_t end = script.find("#endregion", at);
  EXPECT_NE(end, std::string_view::npos);
  std::string pattern;
  while ((at = script.find('\'', at)) < end) {
    const std::size_t close = script.find('\'', at + 1);
    pattern += script.substr(at + 1, close - at - 1);
    at = close + 1;
  }
  EXPECT_TRUE(pattern.starts_with("\\A") && pattern.ends_with("\\z")) << pattern;
  pattern = pattern.substr(2, pattern.size() - 4);
  return std::wregex(pattern.begin(), pattern.end());
}

// In UTF-16 units, as .NET matches.
std::wstring Wide(std::string_view text) {
  const auto units = images::regf::NameFromUtf8(text);
  EXPECT_TRUE(units) << text;
  return units ? std::wstring(units->begin(), units->end()) : std::wstring();
}

// Assert-Text of the script.
bool IsScriptText(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7F'; });
}

class ValidSources : public machine_commands::MachineCommands {
 protected:
  std::size_t Below(std::size_t end) { return random_() % end; }
  std::string_view Pick(std::span<const std::string_view> pieces) { return pieces[Below(pieces.size())]; }

  std::string NoProxy() {
    constexpr std::string_view kEntries[] = {
        ".svc",       "10.0.0.0/8", "example.com", "*",           "a b", "[::1]", "1.2.3.4:80", "b\u00FCcher.example",
        "\U0001F600", "x\x01",      "::1",         "*.y.example", ""};
    // Around what a variable takes, which is counted in UTF-16 units.
    constexpr std::size_t kSizes[] = {0, 0, 0, 32700, 32756, 32757, 32758, 40000};
    std::string out;
    for (std::size_t i = Below(5); i > 0; --i) out += std::string(Pick(std::span(kEntries).first(Below(13) + 1))) + ",";
    const std::size_t size = kSizes[Below(std::size(kSizes))];
    const std::size_t units = ToUtf16Le(out).size() / 2;
    return units < size ? out + std::string(size - units, 'a') : out;
  }

  std::string ProxyEnv() {
    constexpr std::string_view kUrls[] = {"http://proxy.example.com:3128",
                                          "http://user:S3cret%40@proxy:3128",
                                          "https://proxy:3129",
                                          "[::1]:3128",
                                          "http://b\u00FCcher:1",
                                          "http://p:1/x",
                                          "",
                                          "http://:1",
                                          "http://wpad/proxy.pac",
                                          "http://u:%0A@p:1"};
    std::string out = "# of a test\n";
    // The last ones are refused: few cases shall have them.
    const auto url = [&] { return Pick(std::span(kUrls).first(Below(8) == 0 ? std::size(kUrls) : 7)); };
    if (Below(4) != 0) out += fmt::format("HTTP_PROXY={}\n", url());
    if (Below(4) != 0) out += fmt::format("HTTPS_PROXY={}\n", url());
    if (Below(4) != 0) out += fmt::format("NO_PROXY={}\n", NoProxy());
    return out;
  }

  std::string Bundle() {
    std::string out;
    for (pki::Certificate& one : certificates_) {
      if (Below(2) == 0) continue;
      if (Below(8) == 0) one.der.back() = static_cast<char>(one.der.back() ^ 1);  // in its signature
      out += pki::EncodePem(std::span(&one, 1));
    }
    return out;
  }

  static std::string File(std::string_view path, std::string_view text) {
    return fmt::format(R"({{"path":"{}","contents":{{"source":"data:;base64,{}"}}}})", path, EncodeBase64(text));
  }

  void WriteRandomSource() {
    certificates_ = testing_support::SampleCertificates();
    std::string files;
    if (Below(8) != 0) files = File("/etc/mco/proxy.env", ProxyEnv());
    if (Below(4) != 0) {
      files += (files.empty() ? "" : ",") +
               File("/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt", Bundle());
    }
    WriteSource(R"({"ignition":{"version":"3.4.0"},"storage":{"files":[)" + files + "]}}");
  }

  std::vector<std::string> RandomOptions() {
    constexpr std::int64_t kGenerations[] = {
        0, 1, 999'999'999, 1'000'000'000, 1'795'740'752, std::numeric_limits<std::int64_t>::max()};
    constexpr std::string_view kScopes[] = {"machine", "certs,winhttp", "services,certs",
                                            "machine,services,winhttp,wininet,certs"};
    const std::string longest(256, 'x');
    const std::string_view services[] = {"containerd", "my service", "a:b", "d\u00FCrre", longest};
    constexpr std::string_view kCredentials[] = {"machine", "services", "none"};
    std::vector<std::string> out = {"--allow-empty"};
    if (Below(3) != 0) out.push_back("--generation=" + std::to_string(kGenerations[Below(std::size(kGenerations))]));
    if (Below(3) == 0) out.push_back("--scope=" + std::string(Pick(kScopes)));
    for (std::size_t i = Below(3); i > 0; --i) out.push_back("--service=" + std::string(Pick(services)));
    if (Below(2) == 0) out.push_back("--credentials=" + std::string(Pick(kCredentials)));
    if (Below(3) == 0) out.emplace_back("--augment");
    if (Below(3) == 0) out.emplace_back("--winhttp-octets");
    return out;
  }

  void ExpectScriptTakes(const std::filesystem::path& payload) {
    const auto read = [&](const char* name) {
      return ParseSchemaOne(testing_support::ReadAll(payload / name), name).value();
    };
    const JsonNode list = read("operations.json");
    const JsonNode proxy = read("egress.json").Get("proxy").value();
    EXPECT_TRUE(list.Get("generation", &JsonNode::Integer));
    const auto expect_variable = [&](std::string_view name, const std::optional<JsonNode>& value) {
      EXPECT_TRUE(std::regex_match(Wide("env:" + std::string(name)), items_)) << name;
      const auto text = value ? value->Text() : proxy.Get(name, &JsonNode::Text);
      ASSERT_TRUE(text) << name;
      EXPECT_TRUE(IsScriptText(*text)) << name;
    };
    const std::vector<JsonNode> operations = list.Get("operations").value().Items().value();
    for (const JsonNode& operation : operations) {
      const std::string kind = operation.Get("kind", &JsonNode::Text).value();
      const std::string key = operation.Get("key", &JsonNode::Text).value();
      EXPECT_TRUE(std::regex_match(Wide(kind + ":" + key), items_)) << kind << " " << key;
      const auto value = operation.Find("value").value();
      if (kind == "env") expect_variable(key, value);
      if (kind == "serviceEnv") {
        const auto members = value.value().Members().value();
        EXPECT_FALSE(members.empty());
        for (const auto& [name, text] : members)
          expect_variable(name, text.IsNull() ? std::nullopt : std::optional(text));
      }
      if (kind == "winHttp") {
        for (const char* part : {"proxy", "bypass"})
          EXPECT_TRUE(IsScriptText(value.value().Get(part, &JsonNode::Text).value()));
      }
      if (kind == "certificate") {
        const auto der = DecodeBase64(value.value().Text().value());
        ASSERT_TRUE(der);
        EXPECT_EQ(ToHex(Sha1(*der)), key.substr(key.find(':') + 1));
      }
    }
  }

  void ExpectApplied(const std::string& payload) {
    host_ = testing_support::MemoryHost();
    reconcile::PutWindows(host_.memory);
    host_.memory.Put(R"(SYSTEM\CurrentControlSet\Services\EventLog\Application)", reconcile::Sz("File", "x"));
    const auto applied = Must(Run(ApplyCommand, {payload}));
    EXPECT_EQ(applied.exit, 0);
    const auto again = Must(Run(PlanCommand, {payload}));
    EXPECT_EQ(again.exit, 0) << "a second run finds nothing to do\n" << again.out;
  }

  std::mt19937 random_{kSeed};
  std::wregex items_ = ScriptItems();
  std::vector<pki::Certificate> certificates_;
};

TEST_F(ValidSources, AreBakedAndAppliedByTheScriptAndByTheProgram) {
  std::printf("seed %u\n", kSeed);
  std::size_t valid = 0;
  std::size_t refused = 0;
  for (std::uint32_t i = 0; i < testing_support::Amount(300); ++i) {
    WriteRandomSource();
    const std::vector<std::string> options = RandomOptions();
    SCOPED_TRACE(fmt::format("case {}: {}", i, fmt::join(options, " ")));
    const auto checked = Run(CheckCommand, {source_});
    if (!checked || checked->exit != 0) {
      ++refused;
      continue;
    }
    ++valid;
    std::vector<std::string> words = {source_, "--out", (root_ / "payload").string()};
    words.insert(words.end(), options.begin(), options.end());
    Must(Run(BakeCommand, words));
    ExpectScriptTakes(root_ / "payload");
    ExpectApplied((root_ / "payload").string());
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(valid, testing_support::Amount(300) / 4);
  EXPECT_GT(refused, testing_support::Amount(300) / 10);
}

}  // namespace
}  // namespace prov::cli
