#include "provisioner/registries/hosts_toml.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/differential/seed.h"
#include "tests/support/amount.h"
#include "tests/support/finding_codes.h"
#include "tests/support/result.h"

namespace prov::registries {
namespace {

using differential::Random;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Containerd kVersions[] = {Containerd::k1_6, Containerd::k1_7, Containerd::k2};

HostsToml ReadHosts(std::string_view text, Containerd version = Containerd::k2) {
  Findings findings;
  auto read = ReadHostsToml(text, "hosts.toml", version, findings);
  EXPECT_TRUE(read) << text << (read ? "" : ": " + read.error().message);
  return read ? *std::move(read) : HostsToml();
}
Findings HostsFindings(std::string_view text, Containerd version = Containerd::k2) {
  Findings findings;
  EXPECT_TRUE(ReadHostsToml(text, "hosts.toml", version, findings)) << text;
  return findings;
}
std::vector<std::string> HostUrls(std::string_view text, Containerd version = Containerd::k2) {
  std::vector<std::string> out;
  for (const HostConfig& host : ReadHosts(text, version).hosts) out.push_back(host.url.Text());
  return out;
}
Error HostsError(std::string_view text, Containerd version = Containerd::k2) {
  Findings findings;
  return ErrorIn(ReadHostsToml(text, "hosts.toml", version, findings));
}

TEST(HostsToml, EachMemberIsRead) {
  const HostsToml read = ReadHosts(R"(server = "https://quay.io"
ca = "root.crt"

[host."https://mirror.example.com:5000/v2/quay"]
  capabilities = ["pull", "Resolve"]
  ca = ["a.crt", "C:\\certs\\b.crt"]
  client = [["client.crt", "client.key"], "both.pem"]
  skip_verify = false
  override_path = true
  dial_timeout = "1m30s"
  [host."https://mirror.example.com:5000/v2/quay".header]
    authorization = "Basic eDp5"
    x-more = ["one", "two"]
)");
  EXPECT_EQ(read.server.url, (ServerUrl{"https", "quay.io", ""}));
  EXPECT_THAT(read.server.ca, ElementsAre("root.crt"));
  ASSERT_EQ(read.hosts.size(), 1U);
  const HostConfig& host = read.hosts.front();
  EXPECT_EQ(host.url, (ServerUrl{"https", "mirror.example.com:5000", "/v2/quay"}));
  EXPECT_TRUE(host.pull && host.resolve && !host.push);
  EXPECT_THAT(host.ca, ElementsAre("a.crt", "C:\\certs\\b.crt"));
  EXPECT_THAT(host.client, ElementsAre(std::pair("client.crt", "client.key"), std::pair("both.pem", "")));
  EXPECT_EQ(host.skip_verify, false);
  EXPECT_TRUE(host.override_path);
  EXPECT_EQ(host.dial_timeout, "1m30s");
  ASSERT_EQ(host.headers.size(), 3U);
  EXPECT_EQ(host.headers[0].first, "authorization");
  EXPECT_EQ(host.headers[0].second.Reveal(), "Basic eDp5");
  EXPECT_EQ(host.headers[2].second.Reveal(), "two");
}

TEST(HostsToml, HostsKeepTheOrderOfTheFile) {
  constexpr std::string_view kFile = R"(
[host."https://z.example"]
[host."https://a.example"]
  skip_verify = true
[host."https://m.example"]
)";
  for (const Containerd version : kVersions)
    EXPECT_THAT(HostUrls(kFile, version), ElementsAre("https://z.example", "https://a.example", "https://m.example"));
}

TEST(HostsToml, BracketsInTheNameOfAHostAreReadByContainerd2Only) {
  const std::string_view text = "[host.\"https://[fd00::1]:5000\"]\nskip_verify = true";
  EXPECT_THAT(HostUrls(text), ElementsAre("https://[fd00::1]:5000"));
  EXPECT_THAT(HostsError(text, Containerd::k1_6).message, HasSubstr("has a '['"));
  EXPECT_THAT(HostsError(text, Containerd::k1_7).message, HasSubstr("has a '['"));
}

// toml++ stops the program at these where its assertions are on.
TEST(HostsToml, WhatTomlPlusPlusAssertsIsAnError) {
  for (const std::string_view text :
       {"[[[", "[host.\"https://a\"]\n[[[", "[[[\n", "[ [a]", "[[ [a]]", "[a.[b]]", "= 1", "[]", "[[]]"})
    EXPECT_THAT(HostsError(text).message, HasSubstr("not valid TOML")) << text;
}

TEST(HostsToml, AHostWhoseHeaderComesLaterIsAskedAgainByContainerd2Only) {
  constexpr std::string_view kFile = R"(
[host."https://b.example"]
[host."https://a.example"]
[host."https://b.example".header]
  x = "1"
)";
  EXPECT_THAT(HostUrls(kFile, Containerd::k1_6), ElementsAre("https://b.example", "https://a.example"));
  EXPECT_THAT(HostUrls(kFile, Containerd::k2),
              ElementsAre("https://b.example", "https://a.example", "https://b.example"));
}

