#include "provisioner/registries/hosts_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "provisioner/pki/trust_bundle.h"
#include "provisioner/registries/endpoints.h"
#include "tests/differential/seed.h"
#include "tests/registries/sources.h"
#include "tests/support/amount.h"
#include "tests/support/finding_codes.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::registries {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::CodesOf;

HostsFiles MakeOurs(const Mirrors& mirrors, const NodeTrust& trust = {}) { return MakeHostsFiles(mirrors, trust); }

std::vector<std::string> PlacesOfOurs(const HostsFiles& made) {
  std::vector<std::string> out;
  for (const RegistryFile& file : made.files) out.push_back(fmt::format("{}/{}", file.folder, file.name));
  return out;
}

std::string TextOfOurs(const HostsFiles& made, std::string_view folder) {
  for (const RegistryFile& file : made.files) {
    if (file.folder == folder && file.name == kHostsFile) return file.bytes;
  }
  return "(no file)";
}

// Where each version of containerd asks for an image by these files.
std::vector<std::string> AskedFor(const HostsFiles& made, std::string_view reference, Containerd version) {
  const auto image = ParseImageReference(reference, "test");
  EXPECT_TRUE(image) << reference;
  const std::string text = TextOfOurs(made, HostsFolders(image->registry, true).front());
  Findings findings;
  const auto hosts = ReadHostsToml(text, "hosts.toml", version, findings);
  EXPECT_TRUE(hosts) << text;
  EXPECT_THAT(findings, IsEmpty()) << text;
  const ImageEndpoints endpoints = ContainerdEndpoints(*image, &*hosts, {version, true});
  std::vector<std::string> out;
  for (const Endpoint& one : endpoints.endpoints)
    out.push_back(fmt::format("{}/{}{}{}", one.url, one.repository,
                              !one.pull     ? " layers"
                              : one.resolve ? ""
                                            : " digests",
                              one.skip_verify ? " insecure" : ""));
  if (!endpoints.refusal.empty()) out.emplace_back("refused");
  return out;
}

constexpr std::array<Containerd, 3> kEachVersion = {Containerd::k1_6, Containerd::k1_7, Containerd::k2};

TEST(HostsFiles, MirrorsAreAskedInTheirOrderThenTheRegistry) {
  const HostsFiles made = MakeOurs(
      Cluster({Source("quay.io", {ByDigest("z.example/quay"), ByTag("m.example:5000"), ForAll("a.example/x/y")})}));
  EXPECT_THAT(made.findings, IsEmpty());
  EXPECT_THAT(PlacesOfOurs(made), ElementsAre("quay.io/hosts.toml"));
  for (const Containerd version : kEachVersion) {
    EXPECT_THAT(AskedFor(made, "quay.io/org/app:v1", version),
                ElementsAre("https://z.example/v2/quay/org/app digests", "https://m.example:5000/v2/org/app",
                            "https://a.example/v2/x/y/org/app", "https://quay.io/v2/org/app"));
  }
}

TEST(HostsFiles, AMirrorOfAPartIsAskedBelowItsBase) {
  const HostsFiles made = MakeOurs(
      Cluster({Source("quay.io/org", {ByDigest("m.example/quay/org")}), Source("quay.io", {ByDigest("other.example")}),
               Source("r.example/a", {ByDigest("m.example/b"), ByDigest("m.example/xa")})}));
  for (const Containerd version : kEachVersion) {
    EXPECT_THAT(AskedFor(made, "quay.io/org/app@sha256:" + std::string(64, 'a'), version),
                ElementsAre("https://m.example/v2/quay/org/app digests", "https://other.example/v2/org/app digests",
                            "https://quay.io/v2/org/app"));
  }
  EXPECT_THAT(CodesOf(made.findings), ElementsAre("mirror-widened", "mirror-lost", "mirror-lost", "mirror-widened"));
  EXPECT_EQ(TextOfOurs(made, "r.example"), "(no file)");
}

TEST(HostsFiles, ABlockedRegistryIsNotAsked) {
  const HostsFiles made =
      MakeOurs(Cluster({Source("quay.io", {ForAll("m.example")}, true), Source("blocked.example", {}, true),
                        Source("two.example", {ForAll("m.example"), ByDigest("n.example")}, true)}));
  for (const Containerd version : kEachVersion) {
    EXPECT_THAT(AskedFor(made, "quay.io/app:v1", version),
                ElementsAre("https://m.example/v2/app", "https://m.example/v2/app"))
        << "any host of the list may be asked for layers, so the registry is not in it";
    EXPECT_THAT(AskedFor(made, "two.example/app:v1", version),
                ElementsAre("https://m.example/v2/app", "https://n.example/v2/app digests"));
    EXPECT_THAT(AskedFor(made, "blocked.example/app:v1", version), ElementsAre("refused"));
  }
  EXPECT_THAT(made.findings, IsEmpty());
  EXPECT_THAT(CodesOf(MakeOurs(Cluster({Source("quay.io/org", {}, true)})).findings), ElementsAre("mirror-widened"));
}

