#include "ignition/document.h"

#include <gtest/gtest.h>

#include "provisioner/base/text.h"
#include "tests/ignition/helpers.h"
#include "tests/support/result.h"

namespace prov::ignition {
namespace {

constexpr std::string_view kConfig =
    R"({"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/a","contents":{"source":"data:,x"}}]}})";

std::string Rendered(char digit, std::string_view pool = "worker") {
  return fmt::format("rendered-{}-{}", pool, std::string(32, digit));
}

std::string MachineConfig(std::string_view name, std::string_view created = "2026-01-15T10:20:30Z",
                          std::string_view config = kConfig) {
  return fmt::format(
      R"({{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig","metadata":{{"name":"{}","creationTimestamp":"{}"}},)"
      R"("spec":{{"config":{}}}}})",
      name, created, config);
}

std::string List(const std::vector<std::string>& items, std::string_view kind = "List") {
  return fmt::format(R"({{"apiVersion":"v1","kind":"{}","items":[{}]}})", kind, fmt::join(items, ","));
}

Result<Document> Select(const std::string& text, const Selection& selection) {
  return ReadText(text, nullptr, {}, selection);
}

TEST(ReadConfig, BareIgnition) {
  auto document = MustRead(std::string(kConfig));
  EXPECT_EQ(document.kind, "Ignition");
  EXPECT_EQ(document.name, "");
  EXPECT_EQ(Show(document.config.Read("/a")), "x");
  EXPECT_TRUE(document.findings.empty());
}

TEST(ReadConfig, MachineConfigAsJson) {
  auto document = MustRead(MachineConfig(Rendered('a')));
  EXPECT_EQ(document.kind, "MachineConfig");
  EXPECT_EQ(document.name, Rendered('a'));
  EXPECT_TRUE(document.findings.empty());
  const FileContents file = document.config.Read("/a").value().value();
  EXPECT_EQ(file.where, "$.spec.config.storage.files[0]");
}

TEST(ReadConfig, MachineConfigAsYaml) {
  auto document = MustRead(fmt::format(R"(apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  creationTimestamp: "2026-01-15T10:20:30Z"
  name: {}
spec:
  config:
    ignition:
      version: 3.4.0
    storage:
      files:
      - contents:
          source: data:,%23%20c
        mode: 384
        path: /a
)",
                                       Rendered('a')));
  EXPECT_EQ(document.config.version(), "3.4.0");
  const FileContents file = document.config.Read("/a").value().value();
  EXPECT_EQ(file.bytes, "# c");
  EXPECT_EQ(file.mode, 0600U);
}

TEST(ReadConfig, WithoutMetadata) {
  auto document = MustRead(R"({"kind":"MachineConfig","spec":{"config":{"ignition":{"version":"3.2.0"}}}})");
  EXPECT_EQ(document.name, "");
  ASSERT_EQ(document.findings.size(), 1U);
  EXPECT_EQ(document.findings[0].code, "not-rendered");
}

