#include "provisioner/registries/endpoints.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/registries/sources.h"

namespace prov::registries {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kImageDigest = "sha256:" + std::string(64, 'a');

ImageReference Image(std::string_view text) {
  auto read = ParseImageReference(text, "--image");
  EXPECT_TRUE(read) << text;
  return read ? *std::move(read) : ImageReference();
}
HostsToml HostsFile(std::string_view text, Containerd version = Containerd::k2) {
  Findings findings;
  auto read = ReadHostsToml(text, "hosts.toml", version, findings);
  EXPECT_TRUE(read) << text;
  return read ? *std::move(read) : HostsToml();
}
// One line an endpoint: the URL of the manifest and its marks.
std::vector<std::string> EndpointLines(const ImageEndpoints& list) {
  std::vector<std::string> out;
  for (const Endpoint& one : list.endpoints) {
    std::string line = one.UrlOf("manifests/" + list.image.Object());
    if (one.mirror) line += " mirror";
    if (!one.resolve) line += " pull-only";
    if (one.skip_verify) line += " skip-verify";
    if (one.tls_first) line += " tls-first";
    out.push_back(std::move(line));
  }
  return out;
}
std::vector<std::string> Containerds(std::string_view image, std::string_view file, const ContainerdRules& rules = {}) {
  const HostsToml hosts = HostsFile(file, rules.version);
  return EndpointLines(ContainerdEndpoints(Image(image), &hosts, rules));
}
std::vector<std::string> WithoutFile(std::string_view image, Containerd version = Containerd::k2) {
  return EndpointLines(ContainerdEndpoints(Image(image), nullptr, {.version = version}));
}

TEST(ContainerdEndpoints, WithoutAFileTheRegistryIsAsked) {
  EXPECT_THAT(WithoutFile("quay.io/org/app:v1"), ElementsAre("https://quay.io/v2/org/app/manifests/v1"));
  EXPECT_THAT(WithoutFile("nginx"), ElementsAre("https://registry-1.docker.io/v2/library/nginx/manifests/latest"));
  EXPECT_THAT(WithoutFile("host:5000/app@" + kImageDigest),
              ElementsAre("https://host:5000/v2/app/manifests/" + kImageDigest));
}

TEST(ContainerdEndpoints, ALocalRegistryIsAskedByTheRulesOfItsVersion) {
  EXPECT_THAT(WithoutFile("localhost:5000/app", Containerd::k1_6),
              ElementsAre("http://localhost:5000/v2/app/manifests/latest skip-verify"));
  EXPECT_THAT(WithoutFile("localhost:5000/app"),
              ElementsAre("http://localhost:5000/v2/app/manifests/latest skip-verify tls-first"));
  EXPECT_THAT(WithoutFile("localhost/app", Containerd::k1_6),
              ElementsAre("http://localhost/v2/app/manifests/latest skip-verify"));
  EXPECT_THAT(WithoutFile("localhost/app"), ElementsAre("https://localhost/v2/app/manifests/latest skip-verify"));
  EXPECT_THAT(WithoutFile("127.0.0.1:443/app"),
              ElementsAre("https://127.0.0.1:443/v2/app/manifests/latest skip-verify"));
  EXPECT_THAT(WithoutFile("[::1]:80/app"), ElementsAre("http://[::1]:80/v2/app/manifests/latest"));
}

TEST(ContainerdEndpoints, MirrorsComeFirstAndAreToldWhichRegistryIsMeant) {
  constexpr std::string_view kFile = R"(
[host."https://m.example:5000"]
  capabilities = ["pull"]
[host."https://n.example/v2/quay"]
  override_path = true
)";
  EXPECT_THAT(Containerds("quay.io/org/app:v1", kFile),
              ElementsAre("https://m.example:5000/v2/org/app/manifests/v1?ns=quay.io mirror pull-only",
                          "https://n.example/v2/quay/org/app/manifests/v1?ns=quay.io mirror",
                          "https://quay.io/v2/org/app/manifests/v1"));
  EXPECT_THAT(Containerds("host:5000/app", kFile)[0], HasSubstr("?ns=host%3A5000"));
}

