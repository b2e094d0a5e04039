// Each part of a document that speaks of proxies, trust or registries is applied, or reported, or of no concern.
#include "provisioner/source/source_members.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "tests/source/document_helpers.h"
#include "tests/support/paths.h"
#include "tests/support/sample.h"

namespace prov::source {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kUrl = "http://p.example.com:3128";

std::string Quoted(std::string_view text) { return fmt::format("\"{}\"", text); }
std::string PackedPem() { return Quoted(EncodeBase64(Pem("proxy-root"))); }

// A document of each kind without a proxy and without certificates, and without the member that a test adds.
std::string Bare(std::string_view document, std::string_view with) {
  if (document == "AKS") return with == "httpProxyConfig" ? "{}" : R"({"httpProxyConfig":null})";
  if (document == "ControllerConfig") {
    std::string spec;
    for (const std::string_view name : {"proxy", "additionalTrustBundle"})
      if (with != fmt::format("spec.{}", name)) spec += fmt::format("{}\"{}\":null", spec.empty() ? "" : ",", name);
    return fmt::format(R"({{"kind":"ControllerConfig","spec":{{{}}}}})", spec);
  }
  if (document == "Proxy") return R"({"kind":"Proxy","spec":{}})";
  if (document == "InstallConfig") return R"({"baseDomain":"example.com","metadata":{"name":"c"}})";
  if (document == "HostedCluster") return R"({"kind":"HostedCluster","spec":{"configuration":{"proxy":{}}}})";
  if (document == "RancherCluster") {
    const std::string_view list = with == "spec.agentEnvVars" ? "" : R"("agentEnvVars":[{"name":"HTTP_PROXY"}])";
    return fmt::format(R"({{"kind":"Cluster","apiVersion":"provisioning.cattle.io/v1","spec":{{{}}}}})", list);
  }
  if (document == "ClusterTrustBundle") return R"({"kind":"ClusterTrustBundle","spec":{}})";
  if (document == "ConfigMap") return R"({"kind":"ConfigMap","metadata":{"name":"m"}})";
  throw std::runtime_error("no document of " + std::string(document));
}

// Adds the member at a path such as "spec.proxy" to a JSON object.
std::string With(std::string_view object, std::string_view path, const std::string& value) {
  auto document = ParseJson(std::string(object), {}).value();
  rapidjson::Value* at = &document->dom;
  auto& allocator = document->dom.GetAllocator();
  std::string_view rest = path;
  while (true) {
    const std::size_t dot = path.ends_with(".crt") && rest.starts_with("ca-") ? std::string_view::npos : rest.find('.');
    rapidjson::Value name(std::string(rest.substr(0, dot)).c_str(), allocator);
    const auto found = at->FindMember(name);
    if (found == at->MemberEnd()) {
      at->AddMember(name, rapidjson::Value(rapidjson::kObjectType), allocator);
      at = &(at->MemberEnd() - 1)->value;
    } else {
      at = &found->value;
    }
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  const auto parsed = ParseJson(value, {}).value();  // owns the texts
  at->CopyFrom(parsed->root(), allocator);
  return WriteJson(document->root(), 0);
}

constexpr const char* kMirrorList = R"([{"source":"quay.io/org","mirrors":["m.example.com/org"]}])";

// What an applied member may hold.
std::string SampleOf(const SourceMember& row) {
  const std::map<std::string_view, std::string> values = {
      {"spec.proxy", fmt::format(R"({{"httpProxy":"{}"}})", kUrl)},
      {"spec.configuration.proxy", fmt::format(R"({{"httpProxy":"{}"}})", kUrl)},
      {"spec.agentEnvVars", fmt::format(R"([{{"name":"HTTP_PROXY","value":"{}"}}])", kUrl)},
      {"spec.trustBundle", Quoted(Escaped(Pem("proxy-root")))},
      {"spec.imageContentSources", kMirrorList},
      {"proxy", fmt::format(R"({{"httpProxy":"{}"}})", kUrl)},
      {"status", fmt::format(R"({{"httpProxy":"{}"}})", kUrl)},
      {"httpProxyConfig", fmt::format(R"({{"httpProxy":"{}"}})", kUrl)},
      {"spec.httpProxy", Quoted(kUrl)},
      {"spec.httpsProxy", Quoted(kUrl)},
      {"spec.noProxy", Quoted("a.example.com")},
      {"spec.additionalTrustBundle", PackedPem()},
      {"additionalTrustBundle", Quoted(Escaped(Pem("proxy-root")))},
      {"spec.imageRegistryBundleData", fmt::format(R"([{{"file":"r.example.com","data":{}}}])", PackedPem())},
      {"spec.imageRegistryBundleUserData", fmt::format(R"([{{"file":"r.example.com","data":{}}}])", PackedPem())},
      {"securityProfile.customCaTrustCertificates", fmt::format("[{}]", PackedPem())},
      {"data.ca-bundle.crt", Quoted(Escaped(Pem("proxy-root")))},
      {"binaryData.ca-bundle.crt", PackedPem()},
      {"imageContentSources", kMirrorList},
      {"imageDigestSources", kMirrorList},
  };
  return values.at(row.member);
}

bool IsJson(const SourceMember& row) {
  return row.document != "Ignition" && row.document != "PodTemplate" && row.document != "EnvironmentFile" &&
         row.document != "SystemdUnit";
}

TEST(SourceMembers, OfObjectsAreAppliedOrReported) {
  for (const SourceMember& row : SourceMembers()) {
    const bool is_reference = row.document == "HostedCluster" && row.member == "spec.additionalTrustBundle";
    if (!IsJson(row) || row.member == "spec.trustedCA" || is_reference) continue;  // these name other objects
    SCOPED_TRACE(fmt::format("{}: {}", row.document, row.member));
    const bool applied = row.use == Use::kApplied;
    const std::string document =
        With(Bare(row.document, row.member), row.member, applied ? SampleOf(row) : Quoted("Always"));
    const auto config = MustRead(document);
    const bool has_url = config.http_proxy && !config.http_proxy->Reveal().empty();
    const bool holds = has_url || config.https_proxy || config.no_proxy || !config.certificates.empty() ||
                       !config.mirrors.registries.empty();
    EXPECT_EQ(holds, applied) << document;
    EXPECT_EQ(HasFinding(config.findings, "not-read"), row.use == Use::kNamed) << document;
  }
}

TEST(SourceMembers, TrustedCaIsTheConfigMapThatItNames) {
  const auto config = MustRead(R"({"kind":"List","items":[{"kind":"Proxy","spec":{"trustedCA":{"name":"mine"}}},)"
                               R"({"kind":"ConfigMap","metadata":{"name":"mine"},"data":{"ca-bundle.crt":")" +
                               Escaped(Pem("proxy-root")) + "\"}}]}");
  EXPECT_EQ(config.certificates.size(), 1U);
}

std::string ConfigWith(const std::string& files) {
  return R"({"ignition":{"version":"3.2.0"},"storage":{"files":[)" + files + "]}}";
}
std::string File(std::string_view path, std::string_view text) {
  return fmt::format(R"({{"path":"{}","contents":{{"source":"data:;base64,{}"}}}})", path, EncodeBase64(text));
}
const std::string kBoth = File("/etc/mco/proxy.env", "HTTP_PROXY=http://p:1\n") + "," +
                          File("/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt", "");

TEST(SourceMembers, OfIgnitionConfigsAreAppliedOrReported) {
  for (const SourceMember& row : SourceMembers()) {
    if (row.document != "Ignition" || row.member == "/etc/mco/proxy.env") continue;
    SCOPED_TRACE(row.member);
    std::string path(row.member.substr(0, row.member.find('*')));
    if (path != row.member) path += row.member.ends_with("**") ? "folder/file" : "file";
    if (row.subject == Subject::kRegistries) continue;  // see below
    const std::string text = row.use == Use::kApplied ? Pem("proxy-root") : fmt::format("x {}y\n", row.mark);
    const auto config = MustRead(ConfigWith(kBoth + "," + File(path, text)));
    EXPECT_EQ(config.certificates.size(), row.use == Use::kApplied ? 1U : 0U);
    EXPECT_EQ(HasFinding(config.findings, "not-read"), row.use == Use::kNamed);
    EXPECT_EQ(config.not_read.trust, row.use == Use::kNamed && row.subject == Subject::kTrust);
    if (row.mark.empty()) continue;
    EXPECT_THAT(MustRead(ConfigWith(kBoth + "," + File(path, "nothing"))).findings, Not(HasCode("not-read")));
  }
}

TEST(SourceMembers, AnchorsOfAPoolAreItsTrust) {
  const std::string anchors = "/etc/pki/ca-trust/source/anchors/";
  const auto config = MustRead(ConfigWith(File(anchors + "own.crt", Pem("corporate-root")) + "," + kBoth));
  ASSERT_EQ(config.certificates.size(), 1U);
  EXPECT_EQ(config.certificates[0].source, anchors + "own.crt");
  EXPECT_EQ(config.trust_file.path, anchors + "openshift-config-user-ca-bundle.crt");
  EXPECT_FALSE(config.not_read.trust);
  const auto part = MustRead(ConfigWith(File(anchors + "own.crt", Pem("corporate-root"))));
  EXPECT_EQ(part.certificates.size(), 1U);
  EXPECT_TRUE(part.not_read.trust) << "no rendered config lacks the bundle, so this is a part of one";
}

TEST(SourceMembers, FilesAboutRegistriesAreReadForImages) {
  const auto config = MustRead(ConfigWith(
      kBoth + "," + File("/etc/containers/registries.conf", "[[registry]]\nlocation = \"a.io\"\nblocked = true\n") +
      "," + File("/etc/containers/registries.conf.d/20.conf", "[[registry]]\nlocation = \"a.io\"\n") + "," +
      File("/etc/containers/registries.conf.d/10.conf", "[[registry]]\nlocation = \"a.io\"\ninsecure = true\n") + "," +
      File("/etc/containers/registries.conf.d/notes.txt", "not TOML") + "," +
      File("/etc/docker/certs.d/r.example.com:5000/ca.crt", Pem("proxy-root")) + "," +
      File("/etc/docker/certs.d/r.example.com:5000/more.crt", Pem("corporate-root")) + "," +
      File("/var/lib/kubelet/config.json", R"({"auths":{}})")));
  EXPECT_THAT(config.findings, Not(HasCode("not-read")));
  EXPECT_TRUE(config.certificates.empty()) << "CAs of single registries are no trust of the node";
  EXPECT_THAT(config.mirrors.places,
              ElementsAre("/etc/containers/registries.conf", "/etc/containers/registries.conf.d/10.conf",
                          "/etc/containers/registries.conf.d/20.conf"));
  EXPECT_THAT(config.mirrors.registries, ElementsAre(registries::Registry{"a.io", "a.io", false, false, {}}));
  ASSERT_THAT(config.mirrors.cas, SizeIs(1));
  EXPECT_EQ(config.mirrors.cas.front().host, "r.example.com:5000");
  EXPECT_THAT(config.mirrors.cas.front().certificates, SizeIs(2));
  EXPECT_TRUE(config.pull_secret.has_value());
}

TEST(SourceMembers, OfTwoFoldersOfCasForAHostContainerToolsReadOne) {
  const auto config =
      MustRead(ConfigWith(kBoth + "," + File("/etc/docker/certs.d/r.example.com/ca.crt", Pem("proxy-root")) + "," +
                          File("/etc/docker/certs.d/other.example.com/ca.crt", Pem("proxy-root")) + "," +
                          File("/etc/containers/certs.d/r.example.com/ca.crt", Pem("corporate-root"))));
  ASSERT_THAT(config.mirrors.cas, SizeIs(2));
  for (const registries::RegistryCa& one : config.mirrors.cas) EXPECT_THAT(one.certificates, SizeIs(1)) << one.host;
  EXPECT_THAT(config.findings, HasCode("not-read"));
}

TEST(SourceMembers, SettingsOfRegistriesThatCanNotBeReadStopNothingElse) {
  const auto config = MustRead(ConfigWith(kBoth + "," + File("/etc/containers/registries.conf", "[[registry]\n") + "," +
                                          File("/etc/docker/certs.d/r.example.com/ca.crt", "no PEM") + "," +
                                          File("/etc/docker/certs.d/r.example.com/client.cert", "x")));
  EXPECT_TRUE(config.http_proxy.has_value());
  EXPECT_FALSE(config.mirrors.stated());
  ASSERT_TRUE(config.mirrors.fault.has_value());
  EXPECT_EQ(config.mirrors.fault->code, Code::kRegistries);
  ASSERT_TRUE(config.mirrors.ca_fault.has_value());
  EXPECT_EQ(config.mirrors.ca_fault->code, Code::kRegistries);
  EXPECT_FALSE(config.mirrors.IsSilent());
  EXPECT_EQ(std::ranges::count(config.findings, "mirrors-invalid", &Finding::code), 2);
  EXPECT_THAT(MessageOf(config.findings, "not-read"), HasSubstr("only CAs"));
}

TEST(SourceMembers, MirrorSetsBesideASourceAreRead) {
  const auto read = [](const std::string& objects) {
    return MustRead(R"({"kind":"List","items":[{"kind":"Proxy","spec":{},"status":{"httpProxy":"http://p:1"}},)" +
                    objects + "]}");
  };
  const std::string api = R"("apiVersion":"config.openshift.io/v1",)";
  const auto config = read(
      R"({"kind":"ImageDigestMirrorSet",)" + api +
      R"("metadata":{"name":"d"},"spec":{"imageDigestMirrors":[{"source":"a.io","mirrors":["m.io/a"],"mirrorSourcePolicy":"NeverContactSource"}]}},)"
      R"({"kind":"ImageTagMirrorSet",)" +
      api +
      R"("spec":{"imageTagMirrors":[{"source":"b.io","mirrors":["m.io/b"]}]}},)"
      R"({"kind":"ImageContentSourcePolicy","apiVersion":"operator.openshift.io/v1alpha1","spec":{"repositoryDigestMirrors":[{"source":"c.io","mirrors":["m.io/c"]}]}},)"
      R"({"kind":"Image",)" +
      api +
      R"("metadata":{"name":"cluster"},"spec":{"registrySources":{"insecureRegistries":["m.io"],"blockedRegistries":["x.io"]}}})");
  EXPECT_THAT(config.mirrors.places, Contains("ImageDigestMirrorSet d"));
  using registries::MirrorUse;
  EXPECT_THAT(
      config.mirrors.registries,
      ElementsAre(registries::Registry{"a.io", "a.io", true, false, {{"m.io/a", true, MirrorUse::kDigestOnly}}},
                  registries::Registry{"c.io", "c.io", false, false, {{"m.io/c", true, MirrorUse::kDigestOnly}}},
                  registries::Registry{"b.io", "b.io", false, false, {{"m.io/b", true, MirrorUse::kTagOnly}}},
                  registries::Registry{"x.io", "x.io", true, false, {}},
                  registries::Registry{"m.io", "m.io", false, true, {}}));
  const auto broken =
      read(R"({"kind":"ImageTagMirrorSet",)" + api + R"("spec":{"imageTagMirrors":[{"mirrors":["m"]}]}})");
  EXPECT_EQ(broken.mirrors.fault->code, Code::kInvalidConfig);
}

TEST(SourceMembers, TheFilesOfAConfigCountBeforeMirrorSetsBesideIt) {
  const auto config = MustRead(
      R"({"kind":"List","items":[{"kind":"MachineConfig","metadata":{"name":"rendered-worker-0123456789abcdef0123456789abcdef"},"spec":{"config":)" +
      ConfigWith(kBoth + "," + File("/etc/containers/registries.conf", "")) +
      R"(}},{"kind":"ImageTagMirrorSet","apiVersion":"config.openshift.io/v1","spec":{"imageTagMirrors":[{"source":"b","mirrors":["m"]}]}}]})");
  EXPECT_TRUE(config.mirrors.registries.empty());
  EXPECT_THAT(config.findings, HasCode("other-objects"));
}

TEST(SourceMembers, CasOfRegistriesOfAControllerConfigAreKnownByTheirHost) {
  const auto config = MustRead(
      R"({"kind":"ControllerConfig","spec":{"proxy":null,"additionalTrustBundle":null,"imageRegistryBundleUserData":[{"file":"r.example.com..5000","data":)" +
      PackedPem() + "}]}}");
  ASSERT_THAT(config.mirrors.cas, SizeIs(1));
  EXPECT_EQ(config.mirrors.cas.front().host, "r.example.com:5000");
  EXPECT_EQ(config.certificates.size(), 1U);
}

TEST(SourceMembers, UnitsWithAProxyOfTheirOwnAreReported) {
  const auto read = [](const std::string& line) {
    return MustRead(R"({"ignition":{"version":"3.2.0"},"storage":{"files":[)" + kBoth +
                    R"(]},"systemd":{"units":[{"name":"crio.service","dropins":[{"name":"10-proxy.conf",)" +
                    R"("contents":"[Service]\n)" + line + R"(\n"}]}]}})");
  };
  EXPECT_THAT(MessageOf(read("Environment=HTTPS_PROXY=http://q:1").findings, "not-read"), HasSubstr("the unit"));
  EXPECT_THAT(read("EnvironmentFile=/etc/mco/proxy.env").findings, Not(HasCode("not-read")));
}

// A field that a later release of a project adds.
TEST(SourceMembers, AnUnknownMemberIsReportedByItsName) {
  const auto trust = MustRead(R"({"httpProxyConfig":null,"securityProfile":{"nodeTrustBundle":["x"]}})");
  EXPECT_TRUE(trust.not_read.trust);
  EXPECT_THAT(MessageOf(trust.findings, "not-read"), HasSubstr("nodeTrustBundle"));
  const auto proxy =
      MustRead(R"({"kind":"ControllerConfig","spec":{"proxy":null,"additionalTrustBundle":null,"proxyV2":{"a":1}}})");
  EXPECT_TRUE(proxy.not_read.proxy);
  EXPECT_FALSE(proxy.not_read.trust);
  for (const char* const nothing : {"null", "false", "\"\"", "[]", "{}"}) {
    const auto config = MustRead(fmt::format(R"({{"httpProxyConfig":null,"trustAnchors":{}}})", nothing));
    EXPECT_THAT(config.findings, Not(HasCode("not-read"))) << nothing;
  }
}

// A document that is nested as deep as the parser allows is read without deep recursion, and long names cost little.
TEST(SourceMembers, DeepDocumentsCostLittle) {
  const std::string name(100'000, 'n');
  std::string text = R"({"httpProxyConfig":null,"a":)";
  for (int i = 0; i < 900; ++i) text += fmt::format(R"({{"{}":)", i < 100 ? name : "x");
  text += R"({"proxy":"x"})" + std::string(900, '}') + "}";
  EXPECT_THAT(MustRead(text).findings, Not(HasCode("not-read")));
  EXPECT_THAT(MustRead(R"({"httpProxyConfig":null,"a":{"b":[{"c":{"proxy":"x"}}]}})").findings, HasCode("not-read"));
}

TEST(SourceMembers, ManyOfThemAreCounted) {
  std::string members;
  for (int i = 0; i < 200; ++i) members += fmt::format(R"(,"proxy{}":"x")", i);
  const auto config = MustRead(R"({"httpProxyConfig":null)" + members + "}");
  EXPECT_EQ(std::ranges::count(config.findings, "not-read", &Finding::code), 21);
}

TEST(SourceMembers, OtherVariablesAreReported) {
  for (const char* const name : {"ALL_PROXY", "FTP_PROXY", "all_proxy", "RSYNC_PROXY", "SSL_CERT_FILE"}) {
    const auto config = MustRead(fmt::format("{}=http://u:c4nary@q:1\nHTTP_PROXY=http://p:1\n", name));
    EXPECT_THAT(MessageOf(config.findings, "not-read"), HasSubstr(name));
    EXPECT_THAT(MessageOf(config.findings, "not-read"), Not(HasSubstr("c4nary")));
    const auto pod = MustRead(fmt::format(
        R"({{"kind":"Pod","spec":{{"containers":[{{"env":[{{"name":"{}","value":"x"}},{{"name":"NO_PROXY","value":"a"}}]}}]}}}})",
        name));
    EXPECT_THAT(pod.findings, HasCode("not-read"));
  }
  EXPECT_THAT(MustRead("http_proxy=http://p:1\nHTTP_PROXY=http://p:1\nPATH=/bin\n").findings, Not(HasCode("not-read")));
}

TEST(SourceMembers, OtherObjectsOfTheFieldAreReported) {
  const auto read = [](const std::string& object) {
    return MustRead(R"({"kind":"List","items":[{"kind":"Proxy","spec":{},"status":{"httpProxy":"http://p:1"}},)" +
                    object + "]}");
  };
  const auto image = read(R"({"kind":"Image","apiVersion":"config.openshift.io/v1"})");
  EXPECT_THAT(MessageOf(image.findings, "not-read"), HasSubstr("Image"));
  EXPECT_TRUE(image.not_read.trust);
  EXPECT_TRUE(read(R"({"kind":"ClusterTrustBundle","apiVersion":"certificates.k8s.io/v1beta1"})").not_read.trust);
  EXPECT_TRUE(read(R"({"kind":"HostedCluster","apiVersion":"hypershift.openshift.io/v1beta1"})").not_read.proxy);
  EXPECT_THAT(read(R"({"kind":"Cluster","apiVersion":"provisioning.cattle.io/v1"})").findings,
              HasCode("other-objects"));
  EXPECT_THAT(read(R"({"kind":"Image","apiVersion":"image.example.com/v1"})").findings, Not(HasCode("not-read")));
}

TEST(SourceMembers, OtherKeysOfAConfigMapWithCertificatesAreReported) {
  const auto config =
      MustRead(R"({"kind":"ConfigMap","metadata":{"name":"m"},"data":{"ca-bundle.crt":")" + Escaped(Pem("proxy-root")) +
               R"(","ca.crt":")" + Escaped(Pem("corporate-root")) + R"(","note":"text"}})");
  EXPECT_EQ(config.certificates.size(), 1U);
  EXPECT_TRUE(config.not_read.trust);
  EXPECT_EQ(std::ranges::count(config.findings, "not-read", &Finding::code), 1);
}

// The page lists what the program does.
TEST(SourceMembers, AreTheTableOfThePage) {
  const std::string page = testing_support::ReadAll(
      std::filesystem::path(testing_support::TestsFolder()).parent_path() / "provisioner/SOURCES.md");
  std::vector<std::pair<std::string, std::string>> lines;  // the ends of a row, and the parts between them
  for (const SourceMember& row : SourceMembers()) {
    const std::string_view use = row.use == Use::kApplied ? "applied" : row.use == Use::kNamed ? "named" : "other";
    const std::string ends =
        fmt::format("| {} | {{}} | {}{}{} |\n", row.document, use, row.words.empty() ? "" : ": ", row.words);
    auto line = std::ranges::find(lines, ends, &std::pair<std::string, std::string>::first);
    if (line == lines.end()) line = lines.insert(line, {ends, ""});
    line->second += fmt::format("{}`{}`", line->second.empty() ? "" : ", ", row.member);
  }
  for (const auto& [ends, parts] : lines) EXPECT_THAT(page, HasSubstr(fmt::format(fmt::runtime(ends), parts)));
}

}  // namespace
}  // namespace prov::source