TEST(HostsFiles, ABlockedRegistryIsNobodysMirrorEither) {
  Registry moved = Source("other.example", {});
  moved.location = "bad.example/x";
  const HostsFiles made = MakeOurs(Cluster(
      {Source("bad.example", {}, true), Source("quay.io", {ForAll("bad.example"), ForAll("m.example")}), moved}));
  for (const Containerd version : kEachVersion) {
    EXPECT_THAT(AskedFor(made, "quay.io/app:v1", version),
                ElementsAre("https://m.example/v2/app", "https://quay.io/v2/app"));
    EXPECT_THAT(AskedFor(made, "other.example/app:v1", version), ElementsAre("refused"));
  }
}

// A table that is there twice makes a file that containerd refuses.
TEST(HostsFiles, ARegistryMayBeItsOwnMirror) {
  Registry registry = Source("quay.io", {{"quay.io", true, MirrorUse::kDigestOnly}, ForAll("m.example")});
  registry.insecure = true;
  const HostsFiles made = MakeOurs(Cluster({registry}));
  for (const Containerd version : kEachVersion) {
    EXPECT_THAT(AskedFor(made, "quay.io/app:v1", version),
                ElementsAre("https://quay.io/v2/app insecure", "http://quay.io/v2/app digests",
                            "https://m.example/v2/app", "http://quay.io/v2/app"));
  }
}

TEST(HostsFiles, AnInsecureHostIsTriedWithTlsThenWithout) {
  Registry registry = Source("r.example:5000", {{"m.example", true, MirrorUse::kAll}});
  registry.insecure = true;
  const HostsFiles made = MakeOurs(Cluster({registry}));
  EXPECT_THAT(PlacesOfOurs(made), ElementsAre("r.example_5000_/hosts.toml"));
  for (const Containerd version : kEachVersion) {
    EXPECT_THAT(AskedFor(made, "r.example:5000/app:v1", version),
                ElementsAre("https://m.example/v2/app insecure", "http://m.example/v2/app",
                            "https://r.example:5000/v2/app insecure", "http://r.example:5000/v2/app"));
  }
}

TEST(HostsFiles, AnotherLocationIsAskedInThePlaceOfTheRegistry) {
  Registry registry = Source("quay.io", {});
  registry.location = "cache.example/quay";
  const HostsFiles made = MakeOurs(Cluster({registry}));
  EXPECT_THAT(AskedFor(made, "quay.io/app:v1", Containerd::k2),
              ElementsAre("https://cache.example/v2/quay/app", "https://cache.example/v2/quay/app"));
  registry.location = "quay.io";
  EXPECT_THAT(MakeOurs(Cluster({registry})).files, IsEmpty());
}

TEST(HostsFiles, CasLieBesideTheFileThatNamesThem) {
  const auto certificates = testing_support::SampleCertificates();
  Mirrors mirrors = Cluster({Source("quay.io", {ForAll("m.example:5000")})});
  mirrors.cas = {{"m.example:5000", {certificates.at(0).der}}, {"quay.io", {certificates.at(1).der}}};
  const HostsFiles made = MakeOurs(mirrors, {.all = {certificates.at(1).der}, .in_root = {}});
  EXPECT_THAT(CodesOf(made.findings), ElementsAre("registries-ca", "registries-ca"));
  EXPECT_THAT(PlacesOfOurs(made), ElementsAre("m.example_5000_/ca.crt", "quay.io/m.example_5000_.pem", "quay.io/ca.crt",
                                              "quay.io/hosts.toml"));
  EXPECT_EQ(TextOfOurs(made, "quay.io"), R"(ca = ["ca.crt"]

[host."https://m.example:5000"]
  capabilities = ["pull", "resolve"]
  ca = ["m.example_5000_.pem"]
)");
  Findings findings;
  const auto both = Must(pki::ParseTrustBundle(made.files.at(1).bytes, "pem", findings));
  ASSERT_EQ(both.size(), 2U) << "the registry's CA, then what the node trusts";
  EXPECT_EQ(both.at(0).der, certificates.at(0).der);
  const auto one = Must(pki::ParseTrustBundle(made.files.at(2).bytes, "pem", findings));
  EXPECT_EQ(one.size(), 1U) << "a certificate is there once";
}