TEST(ContainerdEndpoints, TheServerReplacesTheRegistry) {
  EXPECT_THAT(Containerds("nginx", "server = \"https://registry-1.docker.io\"\n[host.\"https://m.example\"]\n"),
              ElementsAre("https://m.example/v2/library/nginx/manifests/latest?ns=docker.io mirror",
                          "https://registry-1.docker.io/v2/library/nginx/manifests/latest"));
  EXPECT_THAT(Containerds("quay.io/app", "server = \"m.example\"\n"),
              ElementsAre("https://m.example/v2/app/manifests/latest?ns=quay.io mirror"));
}

TEST(ContainerdEndpoints, MembersWithoutAServerCountForTheRegistryButForItsCapabilities) {
  EXPECT_THAT(Containerds("quay.io/app", "skip_verify = true\ncapabilities = [\"push\"]\n"),
              ElementsAre("https://quay.io/v2/app/manifests/latest skip-verify"));
}

TEST(ContainerdEndpoints, PlainHttpWithTlsMembersIsTriedWithTlsFirstSince17) {
  constexpr std::string_view kFile = "[host.\"http://m.example:5000\"]\nskip_verify = true\n";
  EXPECT_THAT(Containerds("quay.io/app", kFile)[0], HasSubstr("tls-first"));
  EXPECT_THAT(Containerds("quay.io/app", kFile, {.version = Containerd::k1_6})[0],
              testing::Not(HasSubstr("tls-first")));
  EXPECT_THAT(Containerds("quay.io/app", "[host.\"http://m.example:80\"]\nskip_verify = true\n")[0],
              testing::Not(HasSubstr("tls-first")));
}

TEST(ContainerdEndpoints, WithoutCapabilitiesNobodyIsAsked) {
  const HostsToml pull_only = HostsFile(
      "server = \"https://m.example\"\ncapabilities = [\"pull\"]\n[host.\"https://n.example\"]\ncapabilities = "
      "[\"pull\"]\n");
  EXPECT_THAT(ContainerdEndpoints(Image("quay.io/app"), &pull_only, {}).refusal, HasSubstr("resolve"));
  EXPECT_THAT(ContainerdEndpoints(Image("quay.io/app@" + kImageDigest), &pull_only, {}).endpoints, testing::SizeIs(2));
  const HostsToml none = HostsFile("server = \"https://m.example\"\ncapabilities = [\"push\"]\n");
  EXPECT_THAT(ContainerdEndpoints(Image("quay.io/app@" + kImageDigest), &none, {}).refusal, HasSubstr("pull"));
}

TEST(ContainerdEndpoints, CertificatesOfTheFileReplaceTheMachinesOnWindows) {
  const HostsToml file = HostsFile("[host.\"https://m.example\"]\nca = \"m.crt\"\nclient = \"me.pem\"\n");
  const ImageEndpoints windows = ContainerdEndpoints(Image("quay.io/app"), &file, {});
  EXPECT_THAT(windows.endpoints[0].ca_files, ElementsAre("m.crt"));
  EXPECT_TRUE(windows.endpoints[0].only_these_roots && !windows.endpoints[0].client_certificate_file.empty());
  EXPECT_FALSE(windows.endpoints[1].only_these_roots);
  EXPECT_FALSE(ContainerdEndpoints(Image("quay.io/app"), &file, {.windows = false}).endpoints[0].only_these_roots);
}

std::vector<std::string> OnLinux(std::string_view image, const Mirrors& mirrors) {
  return EndpointLines(LinuxEndpoints(Image(image), mirrors));
}