TEST(ReadConfig, SingleMachineConfigNames) {
  auto plain = MustRead(MachineConfig("99-worker-ssh"));
  ASSERT_EQ(plain.findings.size(), 1U);
  EXPECT_EQ(plain.findings[0].code, "not-rendered");
  EXPECT_EQ(plain.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(plain.findings[0].where, "$.metadata.name");
  auto other = MustRead(MachineConfig(Rendered('a', "master")));
  ASSERT_EQ(other.findings.size(), 1U);
  EXPECT_EQ(other.findings[0].code, "other-pool");
  EXPECT_TRUE(Select(MachineConfig(Rendered('a', "infra")), {.pool = "infra"})->findings.empty());
  auto named = Must(Select(MachineConfig("99-worker-ssh"), {.name = "99-worker-ssh"}));
  EXPECT_TRUE(named.findings.empty());  // it was asked for by name
  const Error wrong = ErrorIn(Select(MachineConfig(Rendered('a')), {.name = Rendered('b')}));
  EXPECT_EQ(wrong.code, Code::kNotFound);
  EXPECT_EQ(wrong.where, "$.metadata.name");
  EXPECT_NE(wrong.message.find(Rendered('a')), std::string::npos);
}

TEST(ReadConfig, ListTakesTheNewestOfThePool) {
  const std::string text =
      List({MachineConfig(Rendered('a'), "2026-01-15T10:20:30Z"), MachineConfig(Rendered('b'), "2026-03-01T00:00:00Z"),
            MachineConfig(Rendered('c'), "2026-02-01T00:00:00Z"),
            MachineConfig(Rendered('d', "worker-rt"), "2027-01-01T00:00:00Z"),
            MachineConfig(Rendered('e', "master"), "2027-01-01T00:00:00Z"),
            MachineConfig("99-worker", "2027-01-01T00:00:00Z"), R"({"kind":"Node","metadata":{}})"});
  auto document = MustRead(text);
  EXPECT_EQ(document.name, Rendered('b'));
  ASSERT_EQ(document.findings.size(), 1U);
  EXPECT_EQ(document.findings[0].code, "newest-of-list");
  EXPECT_NE(document.findings[0].message.find("status.configuration.name"), std::string::npos);
  EXPECT_EQ((*document.config.Read("/a"))->where, "$.items[1].spec.config.storage.files[0]");
  auto other = Must(Select(text, {.pool = "worker-rt"}));
  EXPECT_EQ(other.name, Rendered('d', "worker-rt"));
  EXPECT_TRUE(other.findings.empty());
  auto named = Must(Select(text, {.name = Rendered('a')}));
  EXPECT_EQ(named.name, Rendered('a'));
  EXPECT_TRUE(named.findings.empty());
  EXPECT_EQ(Select(text, {.name = "99-worker"})->name, "99-worker");
}

std::string Pool(std::string_view name, std::string_view on_nodes, std::string_view spec = "{}") {
  return fmt::format(
      R"({{"kind":"MachineConfigPool","metadata":{{"name":"{}"}},"spec":{},"status":{{"configuration":{{"name":"{}"}}}}}})",
      name, spec, on_nodes);
}

// The newest config may still be on its way to the nodes, or never get there.
TEST(ReadConfig, ThePoolSaysWhichConfigItsNodesHave) {
  const std::string old = MachineConfig(Rendered('a'), "2026-01-15T10:20:30Z");
  const std::string newer = MachineConfig(Rendered('b'), "2026-03-01T00:00:00Z");
  const std::string pool = Pool("worker", Rendered('a'));
  const std::string others = Pool("master", Rendered('c', "master"));
  for (const auto& items : {std::vector{others, pool, old, newer}, std::vector{newer, old, pool, others}}) {
    auto document = MustRead(List(items));
    EXPECT_EQ(document.name, Rendered('a'));
    EXPECT_TRUE(document.findings.empty());
  }
  EXPECT_EQ(Select(List({pool, old, newer}), {.name = Rendered('b')})->name, Rendered('b'));  // a name wins
  // The pool's word counts, whatever the config is called.
  EXPECT_EQ(Select(List({Pool("windows", Rendered('a')), old, newer}), {.pool = "windows"})->name, Rendered('a'));
  auto without = MustRead(List({others, old, newer}));
  EXPECT_EQ(without.name, Rendered('b'));
  EXPECT_TRUE(HasFinding(without.findings, "newest-of-list"));
}

// The Machine Config Server gives a new node the newest config once one node of the pool has it.
TEST(ReadConfig, ARolloutNamesBothConfigs) {
  const auto said = [](int updated) -> std::string {
    const std::string pool = fmt::format(
        R"({{"kind":"MachineConfigPool","metadata":{{"name":"worker"}},"spec":{{"configuration":{{"name":"{}"}}}},)"
        R"("status":{{"configuration":{{"name":"{}"}},"updatedMachineCount":{}}}}})",
        Rendered('b'), Rendered('a'), updated);
    const auto document = MustRead(List({pool, MachineConfig(Rendered('a')), MachineConfig(Rendered('b'))}));
    EXPECT_EQ(document.name, Rendered('a'));
    EXPECT_EQ(document.findings.size(), 1U);
    EXPECT_TRUE(HasFinding(document.findings, "pool-rollout"));
    return document.findings.empty() ? "" : document.findings[0].message;
  };
  EXPECT_NE(said(0).find("from " + Rendered('a') + " to " + Rendered('b')), std::string::npos) << said(0);
  EXPECT_NE(said(0).find("gives new nodes the first"), std::string::npos);
  EXPECT_NE(said(1).find("gives new nodes the second"), std::string::npos);
}

TEST(ReadConfig, APausedPoolIsTold) {
  const auto paused = [](std::string_view newest) {
    const std::string spec = fmt::format(R"({{"paused":true,"configuration":{{"name":"{}"}}}})", newest);
    auto document = ReadText(List({Pool("worker", Rendered('a'), spec), MachineConfig(Rendered('a'))}));
    return document && HasFinding(document->findings, "pool-paused");
  };
  EXPECT_TRUE(paused(Rendered('b')));
  EXPECT_FALSE(paused(Rendered('a')));
}

TEST(ReadConfig, APoolWithoutItsConfig) {
  const struct {
    std::string text;
    std::string_view where;
    std::string_view says;
  } rows[] = {
      {List({Pool("worker", Rendered('a')), MachineConfig(Rendered('b'))}), "$.items[0].status.configuration.name",
       "which is not there; \"rendered-worker-bbbb"},
      {List({Pool("worker", Rendered('a'))}), "$.items[0].status.configuration.name", "no MachineConfig at all"},
      {List({MachineConfig(Rendered('b')), Pool("worker", "")}), "$.items[1].status.configuration.name",
       "no rendered config yet"},
      {List({MachineConfig(Rendered('b')), R"({"kind":"MachineConfigPool","metadata":{"name":"worker"},"status":7})"}),
       "$.items[1].status.configuration.name", "no rendered config yet"},
      {List({MachineConfig(Rendered('a')), MachineConfig(Rendered('b')), Pool("worker", Rendered('a')),
             Pool("worker", Rendered('b'))}),
       "$.items[3]", "two MachineConfigPools"},
  };
  for (const auto& row : rows) {
    const Error error = ErrorOf(row.text);
    EXPECT_EQ(error.code, Code::kNotFound) << row.text;
    EXPECT_EQ(error.where, row.where) << row.text;
    EXPECT_NE(error.message.find(row.says), std::string::npos) << error.message;
  }
}

TEST(ReadConfig, ListComparesInstants) {
  EXPECT_EQ(ReadText(List({MachineConfig(Rendered('a'), "2026-01-15T12:00:00+02:00"),
                           MachineConfig(Rendered('b'), "2026-01-15T10:30:00Z")}))
                ->name,
            Rendered('b'));
  EXPECT_EQ(
      ReadText(List({MachineConfig(Rendered('a'), "2026-01-15T10:00:00Z"), MachineConfig(Rendered('b'), "")}))->name,
      Rendered('a'));
  EXPECT_EQ(
      ReadText(List({MachineConfig(Rendered('a'), "zzz"), MachineConfig(Rendered('b'), "2026-01-15T10:00:00Z")}))->name,
      Rendered('b'));
  EXPECT_EQ(ReadText(List({MachineConfig(Rendered('a'), ""), MachineConfig(Rendered('b'), "")}))->name, Rendered('a'));
}

TEST(ReadConfig, TypedListsMayOmitTheKind) {
  const std::string item =
      fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"config":{}}}}})", Rendered('a'), kConfig);
  EXPECT_EQ(ReadText(List({item}, "MachineConfigList"))->name, Rendered('a'));
  EXPECT_EQ(ReadText(List({item}, "List"))->name, Rendered('a')) << "by the Ignition config in it";
  const std::string other = fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"config":{{}}}}}})", Rendered('a'));
  EXPECT_EQ(ErrorOf(List({other}, "List")).code, Code::kNotFound);
}