TEST(HostsToml, AHostWithoutATableOfItsOwnIsLeftOutByContainerd2) {
  constexpr std::string_view kFile = R"(
[host]
"https://inline.example" = {skip_verify = true}
"https://dotted.example".skip_verify = true
[host."https://table.example"]
)";
  EXPECT_THAT(HostUrls(kFile, Containerd::k1_7),
              ElementsAre("https://inline.example", "https://dotted.example", "https://table.example"));
  EXPECT_THAT(HostUrls(kFile, Containerd::k2), ElementsAre("https://table.example"));
  EXPECT_THAT(HostsFindings(kFile), testing::SizeIs(2));
}

TEST(HostsToml, WithoutHostsAFileCountsForContainerd2Only) {
  constexpr std::string_view kFile = "server = \"https://mirror.example\"\n";
  EXPECT_EQ(ReadHosts(kFile, Containerd::k1_6), HostsToml());
  EXPECT_EQ(ReadHosts(kFile, Containerd::k1_7), HostsToml());
  EXPECT_EQ(ReadHosts(kFile, Containerd::k2).server.url.host, "mirror.example");
  for (const Containerd version : kVersions)
    EXPECT_THAT(testing_support::CodesOf(HostsFindings(kFile, version)), ElementsAre("hosts-toml"));
}

TEST(HostsToml, AnEmptyFileSaysNothing) {
  for (const Containerd version : kVersions) {
    EXPECT_EQ(ReadHosts("", version), HostsToml());
    EXPECT_THAT(HostsFindings("", version), IsEmpty());
  }
}

TEST(HostsToml, WhatContainerdRefusesIsAnErrorWithItsPlace) {
  const std::pair<std::string, std::string> kCases[] = {
      {"server = ", "not valid TOML"},
      {"[$host]", "not valid TOML"},
      {"\xC3\xA4 = 1", "not valid TOML"},
      {"[host.\"https://a\"]\n[host.\"https://a\"]\n", "not valid TOML"},
      {"server = 1", "'server' is not a string"},
      {"host = 1", "'host' is not a table"},
      {"[host]\na = 1", "'a' is not the table of a host"},
      {"capabilities = \"pull\"", "'capabilities' is not a list"},
      {"capabilities = [1]", "not a string"},
      {"capabilities = [\"pul\"]", "'pul' is unknown"},
      {"ca = 1", "'ca' is neither"},
      {"ca = [1]", "'ca' has something else"},
      {"client = [[\"a\", \"b\", \"c\"]]", "certificate and key"},
      {"skip_verify = \"true\"", "'skip_verify' is neither true nor false"},
      {"override_path = 1", "'override_path' is neither"},
      {"header = 1", "'header' is not a table"},
      {"[header]\nx = 1", "'x' is neither"},
      {"dial_timeout = 30", "'dial_timeout'"},
      {"dial_timeout = \"30\"", "'dial_timeout'"},
      {"server = \"https://host:port\"", "URL of a host is invalid"},
      {"[host.\"https://a b\"]", "URL of a host is invalid"},
  };
  for (const auto& [text, why] : kCases) {
    const Error error = HostsError(text);
    EXPECT_EQ(error.code, Code::kRegistries) << text;
    EXPECT_THAT(error.message, HasSubstr(why)) << text;
    EXPECT_THAT(error.message, HasSubstr("containerd logs it")) << text;
    EXPECT_THAT(error.where, HasSubstr("hosts.toml: line ")) << text;
  }
  EXPECT_EQ(HostsError("[host.a]\ncapabilities = [\"referrers\"]", Containerd::k1_7).code, Code::kRegistries);
}

