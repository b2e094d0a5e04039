// Options of the last run that are missing in this one.
#include "provisioner/node/left_out.h"

#include <gmock/gmock.h>

#include <functional>

#include "provisioner/payload/egress_json.h"

namespace prov::node {
namespace {

TEST(LeftOut, EachOptionThatIsGivenNoMore) {
  struct Row {
    std::function<void(SettingsSpec&)> before;
    std::function<void(Settings&)> now;
    std::string where;  // "": nothing is said
    bool names_pool = false;
  };
  const auto same = [](Settings&) {};
  const std::string digest(64, 'a');
  const std::vector<Row> rows = {
      {[](SettingsSpec& s) { s.choices.services = {"containerd"}; }, same, "--service containerd"},
      {[](SettingsSpec& s) { s.choices.services = {"containerd"}; },
       [](Settings& s) { s.options.services = {"ContainerD"}; }, ""},
      {[](SettingsSpec& s) { s.choices.scope = reconcile::Scope::None(); }, same, "--scope "},
      {[](SettingsSpec& s) { s.choices.with_wmco = true; }, same, "--with-wmco"},
      {[](SettingsSpec& s) { s.choices.with_wmco = true; }, [](Settings& s) { s.options.scope.machine = false; }, ""},
      {[](SettingsSpec& s) { s.choices.credentials = reconcile::CredentialPolicy::kNone; }, same, "--credentials none"},
      {[&](SettingsSpec& s) { s.choices.trusted = {digest}; }, same, "--trust " + digest},
      {[](SettingsSpec& s) { s.choices.subtract_file = "a.pem"; }, same, "--subtract a.pem"},
      {[](SettingsSpec& s) { s.choices.hns_policy_file = "p.json"; }, same, "--hns-policy p.json"},
      {[](SettingsSpec& s) { s.choices.registry_folder = "C:\\r"; }, same, "--registry-folder C:\\r"},
      {[](SettingsSpec& s) { s.choices.win_http_octets = true; }, same, "--winhttp-octets"},
      {[](SettingsSpec& s) { s.choices.augment = true; }, same, "--augment"},
      {[](SettingsSpec& s) { s.choices.augment = true; }, [](Settings& s) { s.given->choices.augment = true; }, ""},
      {[](SettingsSpec& s) { s.source.add_cluster_suffixes = true; }, same, "--add-cluster-suffixes"},
      {[](SettingsSpec& s) { s.choices.augment = s.source.add_cluster_suffixes = true; },
       [](Settings& s) { s.payload = "digest"; }, ""},
      {[](SettingsSpec& s) { s.choices.subtract_file = "a.pem"; }, [](Settings& s) { s.payload = "digest"; }, ""},
      {[](SettingsSpec& s) { s.source.selection.pool = "win"; }, same, "--pool win"},
      {[](SettingsSpec& s) { s.source.selection.pool = "win"; }, same, "", true},
      {[](SettingsSpec& s) { s.source.selection.name = "x"; }, same, "--name x"},
  };
  for (const Row& row : rows) {
    Applied before;
    row.before(before.given.emplace());
    Settings now;
    now.given.emplace();
    row.now(now);
    Findings findings;
    ReportLeftOut(before, now, row.names_pool, findings);
    ASSERT_LE(findings.size(), 1U);
    EXPECT_EQ(findings.empty() ? "" : findings[0].where, row.where);
  }
}

TEST(LeftOut, EachOptionOfAPayloadThatIsReplaced) {
  using reconcile::DesiredOptions;
  struct Row {
    std::function<void(DesiredOptions&)> before;
    std::string where;  // "": nothing is said
    bool states_proxy = true;
  };
  const std::string digest(64, 'a');
  const std::vector<Row> rows = {
      {[](DesiredOptions&) {}, ""},
      {[](DesiredOptions&) {}, "", false},
      {[](DesiredOptions& o) { o.services = {"containerd"}; }, "--service containerd"},
      {[](DesiredOptions& o) { o.scope.machine = false; }, "--with-wmco"},
      {[](DesiredOptions& o) { o.scope.machine = false; }, "", false},
      {[](DesiredOptions& o) { o.scope.win_inet = true; }, "--scope machine,services,winhttp,wininet,certs"},
      {[](DesiredOptions& o) { o.credentials = reconcile::CredentialPolicy::kNone; }, "--credentials none"},
      {[&](DesiredOptions& o) { o.trusted = {digest}; }, "--trust " + digest},
      {[](DesiredOptions& o) { o.win_http_octets = true; }, "--winhttp-octets"}};
  for (const Row& row : rows) {
    egress::EgressConfig config;
    config.proxy_file.present = row.states_proxy;
    config.http_proxy = Secret("http://p:1");
    DesiredOptions options;
    row.before(options);
    const auto state = reconcile::MakeDesiredState(config, options);
    ASSERT_TRUE(state) << state.error().message;
    payload::LoadedPayload before;
    before.files["egress.json"] = payload::EgressJson(config, *state, 1);
    Settings now;
    now.given.emplace();
    Findings findings;
    ReportLeftOut(before, {}, now, findings);
    ASSERT_LE(findings.size(), 1U);
    EXPECT_EQ(findings.empty() ? "" : findings[0].where, row.where);
  }
}

}  // namespace
}  // namespace prov::node