TEST(ReadConfig, ListWithoutTheWantedOne) {
  const Error none = ErrorOf(List({}));
  EXPECT_EQ(none.code, Code::kNotFound);
  EXPECT_EQ(none.where, "$.items");
  EXPECT_NE(none.message.find("the list is empty; get it with: oc get machineconfigpools,machineconfigs -o json"),
            std::string::npos);
  const Error nodes = ErrorOf(List({R"({"kind":"Node"})", R"({"kind":"Node"})", "{}"}));
  EXPECT_NE(nodes.message.find("holds no MachineConfig, but 1 without a kind, 2 Node; get"), std::string::npos)
      << nodes.message;
  EXPECT_EQ(ErrorOf(R"({"kind":"List"})").code, Code::kNotFound);
  EXPECT_EQ(ErrorOf(R"({"kind":"List","items":null})").code, Code::kNotFound);
  const Error names = ErrorOf(List({MachineConfig("99-a"), MachineConfig("99-b")}));
  EXPECT_NE(names.message.find("\"99-a\", \"99-b\""), std::string::npos) << names.message;
  EXPECT_NE(names.message.find("rendered-worker-"), std::string::npos);
  std::vector<std::string> many;
  for (int i = 0; i < 20; ++i) many.push_back(MachineConfig(fmt::format("mc-{}", i)));
  const Error shortened = ErrorOf(List(many), nullptr, {}, {.name = "mc-x"});
  EXPECT_NE(shortened.message.find("\"mc-7\" and 12 more"), std::string::npos) << shortened.message;
  EXPECT_NE(shortened.message.find("\"mc-x\""), std::string::npos);
}