TEST(LinuxEndpoints, TheLongestPrefixCounts) {
  const Mirrors mirrors =
      Cluster({Source("quay.io", {ForAll("a.example")}), Source("quay.io/org", {ForAll("b.example/o")}),
               Source("*.example.com", {ForAll("c.example/x")})});
  EXPECT_THAT(OnLinux("quay.io/org/app:v1", mirrors),
              ElementsAre("https://b.example/v2/o/app/manifests/v1 mirror", "https://quay.io/v2/org/app/manifests/v1"));
  EXPECT_THAT(
      OnLinux("quay.io/organ/app:v1", mirrors),
      ElementsAre("https://a.example/v2/organ/app/manifests/v1 mirror", "https://quay.io/v2/organ/app/manifests/v1"));
  EXPECT_THAT(OnLinux("a.b.example.com/app", mirrors), ElementsAre("https://c.example/v2/x/app/manifests/latest mirror",
                                                                   "https://a.b.example.com/v2/app/manifests/latest"));
  EXPECT_THAT(OnLinux("example.com/app", mirrors), ElementsAre("https://example.com/v2/app/manifests/latest"));
  EXPECT_THAT(OnLinux("nginx", mirrors), ElementsAre("https://registry-1.docker.io/v2/library/nginx/manifests/latest"));
}

TEST(LinuxEndpoints, MirrorsAreForDigestsOrTags) {
  const Mirrors mirrors = Cluster({Source("quay.io", {ByDigest("d.example"), ByTag("t.example")})});
  EXPECT_THAT(OnLinux("quay.io/app", mirrors)[0], HasSubstr("t.example"));
  EXPECT_THAT(OnLinux("quay.io/app@" + kImageDigest, mirrors)[0], HasSubstr("d.example"));
  EXPECT_EQ(OnLinux("quay.io/app:v1@" + kImageDigest, mirrors).size(), 2U);
}

TEST(LinuxEndpoints, ABlockedRegistryIsLeftOutWhereverItIsAsked) {
  Mirrors mirrors = Cluster({Source("quay.io", {ForAll("m.example")}, true)});
  EXPECT_THAT(OnLinux("quay.io/app", mirrors), ElementsAre("https://m.example/v2/app/manifests/latest mirror"));
  mirrors.registries.push_back(Source("m.example", {}, true));
  const ImageEndpoints none = LinuxEndpoints(Image("quay.io/app"), mirrors);
  EXPECT_THAT(none.endpoints, IsEmpty());
  EXPECT_THAT(none.refusal, HasSubstr("quay.io is blocked"));
}

TEST(LinuxEndpoints, AnInsecureOneIsTriedWithTlsThenWithout) {
  Mirrors mirrors = Cluster({Source("quay.io", {{"m.example:5000", true, MirrorUse::kAll}})});
  mirrors.cas = {{"m.example:5000", {"DER"}}, {"other", {"more"}}};
  const ImageEndpoints list = LinuxEndpoints(Image("quay.io/app"), mirrors);
  EXPECT_THAT(EndpointLines(list),
              ElementsAre("http://m.example:5000/v2/app/manifests/latest mirror skip-verify tls-first",
                          "https://quay.io/v2/app/manifests/latest"));
  EXPECT_THAT(list.endpoints[0].roots, ElementsAre("DER"));
  EXPECT_THAT(list.endpoints[1].roots, IsEmpty());
}

TEST(LinuxEndpoints, TheLocationReplacesThePrefix) {
  Registry registry = Source("old.example/org", {});
  registry.location = "new.example:5000/team";
  EXPECT_THAT(OnLinux("old.example/org/app:v1", Cluster({registry})),
              ElementsAre("https://new.example:5000/v2/team/app/manifests/v1"));
  registry.location = "new.example/Team";
  EXPECT_THAT(LinuxEndpoints(Image("old.example/org/app:v1"), Cluster({registry})).refusal, HasSubstr("Team"));
}

