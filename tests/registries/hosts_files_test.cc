#include "provisioner/registries/hosts_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "provisioner/pki/trust_bundle.h"
#include "provisioner/registries/endpoints.h"
#include "tests/registries/sources.h"
#include "tests/support/finding_codes.h"
#include "tests/support/sample.h"

namespace prov::registries {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::CodesOf;

HostsFiles MakeOurs(Mirrors mirrors, const std::vector<std::string>& trusted = {}) {
  return MakeHostsFiles(mirrors, trusted);
}

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
  const HostsFiles made = MakeOurs(mirrors, {certificates.at(1).der});
  EXPECT_THAT(PlacesOfOurs(made), ElementsAre("m.example_5000_/ca.crt", "quay.io/m.example_5000_.pem", "quay.io/ca.crt",
                                              "quay.io/hosts.toml"));
  EXPECT_EQ(TextOfOurs(made, "quay.io"), R"(ca = ["ca.crt"]

[host."https://m.example:5000"]
  capabilities = ["pull", "resolve"]
  ca = ["m.example_5000_.pem"]
)");
  Findings findings;
  const auto both = pki::ParseTrustBundle(made.files.at(1).bytes, "pem", findings);
  ASSERT_TRUE(both) << both.error().message;
  ASSERT_EQ(both->size(), 2U) << "the registry's CA, then what the node trusts";
  EXPECT_EQ(both->at(0).der, certificates.at(0).der);
  const auto one = pki::ParseTrustBundle(made.files.at(2).bytes, "pem", findings);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->size(), 1U) << "a certificate is there once";
}

TEST(HostsFiles, WhatHasNoFolderIsReported) {
  for (const std::string name :
       {"[::1]:5000", "con", "nul.example", "a..", "..", "*.example.com", "a b", "quay.io/x:v1"}) {
    const HostsFiles made = MakeOurs(Cluster({Source(name, {ForAll("m.example")})}));
    EXPECT_THAT(made.files, IsEmpty()) << name;
    EXPECT_THAT(CodesOf(made.findings), ElementsAre("mirror-lost")) << name;
  }
  const HostsFiles made =
      MakeOurs(Cluster({Source("Quay.io", {ForAll("a.example")}), Source("quay.io", {ForAll("b.example")})}));
  EXPECT_THAT(PlacesOfOurs(made), ElementsAre("Quay.io/hosts.toml")) << "one folder on Windows";
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
