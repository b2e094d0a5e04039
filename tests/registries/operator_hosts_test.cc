#include "provisioner/registries/operator_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/registries/sources.h"
#include "tests/support/finding_codes.h"

namespace prov::registries {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::CodesOf;

OperatorHosts MakeFiles(std::vector<Registry> registries, const RegistryLogins& logins = {}) {
  return MakeOperatorHosts({.places = {"mirrors.yaml"}, .registries = std::move(registries), .cas = {}, .fault = {}},
                           logins);
}
std::string OperatorTextOf(const OperatorHosts& hosts, const std::string& folder) {
  const auto found = hosts.files.find(folder);
  return found == hosts.files.end() ? "(no file)" : found->second.text.Reveal();
}

TEST(OperatorHosts, AFileIsWrittenAsTheOperatorWritesIt) {
  const OperatorHosts made =
      MakeFiles({Source("registry.example.com", {ByDigest("example.io/registry"), ByTag("m.example:5000")})},
                {{"m.example:5000", Secret("user:pass")}});
  EXPECT_EQ(OperatorTextOf(made, "registry.example.com"), R"(server = "https://registry.example.com/v2"

override_path = true

[host."https://example.io/v2/registry"]
  capabilities = ["pull"]
  override_path = true

[host."https://m.example:5000/v2"]
  capabilities = ["pull", "resolve"]
  override_path = true
  [host."https://m.example:5000/v2".header]
    authorization = "Basic dXNlcjpwYXNz"
)");
  EXPECT_THAT(made.findings, IsEmpty());
}

TEST(OperatorHosts, AMirrorLosesThePathThatItShares) {
  const std::pair<std::pair<std::string, std::string>, std::string> kCases[] = {
      {{"quay.io/org/app", "m.example/org/app"}, "https://m.example/v2"},
      {{"quay.io/org/app", "m.example/x/org/app"}, "https://m.example/v2/x"},
      {{"quay.io/org", "m.example/other"}, "https://m.example/v2/other"},
      {{"quay.io", "m.example/quay"}, "https://m.example/v2/quay"},
      {{"quay.io", "quay.io"}, "https://quay.io/v2"},
      {{"quay.io/org", "quay.io/org"}, "https://quay.io/v2"},
  };
  for (const auto& [locations, url] : kCases) {
    const OperatorHosts made = MakeFiles({Source(locations.first, {ByDigest(locations.second)})});
    EXPECT_THAT(OperatorTextOf(made, "quay.io"), HasSubstr("[host.\"" + url + "\"]")) << locations.first;
  }
}

TEST(OperatorHosts, SourcesOfOneRegistryShareAFileSortedByMirror) {
  const OperatorHosts made =
      MakeFiles({Source("quay.io/b", {ByDigest("z.example/b")}), Source("quay.io/c", {ByTag("a.example/c")}),
                 Source("quay.io/d", {ByTag("z.example/d")})});
  ASSERT_EQ(made.files.size(), 1U);
  const HostsToml& read = made.files.at("quay.io").hosts;
  ASSERT_EQ(read.hosts.size(), 2U);
  EXPECT_EQ(read.hosts[0].url.host, "a.example");
  EXPECT_EQ(read.hosts[1].url.host, "z.example");
  EXPECT_TRUE(read.hosts[1].resolve) << "one of its sets is by tag";
  EXPECT_THAT(CodesOf(made.findings), ElementsAre("mirror-widened", "mirror-widened", "mirror-widened"));
}

TEST(OperatorHosts, ASourceThatIsNeverAskedIsReplacedByTheFirstMirror) {
  const OperatorHosts made =
      MakeFiles({Source("quay.io", {ByDigest("z.example/quay"), ByDigest("m.example/quay")}, true)});
  const HostsToml& read = made.files.at("quay.io").hosts;
  EXPECT_EQ(read.server.url.Text(), "https://m.example/v2/quay");
  EXPECT_TRUE(read.server.resolve);
  ASSERT_THAT(CodesOf(made.findings), ElementsAre("mirror-widened"));
  EXPECT_THAT(made.findings[0].message, HasSubstr("for tags, too"));
}

TEST(OperatorHosts, WhatWindowsNodesDoNotGetIsAFinding) {
  const auto findings = [](Registry registry) { return MakeFiles({std::move(registry)}).findings; };
  struct Case {
    Registry registry;
    std::string code;
    std::string what;
  };
  Registry moved = Source("quay.io", {ByDigest("m.example")});
  moved.location = "other.example";
  Registry insecure = Source("quay.io", {});
  insecure.insecure = true;
  const Case kCases[] = {
      {Source("host:5000", {ByDigest("m.example")}), "mirror-port", "':'"},
      {Source("*.example.com", {ByDigest("m.example")}), "mirror-lost", "wildcard"},
      {Source("quay.io", {{"m.example", true, MirrorUse::kDigestOnly}}), "mirror-lost", "insecure"},
      {Source("quay.io", {}, true), "mirror-widened", "blocked"},
      {insecure, "mirror-lost", "insecure"},
      {moved, "mirror-lost", "other location"},
      {Source("docker.io", {ByDigest("m.example")}), "mirror-lost", "registry-1.docker.io"},
      {Source("quay.io", {ByDigest("m.example/quay.io")}), "mirror-lost", "ask m.example, and not m.example/quay.io"},
  };
  for (const Case& one : kCases) {
    const Findings told = findings(one.registry);
    ASSERT_THAT(CodesOf(told), ElementsAre(one.code)) << one.what;
    EXPECT_THAT(told[0].message + told[0].where, HasSubstr(one.what));
  }
  const Findings other_path = findings(Source("quay.io/org", {ByDigest("m.example/other")}));
  ASSERT_THAT(CodesOf(other_path), ElementsAre("mirror-lost", "mirror-widened"));
  EXPECT_THAT(other_path[0].message, HasSubstr("ask m.example/other/org, and not m.example/other"));
}

TEST(OperatorHosts, MirrorsThatBecomeTheSameAreAFileThatContainerdRefuses) {
  const OperatorHosts made = MakeFiles({Source("quay.io/a/b", {ByDigest("m.example/b"), ByDigest("m.example/a/b")})});
  EXPECT_TRUE(made.files.at("quay.io").refused);
  EXPECT_THAT(made.findings, testing_support::HasCode("mirror-lost"));
}

TEST(OperatorHosts, ThePolicyOfAPartHoldsForTheWholeRegistryOrNot) {
  const OperatorHosts made =
      MakeFiles({Source("quay.io/a", {ByDigest("m.example/a")}, true), Source("quay.io/b", {ByDigest("m.example/b")})});
  EXPECT_TRUE(std::ranges::any_of(made.findings, [](const Finding& one) {
    return one.code == "mirror-widened" && one.message.find("only a part") != std::string::npos;
  }));
}

TEST(OperatorHosts, PoliciesAreNotRead) {
  const OperatorHosts made =
      MakeOperatorHosts({.places = {"ImageContentSourcePolicy/old"}, .registries = {}, .cas = {}});
  EXPECT_THAT(CodesOf(made.findings), ElementsAre("mirror-lost"));
  EXPECT_THAT(made.files, IsEmpty());
}

}  // namespace
}  // namespace prov::registries