TEST(WindowsEndpoints, AreThoseOfTheOperatorsFiles) {
  Mirrors mirrors = Cluster({Source("quay.io/org", {ByDigest("m.example/org")})});
  mirrors.cas = {{"m.example", {"DER"}}};
  const OperatorHosts hosts = MakeOperatorHosts(mirrors);
  const auto list = [&](std::string_view image) { return OpenShiftWindowsEndpoints(Image(image), mirrors, hosts); };
  const ImageEndpoints same = list("quay.io/org/app@" + kImageDigest);
  EXPECT_THAT(EndpointLines(same),
              ElementsAre("https://m.example/v2/org/app/manifests/" + kImageDigest + "?ns=quay.io mirror pull-only",
                          "https://quay.io/v2/org/app/manifests/" + kImageDigest));
  EXPECT_EQ(same.note, "");
  EXPECT_THAT(same.endpoints[1].roots, ElementsAre("DER")) << "the operator's trust is the machine's";
  const ImageEndpoints widened = list("quay.io/other/app@" + kImageDigest);
  EXPECT_EQ(widened.endpoints.size(), 2U);
  EXPECT_EQ(widened.note, "Linux nodes ask quay.io/other/app");
  EXPECT_EQ(list("quay.io/org/app:v1").note, "");
}

TEST(WindowsEndpoints, AMirrorBehindAFolderThatCannotBeIsNotAsked) {
  const Mirrors mirrors = Cluster({Source("host:5000", {ForAll("m.example")}, true)});
  const ImageEndpoints list = OpenShiftWindowsEndpoints(Image("host:5000/app"), mirrors, MakeOperatorHosts(mirrors));
  EXPECT_THAT(EndpointLines(list), ElementsAre("https://host:5000/v2/app/manifests/latest"));
  EXPECT_EQ(list.note, "Linux nodes ask m.example/app");
}

TEST(WindowsEndpoints, ABlockedRegistryIsStillAsked) {
  const Mirrors mirrors = Cluster({Source("quay.io", {}, true)});
  const ImageEndpoints list = OpenShiftWindowsEndpoints(Image("quay.io/app"), mirrors, MakeOperatorHosts(mirrors));
  EXPECT_EQ(list.endpoints.size(), 1U);
  EXPECT_THAT(list.note, HasSubstr("Linux nodes do not pull it: quay.io is blocked"));
}

TEST(ContainerdEndpoints, AHostThatMayNotPullIsAskedForWhatADigestNames) {
  const HostsToml hosts = HostsFile("[host.\"https://m.example\"]\ncapabilities = [\"push\"]\n");
  const ImageEndpoints list = ContainerdEndpoints(Image("quay.io/app:v1"), &hosts, {});
  ASSERT_EQ(list.endpoints.size(), 2U);
  EXPECT_FALSE(list.endpoints[0].pull);
  EXPECT_TRUE(list.endpoints[1].pull);
  EXPECT_EQ(list.unused, "");
}

TEST(ImageEndpoints, SayWhichMirrorsAreNotAskedAndWhy) {
  const HostsToml hosts = HostsFile("[host.\"https://m.example\"]\ncapabilities = [\"pull\"]\n");
  EXPECT_THAT(ContainerdEndpoints(Image("quay.io/app:v1"), &hosts, {}).unused,
              HasSubstr("m.example is for digests only"));
  EXPECT_EQ(ContainerdEndpoints(Image("quay.io/app@" + kImageDigest), &hosts, {}).unused, "");
  Mirrors mirrors;
  mirrors.registries = {
      {.prefix = "quay.io",
       .location = {},
       .blocked = false,
       .insecure = false,
       .mirrors = {{"a.example", false, MirrorUse::kDigestOnly}, {"b.example/x", false, MirrorUse::kTagOnly}}}};
  const ImageEndpoints tag = LinuxEndpoints(Image("quay.io/app:v1"), mirrors);
  EXPECT_THAT(tag.unused, HasSubstr("a.example is for digests only"));
  const ImageEndpoints digest = LinuxEndpoints(Image("quay.io/app@" + kImageDigest), mirrors);
  EXPECT_THAT(digest.unused, HasSubstr("b.example/x is for tags only"));
  // CRI-O looks up the login of a mirror by the mirror's name.
  EXPECT_EQ(tag.endpoints[0].login_name->Repository(), "b.example/x/app");
}

}  // namespace
}  // namespace prov::registries