TEST(ReadConfig, RefusesWithThePlace) {
  const auto config = [](std::string_view value) { return MachineConfig(Rendered('a'), "", value); };
  const struct {
    std::string text;
    Code code;
    std::string_view where;
    std::string_view says = "";
  } rows[] = {
      {R"({"kind":"MachineConfig"})", Code::kNoConfig, "$.spec.config"},
      {R"({"kind":"MachineConfig","spec":null})", Code::kNoConfig, "$.spec.config"},
      {R"({"kind":"MachineConfig","spec":{}})", Code::kNoConfig, "$.spec.config"},
      {config("null"), Code::kNoConfig, "$.spec.config"},
      {List({config("null")}), Code::kNoConfig, "$.items[0].spec.config"},
      {R"({"kind":1})", Code::kType, "$.kind"},
      {R"({"kind":"List","items":{}})", Code::kType, "$.items"},
      {R"({"kind":"List","items":[1]})", Code::kType, "$.items[0]"},
      {R"({"kind":"List","items":[{"kind":[]}]})", Code::kType, "$.items[0].kind"},
      {R"({"kind":"MachineConfig","metadata":[]})", Code::kType, "$.metadata"},
      {R"({"kind":"MachineConfig","metadata":{"name":1}})", Code::kType, "$.metadata.name"},
      {R"({"kind":"MachineConfig","metadata":{"creationTimestamp":1}})", Code::kType, "$.metadata.creationTimestamp"},
      {R"({"kind":"MachineConfig","spec":[]})", Code::kType, "$.spec"},
      {config("\"text\""), Code::kType, "$.spec.config"},
      {config("{}"), Code::kVersion, "$.spec.config.ignition.version"},
      {R"({"kind":"MachineConfigPool"})", Code::kKind, "$.kind", "status.configuration.name"},
      {R"({"kind":"MachineConfigPoolList"})", Code::kKind, "$.kind", "status.configuration.name"},
      {R"({"kind":"Secret"})", Code::kKind, "$.kind", "data.userData"},
      {R"({"kind":"ConfigMap"})", Code::kKind, "$.kind", "found the kind ConfigMap"},
      {R"({"kind":"machineconfig"})", Code::kKind, "$.kind", "oc get machineconfig"},
      {R"({"kind":"Pod","ignition":{"version":"3.2.0"}})", Code::kKind, "$.kind", "found the kind Pod"},
      {"kind: Proxy", Code::kKind, "$.kind", "found the kind Proxy"},
      {"{}", Code::kKind, "input", "found neither"},
      {R"({"ignition":null})", Code::kKind, "input", "found neither"},
      {"[]", Code::kKind, "input", "found an array"},
      {"text", Code::kKind, "input", "found a string"},
      {"42", Code::kKind, "input", "found an integer"},
      {"<!DOCTYPE html><html><body>Login</body></html>", Code::kKind, "input", "HTML"},
      {"{\n  \"ignition\": }", Code::kJson, "line 2, column 15"},
  };
  for (const auto& row : rows) {
    const Error error = ErrorOf(row.text);
    EXPECT_EQ(error.code, row.code) << row.text << ": " << error.message;
    EXPECT_EQ(error.where, row.where) << row.text;
    EXPECT_NE(error.message.find(row.says), std::string::npos) << error.message;
  }
  EXPECT_EQ(ErrorOf("").code, Code::kJson);
  EXPECT_EQ(ErrorOf("a:\n - b\n c").code, Code::kYaml);
  Limits limits;
  limits.input = 10;
  const Error large = ErrorOf(std::string(kConfig), nullptr, limits);
  EXPECT_EQ(large.code, Code::kTooLarge);
  EXPECT_EQ(large.where, "input");  // no field and no line: the input's own name
}

TEST(ReadConfig, MessagesStayUtf8AndShort) {
  const Error error = ErrorOf(fmt::format("{{\"kind\":\"{:é>1000}\"}}", ""));
  EXPECT_LT(error.message.size(), 400U);
  for (std::size_t i = 0; i + 1 < error.message.size(); ++i) {
    EXPECT_TRUE(error.message[i] != '\xC3' || error.message[i + 1] == '\xA9');
  }
}

TEST(PoolOfRenderedName, ReadsThePool) {
  EXPECT_EQ(PoolOfRenderedName("rendered-worker-0123456789abcdef0123456789abcdef"), "worker");
  EXPECT_EQ(PoolOfRenderedName("rendered-worker-rt-0123456789abcdef0123456789abcdef"), "worker-rt");
  for (const char* name :
       {"", "rendered-", "rendered-worker", "99-worker-ssh", "rendered-worker-0123456789abcdef0123456789abcde",
        "rendered-worker-0123456789abcdef0123456789abcdeF", "rendered-worker-0123456789abcdef0123456789abcdefa",
        "rendered-0123456789abcdef0123456789abcdef", "rendered--0123456789abcdef0123456789abcdef",
        "xrendered-worker-0123456789abcdef0123456789abcdef", "rendered-worker_0123456789abcdef0123456789abcdef"}) {
    EXPECT_EQ(PoolOfRenderedName(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace prov::ignition
