// Each thing that can be wrong is broken in turn, and `doctor` names it first.
#include "provisioner/node/doctor.h"

#include <fmt/format.h>

#include <functional>

#include "provisioner/base/clock.h"
#include "provisioner/machine/certificate_blob.h"
#include "provisioner/node/present_settings.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/reconcile/windows_proxy.h"
#include "tests/node/node_helpers.h"
#include "tests/registries/sources.h"
#include "tests/support/make_certificate.h"
#include "tests/support/memory_network.h"
#include "tests/support/result.h"

namespace prov::node {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr char kPod[] = "93F86A7F-E361-4362-B8A4-81BBB6A622DD";

class Doctor : public NodeTest {
 protected:
  ~Doctor() override { EXPECT_EQ(network_.open, 0U) << "handles are left open"; }

  // A node as it should be: booted from a followed source, with its services running.
  void Boot() {
    host_.memory.network = &network_;
    network_.endpoints[kPod] = {};
    settings_.options.scope.hns = true;
    settings_.options.hns = reconcile::MakePodPolicies(
                                R"({"Type":"L4WFPPROXY","Settings":{"InboundProxyPort":"15003"}})", "all", "p", notes_)
                                .value();
    OpenNode n = node();
    Must(FirstBoot(n, settings_, {SpecOf("payload"), true, {}}, {}));
    Service("containerd") = {
        .definition = {}, .process_id = 42, .environment = ReadStartEntries(host_.memory, "containerd").value()};
    host_.memory.log.clear();
    host_.waits_left = 100;
  }
  testing_support::MemoryHost::Service& Service(const std::string& name) { return host_.services_by_name[name]; }

  Diagnosis Look(const std::vector<std::string>& probes = {}) {
    OpenNode n = node();
    const auto seen = Observe(n, probes, host_);
    EXPECT_TRUE(seen) << seen.error().message;
    EXPECT_THAT(host_.memory.log, IsEmpty()) << "it writes nothing";
    return seen ? Diagnose(*seen) : Diagnosis();
  }
  // "service-stale serviceEnv:containerd", of each problem.
  std::vector<std::string> Found(const std::vector<std::string>& probes = {}) {
    std::vector<std::string> out;
    for (const Problem& one : Look(probes).problems) {
      EXPECT_THAT(one.finding.message, Not(HasSubstr("c4nary")));
      EXPECT_TRUE(!one.commands.empty() || one.finding.code == "script-state") << one.finding.message;
      out.push_back(std::string(one.finding.code) + (one.key.empty() ? "" : " " + one.key));
    }
    return out;
  }

  void FailRound(Code code) {
    (void)RunRound(host_,
                   [&](const SettingsSpec&) -> Result<Settings> { return Fail(code, "broken", "kube:///worker"); });
    host_.memory.log.clear();
  }