// containerd on Windows trusts nothing else where a file names a CA, so none is named without need.
TEST(HostsFiles, CasThatTheNodeTrustsAnywayAreNotNamed) {
  const auto certificates = testing_support::SampleCertificates();
  const std::string first = certificates.at(0).der;
  const std::string second = certificates.at(1).der;
  Mirrors mirrors = Cluster({Source("quay.io", {ForAll("m.example:5000")})});
  mirrors.cas = {{"m.example:5000", {first, second}}, {"quay.io", {second}}};
  const HostsFiles made = MakeOurs(mirrors, {.all = {first, second}, .in_root = {second, first}});
  EXPECT_THAT(PlacesOfOurs(made), ElementsAre("quay.io/hosts.toml"));
  EXPECT_THAT(TextOfOurs(made, "quay.io"), testing::Not(HasSubstr("ca = ")));
  EXPECT_THAT(made.findings, IsEmpty());

  const HostsFiles half = MakeOurs(mirrors, {.all = {first, second}, .in_root = {second}});
  EXPECT_THAT(PlacesOfOurs(half),
              ElementsAre("m.example_5000_/ca.crt", "quay.io/m.example_5000_.pem", "quay.io/hosts.toml"))
      << "each CA has to be in ROOT";
  ASSERT_THAT(CodesOf(half.findings), ElementsAre("registries-ca")) << "once a host";
  EXPECT_EQ(half.findings.front().where, "m.example:5000");
  EXPECT_THAT(half.findings.front().message, HasSubstr("Take certs into the scope"));
  const HostsFiles none = MakeOurs(mirrors, {.all = {second}, .in_root = {second}});
  ASSERT_THAT(CodesOf(none.findings), ElementsAre("registries-ca"));
  EXPECT_THAT(none.findings.front().message, HasSubstr("Add the CA to the cluster's trusted CAs"));
}

TEST(HostsFiles, CasOfTwoHostsAreNotMixed) {
  const auto certificates = testing_support::SampleCertificates();
  Mirrors mirrors = Cluster({Source("quay.io", {ForAll("m.example:5000"), ForAll("m.example_5000_")})});
  mirrors.cas = {{"m.example_5000_", {certificates.at(0).der}}, {"m.example:5000", {certificates.at(1).der}}};
  const HostsFiles made = MakeOurs(mirrors);
  const auto in_quay = std::ranges::find(made.files, "quay.io", &RegistryFile::folder);
  ASSERT_NE(in_quay, made.files.end());
  Findings findings;
  const auto read = Must(pki::ParseTrustBundle(in_quay->bytes, "pem", findings));
  EXPECT_EQ(read.front().der, certificates.at(1).der);
  const std::string text = TextOfOurs(made, "quay.io");
  EXPECT_EQ(text.find("ca = "), text.rfind("ca = ")) << text;
  EXPECT_THAT(made.findings, testing_support::HasCode("mirror-lost"));
}

Registry Insecure(Registry registry) {
  registry.insecure = true;
  return registry;
}

// A registry has one file, so what only some of its images may do, none of them does.
TEST(HostsFiles, AHostIsInsecureOnlyWhereEachImageMayBe) {
  const Mirror insecure = {"m.example", true, MirrorUse::kAll};
  struct Case {
    std::string why;
    std::vector<Registry> registries;
    std::vector<std::string> prefixes;  // of findings
  };
  const Case kCases[] = {
      {"another part has the mirror verified",
       {Source("quay.io/org", {{"m.example/org", true, MirrorUse::kAll}}), Source("quay.io", {ForAll("m.example")})},
       {"quay.io/org"}},
      {"the mirror is for a part",
       {Source("quay.io/org", {{"m.example/org", true, MirrorUse::kAll}})},
       {"quay.io/org"}},
      {"a part has no such mirror",
       {Source("quay.io", {insecure}), Source("quay.io/org", {ForAll("n.example/org")})},
       {"quay.io"}},
      {"a part says nothing", {Source("quay.io", {insecure}), Source("quay.io/org", {})}, {"quay.io"}},
      {"an image says nothing", {Source("quay.io", {insecure}), Source("quay.io/a:v1", {})}, {"quay.io"}},
      {"the mirror is there twice", {Source("quay.io", {insecure, ByDigest("m.example")})}, {"quay.io"}},
      {"the registry's images are not blocked for a part",
       {Source("quay.io", {insecure}), Source("quay.io/org", {}, true)},
       {"quay.io"}},
      {"a part is verified at the registry", {Insecure(Source("quay.io", {})), Source("quay.io/org", {})}, {"quay.io"}},
      {"a part may be insecure", {Insecure(Source("quay.io/org", {}))}, {"quay.io/org"}},
      {"only a part may be insecure",
       {Insecure(Source("quay.io/org", {})), Source("quay.io", {ForAll("m.example")})},
       {"quay.io/org"}},
  };
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.why);
    const HostsFiles made = MakeOurs(Cluster(one.registries));
    for (const RegistryFile& file : made.files) {
      EXPECT_THAT(file.bytes, testing::Not(HasSubstr("skip_verify")));
      EXPECT_THAT(file.bytes, testing::Not(HasSubstr("http://")));
    }
    std::vector<std::string> prefixes;
    for (const Finding& finding : made.findings) {
      if (finding.code == "mirror-lost") prefixes.push_back(finding.where);
    }
    prefixes.erase(std::ranges::remove(prefixes, "quay.io/a:v1").begin(), prefixes.end());
    EXPECT_EQ(prefixes, one.prefixes);
  }
}