TEST(HostsToml, DeepKeysAreRefusedBeforeTheyUseTheStack) {
  std::string deep = "[a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  EXPECT_EQ(HostsError(deep + "]\n").code, Code::kRegistries);
  std::string within = "a = ";
  std::string dotted = "a";
  for (int i = 0; i < 299; ++i) dotted += ".a";
  for (int i = 0; i < 60; ++i) within += "[\n{ " + dotted + " = ";
  EXPECT_EQ(HostsError(within).code, Code::kRegistries);
}

TEST(HostsToml, WhatContainerdLeavesOutIsAFinding) {
  const std::pair<std::string, std::string> kCases[] = {
      {"[host.\"https://a\"]\ncapabilites = [\"pull\"]", "did you mean capabilities?"},
      {"[host.\"https://a/v2/org\"]", "asks /v2/org/v2"},
      {"[host.\"https://[fd00::1]\"]", "before 2.0 refuses"},
      {"[host.\"https://u:s3cret@a\"]", "user in the URL"},
      {"[host.\"httpd.example\"]", "containerd can't ask it"},
      {"[host.\"https://a\"]\ncapabilities = [\"pull\", \"referrers\"]", "before 2.2"},
  };
  for (const auto& [text, what] : kCases) {
    const Findings findings = HostsFindings(text);
    ASSERT_THAT(testing_support::CodesOf(findings), ElementsAre("hosts-toml")) << text;
    EXPECT_THAT(findings[0].message, HasSubstr(what)) << text;
    EXPECT_THAT(findings[0].message, testing::Not(HasSubstr("s3cret")));
  }
  EXPECT_THAT(testing_support::CodesOf(HostsFindings("[host.a]\ndial_timeout = \"1s\"", Containerd::k1_7)),
              ElementsAre("hosts-toml"));
}

TEST(HostsToml, FoldersOfARegistry) {
  EXPECT_THAT(HostsFolders("quay.io", false), ElementsAre("quay.io", "_default"));
  EXPECT_THAT(HostsFolders("host:5000", false), ElementsAre("host_5000_", "host:5000", "_default"));
  EXPECT_THAT(HostsFolders("host:5000", true), ElementsAre("host_5000_", "host5000", "_default"));
  EXPECT_THAT(HostsFolders("[::1]:5000", true), ElementsAre("[1]_5000_", "[1]5000", "_default"));
}

HostConfig RandomHost(Random& random, std::string url) {
  constexpr std::array<std::string_view, 5> kTexts = {"a.crt", "C:\\k\\b.crt", "\xC3\xBC \"quoted\"", "tab\tnewline\n",
                                                      "x"};
  const auto text = [&] { return std::string(random.Pick(kTexts)); };
  HostConfig out;
  out.url = *ParseServerUrl(url);
  if (random.OneIn(2)) {
    out.pull = random.OneIn(2);
    out.resolve = random.OneIn(2);
    out.push = !out.pull && !out.resolve;
  }
  for (std::size_t left = random.Below(3); left > 0; --left) out.ca.push_back(text());
  for (std::size_t left = random.Below(3); left > 0; --left)
    out.client.emplace_back(text(), random.OneIn(2) ? text() : "");
  if (random.OneIn(2)) out.skip_verify = random.OneIn(2);
  out.override_path = random.OneIn(2);
  if (random.OneIn(4)) out.dial_timeout = "1.5h";
  for (const char* name : {"authorization", "x a"}) {
    for (std::size_t left = random.Below(3); left > 0; --left) out.headers.emplace_back(name, Secret(text()));
  }
  return out;
}

TEST(HostsToml, WhatIsWrittenIsReadBack) {
  Random random(differential::Seed("HostsTomlWritten"));
  for (std::uint32_t i = testing_support::Amount(3000); i > 0; --i) {
    HostsToml hosts;
    hosts.server = RandomHost(random, random.OneIn(2) ? "https://quay.io/v2" : "");
    for (const char* url : {"https://z.example:5000/v2/a%20b", "http://[::1]:80", "https://a.example"}) {
      if (random.OneIn(2)) hosts.hosts.push_back(RandomHost(random, url));
    }
    const std::string text = WriteHostsToml(hosts).Reveal();
    Findings findings;
    const auto read = ReadHostsToml(text, "hosts.toml", Containerd::k2, findings);
    ASSERT_TRUE(read) << text << "\n" << read.error().message;
    ASSERT_EQ(*read, hosts) << text;
  }
}

}  // namespace
}  // namespace prov::registries