  testing_support::MemoryNetwork network_;
  Findings notes_;
  Settings settings_ = SampleSettings();
};

TEST_F(Doctor, NothingIsWrongWithANodeThatIsAsItShouldBe) {
  Boot();
  const Diagnosis diagnosis = Look();
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_THAT(diagnosis.checked, ElementsAre("clock", "variables", "services", "processes", "certificates", "winHttp",
                                             "registries", "hns", "state", "rounds"));
}

TEST_F(Doctor, NamesWhatIsBrokenFirst) {
  const std::string root = testing_support::SampleCertificates().front().sha1;
  const std::string root_key = "certificate:ROOT:" + root;
  const struct {
    std::string first;
    std::string command;
    std::function<void()> harm;
  } rows[] = {
      {"setting-changed env:HTTP_PROXY", "provisioner reconcile --once",
       [&] { host_.memory.Erase(reconcile::kEnv, "HTTP_PROXY"); }},
      {"setting-changed serviceEnv:containerd", "provisioner reconcile --once",
       [&] { host_.memory.Put(reconcile::kContainerd, reconcile::ServiceList({"HTTP_PROXY=http://somebody:1"})); }},
      {"service-stale serviceEnv:containerd", "Restart-Service -Force 'containerd'",
       [&] { Service("containerd").environment = {"HTTP_PROXY=http://old:1"}; }},
      {"service-stale serviceEnv:kubelet", "Restart-Computer", [&] { Service("kubelet").process_id = 43; }},
      {"service-stopped", "Start-Service 'containerd'", [&] { Service("containerd").process_id = 0; }},
      {"setting-changed winHttp:64", "provisioner reconcile --once",
       [&] { host_.memory.Put(reconcile::kConnections, {"WinHttpSettings", images::RegType::kBinary, "x"}); }},
      {"setting-changed " + root_key, "provisioner reconcile --once",
       [&] {
         host_.memory.content().certificates[pki::Store::kRoot].erase(
             testing_support::SampleCertificates().front().der);
       }},
      {"disallowed " + root_key, "certutil -delstore Disallowed " + root,
       [&] { host_.memory.content().disallowed.insert(testing_support::SampleCertificates().front().der); }},
      {"setting-changed hns:" + std::string(kPod), "provisioner reconcile --once",
       [&] { network_.endpoints[kPod] = {}; }},
      {"clock-wrong", "w32tm /query /status", [&] { host_.now = 1'000'000'000; }},
      {"source-old", "provisioner reconcile --once", [&] { host_.now += 7200; }},
      {"boot-service", "Start-Service Provisioner", [&] { Service("provisioner").process_id = 0; }},
      {"boot-service", "provisioner service install", [&] { host_.services_by_name.erase("provisioner"); }},
      {R"(file-lost file:C:\Program Files\Provisioner\provisioner.exe)", "provisioner service install",
       [&] { host_.program_installed = false; }},
      {"state-damaged", "provisioner reconcile --once", [&] { host_.memory.files().at("state.json").resize(40); }},
      {"script-state", "", [&] { host_.memory.files()["script-state.json"] = "{"; }},
      {"round-failed", "provisioner reconcile --once", [&] { FailRound(Code::kNetwork); }},
      {"round-failed", "provisioner reconcile --once", [&] { FailRound(Code::kHashMismatch); }},
      {"round-failed", "provisioner reconcile --once", [&] { FailRound(Code::kJson); }},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.first);
    host_ = {};
    reconcile::PutWindows(host_.memory);
    Boot();
    row.harm();
    EXPECT_THAT(Found(), ElementsAre(row.first));
    const Diagnosis diagnosis = Look();
    ASSERT_FALSE(diagnosis.problems.empty());
    EXPECT_EQ(fmt::format("{}", fmt::join(diagnosis.problems.front().commands, "\n")).substr(0, row.command.size()),
              row.command);
  }
}

TEST_F(Doctor, HostsTomlFilesAreNamedLikeOtherItems) {
  constexpr std::string_view kHosts = R"(C:\certs.d\quay.io\hosts.toml)";
  constexpr std::string_view kConfig = R"(C:\Program Files\containerd\config.toml)";
  const std::string key = R"(file:c:\certs.d\quay.io\hosts.toml)";
  settings_.options.scope.registries = true;
  settings_.options.registry_folder = R"(C:\certs.d)";
  settings_.config.mirrors = registries::Cluster({registries::Source("quay.io", {registries::ForAll("m.example")})});
  host_.memory.Put(reconcile::kContainerd, reconcile::Sz("ImagePath", "containerd.exe --run-service"));
  const auto configure = [&](std::string_view text) { host_.memory.PutFileOf(kConfig, text); };
  constexpr std::string_view kGood = "[plugins.cri.registry]\nconfig_path = 'C:\\certs.d'\n";
  configure(kGood);
  Boot();
  EXPECT_THAT(Found(), IsEmpty());
  const std::string ours = host_.memory.FileAt(kHosts).value();
  host_.memory.PutFileOf(kHosts, "[host]\n");
  EXPECT_THAT(Found(), ElementsAre("setting-changed " + key));
  EXPECT_THAT(Look().problems.front().finding.message, HasSubstr("was changed since provisioner set it"));
  EXPECT_THAT(Look().problems.front().commands, ElementsAre("provisioner reconcile --once"));
  OpenNode n = node();
  ASSERT_TRUE(n.machine.files.RemoveFile(kHosts));
  host_.memory.log.clear();
  EXPECT_THAT(Found(), ElementsAre("setting-changed " + key));
  EXPECT_THAT(Look().problems.front().finding.message, HasSubstr("was removed since provisioner set it"));
  host_.memory.PutFileOf(kHosts, ours);
  configure("version = 2\n");
  EXPECT_THAT(Found(), ElementsAre("registries-config"));
  EXPECT_THAT(Look().problems.front().finding.message,
              StartsWith(R"(C:\Program Files\containerd\config.toml: names no config_path; hosts.toml has an effect )"
                         R"(only with config_path = 'C:\certs.d' in [plugins."io.containerd.grpc.v1.cri".registry])"));
  configure(kGood);
  host_.memory.PutFileOf(R"(C:\certs.d\_default\hosts.toml)", "");
  EXPECT_THAT(Found(), IsEmpty()) << "what ours hide may be meant";
  host_.memory.PutKey(reconcile::kDaemonKey);
  EXPECT_THAT(Found(), Contains("registries-config")) << "the operator's containerd does not read them";
}

TEST_F(Doctor, ADamagedFileIsNamed) {
  Boot();
  host_.memory.files().at("state.json").resize(40);
  EXPECT_THAT(Look().problems.front().finding.message,
              StartsWith(R"(C:\ProgramData\Provisioner\state.json: this file of the state is cut short)"));
}

TEST_F(Doctor, ARemovalIsToldWithItsTime) {
  Boot();
  const std::string at = FormatUtc(host_.now);
  for (int removal = 0; removal < 2; ++removal) {
    OpenNode n = node();
    ASSERT_TRUE(RemoveSettings(n));
    EXPECT_TRUE(removal == 0 || host_.memory.log.empty()) << "the second one writes nothing";
    host_.memory.log.clear();
    host_.now += 60;
  }
  Service("containerd").environment = {};
  EXPECT_THAT(Found(), ElementsAre("nothing-set"));
  EXPECT_EQ(Look().problems.front().finding.message,
            "no proxy is set, and the settings of provisioner were removed at " + at);
  OpenNode n = node();
  ASSERT_TRUE(ApplySettings(n, SampleSettings(), {}));
  EXPECT_FALSE(HasSection("removed"));
}

TEST_F(Doctor, ACertificateOutOfItsTimeIsTold) {
  Boot();
  const pki::Certificate first = testing_support::SampleCertificates().front();
  host_.now = first.not_after_unix + 1;
  EXPECT_THAT(Found().front(), StartsWith("cert-expired certificate:"));
  host_.now = first.not_before_unix - 1;
  EXPECT_EQ(Found().front(), "clock-wrong") << "rounds were later, so it is the clock";
  OpenNode n = node();
  ForgetActivity(n);
  host_.memory.log.clear();
  Observations seen;
  seen.now = 1'800'000'000;
  seen.status.applied = Applied();
  seen.certificates.push_back({"certificate:ROOT:1", first, false});
  seen.certificates.back().certificate.not_before_unix = seen.now + 1;
  ASSERT_EQ(Diagnose(seen).problems.size(), 1U);
  EXPECT_EQ(Diagnose(seen).problems.front().finding.code, "cert-not-yet-valid");
}

TEST_F(Doctor, SeveralProblemsComeInTheOrderOfLooking) {
  Boot();
  host_.memory.Erase(reconcile::kEnv, "NO_PROXY");
  Service("containerd").environment = {};
  host_.memory.content().disallowed.insert(testing_support::SampleCertificates().front().der);
  Service("provisioner").process_id = 0;
  host_.answer = 503;
  const auto found = Found({"https://registry.example.org/v2/"});
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0], "setting-changed env:NO_PROXY");
  EXPECT_EQ(found[1], "service-stale serviceEnv:containerd");
  EXPECT_THAT(found[2], StartsWith("disallowed certificate:ROOT:"));
  EXPECT_EQ(found[3], "boot-service");
  EXPECT_EQ(found[4], "probe-failed");
  EXPECT_THAT(host_.requests.back(), HasSubstr("proxy.example.com"));
}