TEST(HostsFiles, AHostThatEachSettingHasInsecureStaysSo) {
  const HostsFiles made = MakeOurs(
      Cluster({Insecure(Source("quay.io", {{"m.example", true, MirrorUse::kAll}})),
               Insecure(Source("quay.io/a", {{"m.example/a", true, MirrorUse::kAll}, ForAll("n.example/a")}))}));
  for (const Containerd version : kEachVersion) {
    EXPECT_THAT(
        AskedFor(made, "quay.io/a/app:v1", version),
        ElementsAre("https://m.example/v2/a/app insecure", "http://m.example/v2/a/app", "https://n.example/v2/a/app",
                    "https://quay.io/v2/a/app insecure", "http://quay.io/v2/a/app"));
  }
  EXPECT_THAT(CodesOf(made.findings), ElementsAre("mirror-widened"));
}

Mirrors RandomCluster(differential::Random& random) {
  constexpr std::array<std::string_view, 3> kPaths = {"", "/a", "/a/b"};
  constexpr std::array<std::string_view, 4> kHosts = {"m.example", "m.example/x", "n.example:5000", "quay.io"};
  Mirrors out = Cluster({});
  for (const std::string_view path : kPaths) {
    if (random.OneIn(3)) continue;
    Registry one = Source(fmt::format("quay.io{}", path), {}, random.OneIn(6));
    one.insecure = !random.OneIn(3);
    if (random.OneIn(4)) one.location = fmt::format("{}{}", random.Pick(kHosts), path);
    for (std::size_t left = random.Below(4); left > 0; --left)
      one.mirrors.push_back({fmt::format("{}{}", random.Pick(kHosts), random.OneIn(5) ? "/c" : path), !random.OneIn(4),
                             static_cast<MirrorUse>(random.Below(3))});
    out.registries.push_back(std::move(one));
  }
  return out;
}

// The places, without their scheme, that are asked for an image without a check of who answers.
std::set<std::string> UncheckedIn(const ImageEndpoints& image) {
  std::set<std::string> out;
  for (const Endpoint& one : image.endpoints) {
    const bool plain = one.url.starts_with("http://");
    if (plain || one.skip_verify)
      out.insert(fmt::format("{}/{}", one.url.substr(one.url.find("://") + 3), one.repository));
  }
  return out;
}

// The reading of Linux nodes is what was declared.
TEST(HostsFiles, NoImageIsAskedForUncheckedWhereLinuxNodesCheck) {
  differential::Random random(differential::Seed("HostsFilesUnchecked"));
  std::size_t unchecked = 0;
  for (std::uint32_t i = testing_support::Amount(3000); i > 0; --i) {
    const Mirrors mirrors = RandomCluster(random);
    const HostsFiles made = MakeOurs(mirrors);
    const std::string text = TextOfOurs(made, "quay.io");
    Findings findings;
    const auto hosts = ReadHostsToml(text.starts_with('(') ? "" : text, "", Containerd::k2, findings);
    ASSERT_TRUE(hosts) << text << hosts.error().message;
    for (const std::string name : {"quay.io/app", "quay.io/a/app", "quay.io/a/b/app"}) {
      std::set<std::string> declared;
      std::set<std::string> asked;
      for (const std::string& suffix : {std::string(":v1"), "@sha256:" + std::string(64, 'a')}) {
        const ImageReference image = ParseImageReference(name + suffix, "test").value();
        declared.merge(UncheckedIn(LinuxEndpoints(image, mirrors)));
        asked.merge(UncheckedIn(ContainerdEndpoints(image, &*hosts, {Containerd::k2, true})));
      }
      unchecked += asked.size();
      for (const std::string& place : asked) ASSERT_TRUE(declared.contains(place)) << name << " at " << place << text;
    }
  }
  EXPECT_GT(unchecked, 0U);
}