TEST_F(Doctor, ARollbackAndAnInterruptedBootAreTold) {
  Boot();
  OpenNode n = node();
  ASSERT_TRUE(Rollback(n));
  host_.memory.log.clear();
  Service("containerd").environment = {};
  EXPECT_THAT(Found(), ElementsAre("held"));
}

TEST_F(Doctor, OfAServiceThatIsNotOursOnlyWhatItLacksCounts) {
  Boot();
  host_.memory.Erase(reconcile::kEnv, "NO_PROXY");
  Service("kubelet") = {.definition = {}, .process_id = 43, .environment = ReadMachineEntries(host_.memory).value()};
  Service("kubelet").environment.push_back("NO_PROXY=a.script.gave.it");
  EXPECT_THAT(Found(), ElementsAre("setting-changed env:NO_PROXY"));
}

// What others have set counts as well.
TEST_F(Doctor, AMachineWithoutUs) {
  EXPECT_THAT(Found(), ElementsAre("nothing-set"));
  const std::string win_http = reconcile::EncodeWinHttp({.proxy = {"old-proxy:3128", ""}});
  host_.memory.Put(reconcile::kConnections, {"WinHttpSettings", images::RegType::kBinary, win_http});
  EXPECT_THAT(Look().problems.front().finding.message,
              StartsWith("no proxy variable is set, WinHTTP has old-proxy:3128, and nothing here is from provisioner"));
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://user:c4nary@proxy:x"));
  EXPECT_THAT(Found(), ElementsAre("proxy-url env:HTTP_PROXY", "https-direct env:HTTPS_PROXY"));
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://proxy:1"));
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTPS_PROXY", "http://proxy:1"));
  EXPECT_THAT(Found(), IsEmpty());
  host_.memory.Put(reconcile::kContainerd, reconcile::Sz("Environment", "HTTP_PROXY=http://proxy:1"));
  host_.memory.Put(reconcile::kConnections, {"WinHttpSettings", images::RegType::kBinary, "x"});
  EXPECT_THAT(Found(), ElementsAre("service-environment serviceEnv:containerd", "winhttp-unreadable winHttp:64"));
}

TEST_F(Doctor, WhatTakesAllRequestsAroundTheProxyIsTold) {
  const struct {
    std::string https, no_proxy, found;
  } rows[] = {{"http://proxy:1", "*", "no-proxy-all env:NO_PROXY"},
              {"http://proxy:1", "a.org,*", "no-proxy-wide env:NO_PROXY"},
              {"", "a.org", "https-direct env:HTTPS_PROXY"}};
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://proxy:1"));
  for (const auto& row : rows) {
    host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTPS_PROXY", row.https));
    host_.memory.Put(reconcile::kEnv, reconcile::Sz("NO_PROXY", row.no_proxy));
    EXPECT_THAT(Found(), ElementsAre(row.found));
  }
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTPS_PROXY", "http://proxy:1"));
  host_.memory.Erase(reconcile::kEnv, "HTTP_PROXY");
  EXPECT_THAT(Found(), ElementsAre("http-direct env:HTTP_PROXY"));
}

TEST_F(Doctor, WhatTheSourceGaveIsNotSetAgain) {
  settings_.config.https_proxy.reset();
  Boot();
  const auto problems = Look().problems;
  ASSERT_EQ(problems.size(), 2U);  // of the machine and of containerd
  for (const Problem& one : problems) {
    EXPECT_EQ(one.finding.code, "https-direct");
    EXPECT_THAT(one.finding.message, HasSubstr("change the source"));
    EXPECT_THAT(one.commands, IsEmpty());
  }
}

TEST_F(Doctor, CommandsQuoteWhatTheyName) {
  Boot();
  host_.answer = 503;
  EXPECT_EQ(Look({"https://a.org/it's"}).problems.back().commands.front(),
            "provisioner explain --this-machine --url 'https://a.org/it''s' --for go");
}

TEST_F(Doctor, NoCommandExplainsWhatIsInAWimFile) {
  Observations seen;
  seen.runs = false;
  seen.sets_proxy = true;
  seen.probes = {
      {.url = "https://a.org/it's", .via = "direct", .status = {}, .error = Error{Code::kNetwork, "no answer", ""}}};
  EXPECT_THAT(Diagnose(seen).problems.back().commands,
              ElementsAre("provisioner explain --root DIR --url 'https://a.org/it''s' --for go"));
  seen.words.is_explained = false;
  EXPECT_THAT(Diagnose(seen).problems.back().commands, IsEmpty());
}

TEST_F(Doctor, ThePresentSettingsAreThoseOfContainerdOrOfTheMachine) {
  Boot();
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTP_PROXY", "http://machine:1"));
  OpenNode n = node();
  auto present = Must(ReadPresentSettings(n));
  EXPECT_THAT(present.http_proxy->Reveal(), HasSubstr("proxy.example.com"));
  EXPECT_EQ(present.certificates.size(), 3U);
  EXPECT_THAT(present.findings.front().message, HasSubstr("that containerd would start with; the whole ROOT store"));
  EXPECT_THAT(present.findings.front().message, HasSubstr("has put 3 certificate(s)"));
  EXPECT_EQ(present.windows_version, "") << "the registry does not say";
  host_.memory.Put(R"(SOFTWARE\Microsoft\Windows NT\CurrentVersion)", reconcile::Sz("CurrentBuildNumber", "20348"));
  host_.memory.Erase(reconcile::kContainerd, "Environment");
  EXPECT_EQ(ReadPresentSettings(n)->http_proxy, Secret("http://machine:1"));
  EXPECT_EQ(ReadPresentSettings(n)->windows_version, "10.0.20348");
  EXPECT_FALSE(ReadPresentSettings(n)->node_env_proxy);
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("NODE_USE_ENV_PROXY", "1"));
  EXPECT_TRUE(ReadPresentSettings(n)->node_env_proxy);
  EXPECT_THAT(present.hosts_toml.paths, IsEmpty());
  EXPECT_EQ(present.hosts_toml.unknown, R"(C:\Program Files\containerd\config.toml is not there)");
  host_.memory.Put(reconcile::kContainerd, reconcile::Sz("ImagePath", "containerd.exe -c C:\\c.toml"));
  EXPECT_EQ(ReadPresentSettings(n)->hosts_toml.unknown, "C:\\c.toml is not there");
  host_.memory.PutFileOf("C:\\c.toml", "[plugins.cri.registry]\nconfig_path = 'C:\\certs.d;D:\\more'\n");
  present = Must(ReadPresentSettings(n));
  EXPECT_THAT(present.hosts_toml.paths, ElementsAre("C:\\certs.d", "D:\\more"));
  EXPECT_EQ(present.hosts_toml.unknown, "");
}