TEST(HostsFiles, TwoRegistriesInOneFolderAreNotMixed) {
  const HostsFiles made = MakeOurs(Cluster({Source("r.example_5000_", {ForAll("a.example")}),
                                            Source("r.example:5000", {{"b.example", true, MirrorUse::kAll}}, true)}));
  EXPECT_THAT(TextOfOurs(made, "r.example_5000_"), HasSubstr("a.example"));
  EXPECT_THAT(TextOfOurs(made, "r.example_5000_"), testing::Not(HasSubstr("b.example")));
  ASSERT_THAT(CodesOf(made.findings), ElementsAre("mirror-lost"));
  EXPECT_EQ(made.findings.front().where, "r.example:5000");
  EXPECT_THAT(made.findings.front().message, HasSubstr("the same folder as r.example_5000_"));

  const HostsFiles cased = MakeOurs(
      Cluster({Source("Quay.io", {{"a.example", true, MirrorUse::kAll}}), Source("quay.io", {ForAll("b.example")})}));
  EXPECT_THAT(PlacesOfOurs(cased), ElementsAre("Quay.io/hosts.toml")) << "one folder on Windows";
  EXPECT_THAT(AskedFor(cased, "Quay.io/app:v1", Containerd::k2),
              ElementsAre("https://a.example/v2/app", "https://Quay.io/v2/app"))
      << "containerd reads the file for the other registry, too";
  EXPECT_THAT(CodesOf(cased.findings), ElementsAre("mirror-lost", "mirror-lost"));
}

TEST(HostsFiles, TheFolderForAllRegistriesIsNotMade) {
  for (const std::string name : {"_default", "_DEFAULT"}) {
    const HostsFiles made = MakeOurs(Cluster({Source(name, {ForAll("m.example")})}));
    EXPECT_THAT(made.files, IsEmpty()) << name;
    ASSERT_THAT(CodesOf(made.findings), ElementsAre("mirror-lost")) << name;
    EXPECT_THAT(made.findings.front().message, HasSubstr("for all others")) << name;
  }
}

TEST(HostsFiles, WhatHasNoFolderIsReported) {
  for (const std::string name :
       {"[::1]:5000", "con", "nul.example", "a..", "..", "*.example.com", "a b", "quay.io/x:v1"}) {
    const HostsFiles made = MakeOurs(Cluster({Source(name, {ForAll("m.example")})}));
    EXPECT_THAT(made.files, IsEmpty()) << name;
    EXPECT_THAT(CodesOf(made.findings), ElementsAre("mirror-lost")) << name;
  }
}

// Each version of containerd refuses a file with one of these, and with it the other mirrors.
TEST(HostsFiles, WhatNoUrlHasIsLeftOut) {
  for (const std::string host : {"m.example:50;0/x", "m.example:port", "[::1]:5000", "m example"}) {
    const HostsFiles made = MakeOurs(
        Cluster({Source("quay.io", {ForAll(host), ForAll("good.example")}), Source("b.example:port", {}, true)}));
    EXPECT_THAT(CodesOf(made.findings), ElementsAre("mirror-lost", "mirror-lost")) << host;
    for (const Containerd version : kEachVersion) {
      EXPECT_THAT(AskedFor(made, "quay.io/app:v1", version),
                  ElementsAre("https://good.example/v2/app", "https://quay.io/v2/app"))
          << host;
    }
  }
  Registry registry = Source("quay.io", {});
  registry.location = "other.example:port";
  const HostsFiles made = MakeOurs(Cluster({registry}));
  EXPECT_THAT(made.files, IsEmpty());
  EXPECT_THAT(CodesOf(made.findings), ElementsAre("mirror-lost"));
}

TEST(HostsFiles, TheHubIsAskedWhereItsImagesAre) {
  const HostsFiles made = MakeOurs(Cluster({Source("docker.io", {ForAll("m.example/hub")})}));
  EXPECT_THAT(AskedFor(made, "nginx", Containerd::k2),
              ElementsAre("https://m.example/v2/hub/library/nginx", "https://registry-1.docker.io/v2/library/nginx"));
}

}  // namespace
}  // namespace prov::registries