TEST_F(Doctor, RKE2GivesContainerdItsEnvironmentWithVariablesOfItsOwn) {
  const std::string rke2 = R"(SYSTEM\CurrentControlSet\Services\rke2)";
  const auto put = [&](const std::vector<std::string>& entries) {
    host_.memory.Put(rke2, reconcile::ServiceList(entries));
  };
  const auto proxy = [&] {
    OpenNode n = node();
    const auto present = ReadPresentSettings(n);
    EXPECT_TRUE(present);
    return present && present->https_proxy ? present->https_proxy->Reveal() : std::string();
  };
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("HTTPS_PROXY", "http://machine:1"));
  put({"HTTPS_PROXY=http://rke2:1"});
  EXPECT_EQ(proxy(), "http://rke2:1");
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("CONTAINERD_HTTPS_PROXY", "http://alone:1"));
  EXPECT_EQ(proxy(), "http://alone:1") << "a machine variable reaches the service, too";
  put({"HTTPS_PROXY=http://rke2:1", "CONTAINERD_HTTPS_PROXY="});
  EXPECT_EQ(proxy(), "");
  host_.memory.PutKey(reconcile::kContainerd);
  EXPECT_EQ(proxy(), "") << "kubelet is RKE2's, and so is its containerd";
  OpenNode n = node();
  EXPECT_THAT(ReadPresentSettings(n)->hosts_toml.unknown, StartsWith("rke2 starts containerd"));
}

TEST_F(Doctor, NamesTheVariableThatContainerdTakesInThePlaceOfOurs) {
  Boot();
  const std::string key = R"(SYSTEM\CurrentControlSet\Services\k0sworker)";
  const auto found = [&](const std::vector<std::string>& entries) {
    host_.memory.Put(key, reconcile::ServiceList(entries));
    Service("k0sworker") = {
        .definition = {}, .process_id = 7, .environment = ReadStartEntries(host_.memory, "k0sworker").value()};
    host_.memory.log.clear();
    return Found();
  };
  EXPECT_THAT(found({"NO_PROXY=x", "CONTAINERD_NO_PROXY=x"}), IsEmpty());
  EXPECT_THAT(found({"NO_PROXY=x", "CONTAINERD_NO_PROXY=y"}), ElementsAre("containerd-own-proxy serviceEnv:k0sworker"));
  EXPECT_THAT(Look().problems.front().commands.front(), HasSubstr(R"(reg query "HKLM\SYSTEM)"));
  EXPECT_THAT(Look().problems.front().finding.message, StartsWith("CONTAINERD_NO_PROXY is set"));
}

// Also those that Windows fills in by itself.
TEST_F(Doctor, AnImageTrustsItsWholeRootStore) {
  OpenNode live = node();
  ASSERT_TRUE(ApplySettings(live, SampleSettings(), {}));
  struct : machine::System {
    Result<std::string> MachineId() override { return ""; }
    Result<std::string> BootId() override { return ""; }
    void AnnounceEnvironment() override {}
  } nothing_runs;
  OpenNode n = {host_, {live.machine.registry, live.machine.certificates, live.machine.state, nothing_runs}};
  const pki::Certificate first = testing_support::SampleCertificates().front();
  const std::string foreign = test::MakeRoot("foreign", "p256#foreign").der;
  for (const std::string& der : {first.der, foreign}) {
    host_.memory.Put(
        R"(SOFTWARE\Microsoft\SystemCertificates\AuthRoot\Certificates\)" + machine::CertificateKeyName(der),
        {"Blob", images::RegType::kBinary, machine::EncodeCertificateBlob(der)});
  }
  const auto present = Must(ReadPresentSettings(n));
  ASSERT_EQ(present.certificates.size(), 4U) << "ours once";
  EXPECT_EQ(present.certificates.back().der, foreign);
}

}  // namespace
}  // namespace prov::node
