// The cases of tests/golden/rules, run by the engine. tests/e2e/powershell/rules_test.py runs the same ones by the
// script of payload folders, so that both follow one rule.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "images/registry/registry_key.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/script_state.h"
#include "provisioner/reconcile/service_name.h"
#include "provisioner/reconcile/windows_proxy.h"
#include "provisioner/reconcile/wmco.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/result.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;
using testing_support::MemoryMachine;

std::vector<JsonNode> CasesOf(const std::string& rule) {
  const std::string path = testing_support::TestsFolder() + "/golden/rules/" + rule + ".json";
  const JsonNode root = Must(ParseSchemaOne(testing_support::ReadAll(path), path));
  std::vector<JsonNode> cases = Must(Must(root.Get("cases")).Items());
  EXPECT_FALSE(cases.empty());
  return cases;
}

std::string Text(const JsonNode& node, std::string_view member) { return Must(Must(node.Get(member)).Text()); }
std::int64_t Number(const JsonNode& node, std::string_view member) { return Must(Must(node.Get(member)).Integer()); }
bool Flag(const JsonNode& node, std::string_view member) { return Must(Must(node.Get(member)).Bool()); }

// "TYPE:BYTES", both in hexadecimal.
RegValue Bytes(const std::string& text) {
  const auto bytes = FromHex(text.substr(text.find(':') + 1));
  EXPECT_TRUE(bytes) << text;
  return {"", static_cast<RegType>(std::stoul(text, nullptr, 16)), bytes.value_or("")};
}

// A text is a REG_SZ; an object says what else it is.
RegValue ValueOf(const JsonNode& node) {
  if (const auto text = node.Text()) return Sz("", *text);
  const auto [form, member] = Must(node.Members()).front();
  if (form == "expandSz") return {"", RegType::kExpandSz, images::EncodeSz(Must(member.Text()))};
  if (form == "hex") return Bytes(Must(member.Text()));
  EXPECT_EQ(form, "winHttp");
  return {"", RegType::kBinary,
          EncodeWinHttp({.version = static_cast<WinHttpVersion>(Number(member, "version")),
                         .counter = static_cast<std::uint32_t>(Number(member, "counter")),
                         .flags = static_cast<std::uint32_t>(Number(member, "flags")),
                         .proxy = {Text(member, "proxy"), Text(member, "bypass")}})};
}

// A list is its entries, or a text of bytes.
RegValue ListOf(const JsonNode& node) {
  if (const auto text = node.Text()) return Bytes(*text);
  std::vector<std::string> entries;
  for (const JsonNode& entry : Must(node.Items())) entries.push_back(Must(entry.Text()));
  return ServiceList(entries);
}

using Reader = RegValue (*)(const JsonNode&);

// null is an absent value.
std::optional<RegValue> Member(const JsonNode& node, std::string_view name, std::string_view value, Reader read) {
  const auto found = Must(node.Find(name));
  if (!found) return std::nullopt;
  RegValue out = read(*found);
  out.name = value;
  return out;
}

// Type and bytes; the spelling of its name is no part of a value.
std::string Shown(const std::optional<RegValue>& value) {
  if (!value) return "absent";
  return fmt::format("{:x}:{}", static_cast<unsigned>(value->type), ToHex(value->data));
}

std::string Shown(const Ledger& ledger, const std::string& item) {
  const auto found = ledger.find(item);
  if (found == ledger.end()) return "no record";
  return fmt::format("before {}, ours {}", Shown(found->second.before), Shown(found->second.ours));
}

// A case in which one value of the registry is brought to what is wanted.
struct ValueCase {
  JsonNode node;
  std::string item, key, value;
  Reader read;
};

void Check(const ValueCase& that, const DesiredState& desired) {
  const auto member = [&](const JsonNode& node, std::string_view name) {
    return Member(node, name, that.value, that.read);
  };
  MemoryMachine memory;
  PutWindows(memory);
  memory.PutKey(that.key);
  if (const auto now = member(that.node, "now")) memory.Put(that.key, *now);
  if (const auto daemon = Must(that.node.Find("daemon")); daemon && Must(daemon->Bool())) {
    memory.PutKey(ServiceKeyPath(kWmcoDaemon));
  }
  machine::Machine machine = memory.Ports();
  if (const auto recorded = Must(that.node.Find("recorded"))) {
    const Ledger ledger = {{that.item, {member(*recorded, "before"), member(*recorded, "ours"), {}}}};
    ASSERT_TRUE(machine.state.Commit({{std::string(kLedgerSection), LedgerJson(ledger)}}));
  }
  const bool yields = Must(YieldsEnvironment(machine, true));
  Ledger expected;
  if (const auto record = Must(that.node.Find("record"))) {
    expected[that.item] = {member(*record, "before"), member(*record, "ours"), {}};
  }
  MustApply(memory, desired, {.adopt = false, .yield_environment = yields});
  EXPECT_EQ(Shown(memory.At(that.key, that.value)), Shown(member(that.node, "then")));
  EXPECT_EQ(Shown(Must(LoadLedger(machine.state)), that.item), Shown(expected, that.item));
}

TEST(Rules, ListOfAService) {
  for (const JsonNode& node : CasesOf("service-list")) {
    SCOPED_TRACE(Text(node, "name"));
    DesiredState desired;
    ServiceEnvironment service{"X", {}};
    for (const JsonNode& entry : Must(Must(node.Get("wanted")).Items())) {
      const std::string text = Must(entry.Text());
      const std::size_t equals = text.find('=');
      service.variables.push_back({text.substr(0, equals), Secret(text.substr(equals + 1))});
    }
    if (!service.variables.empty()) desired.services.push_back(std::move(service));
    Check({node, "serviceEnv:x", ServiceKeyPath("x"), std::string(kServiceEnvironmentValue), ListOf}, desired);
  }
}

TEST(Rules, VariableOfTheMachine) {
  for (const JsonNode& node : CasesOf("variable")) {
    SCOPED_TRACE(Text(node, "name"));
    DesiredState desired;
    if (const auto wanted = Must(node.Find("wanted"))) {
      desired.environment.push_back({"HTTP_PROXY", Secret(Must(wanted->Text()))});
    }
    if (Must(node.Find("leftOut"))) std::swap(desired.scope, desired.left_out);
    Check({node, "env:HTTP_PROXY", EnvironmentKeyPath(), "HTTP_PROXY", ValueOf}, desired);
  }
}

TEST(Rules, WhatIsTheSame) {
  for (const JsonNode& node : CasesOf("same")) {
    const std::string kind = Text(node, "kind");
    SCOPED_TRACE(node.Json());
    const JsonNode one = Must(node.Get("one"));
    const JsonNode other = Must(node.Get("other"));
    bool same = false;
    if (kind == "service") {
      same = IsSameService(Must(one.Text()), Must(other.Text()));
    } else if (kind == "winHttp") {
      same = SameWinHttp(ValueOf(one), ValueOf(other));
    } else {
      same = SameVariable(kind, ValueOf(one), ValueOf(other));
    }
    EXPECT_EQ(same, Flag(node, "same"));
  }
}

// What was there before us has no record here.
TEST(Rules, Certificate) {
  const std::vector<CertificateItem> all = Desired().certificates;
  ASSERT_FALSE(all.empty());
  const CertificateItem& certificate = all.front();
  const std::string& der = certificate.certificate.der;
  const std::string thumbprint = Thumbprint(certificate.certificate);
  const std::string item = CertificateItemName(certificate.store, thumbprint);
  for (const JsonNode& node : CasesOf("certificate")) {
    SCOPED_TRACE(Text(node, "name"));
    MemoryMachine memory;
    PutWindows(memory);
    if (Flag(node, "there")) memory.content().certificates[certificate.store][der] = true;
    memory.MakeDurable();
    machine::Machine machine = memory.Ports();
    const auto recorded = Must(node.Find("recorded"));
    if (recorded && Must(recorded->Text()) == "ours") {
      const Ledger ledger = {{item, {std::nullopt, RegValue{thumbprint, RegType::kBinary, der}, {}}}};
      ASSERT_TRUE(machine.state.Commit({{std::string(kLedgerSection), LedgerJson(ledger)}}));
    }
    DesiredState desired;
    if (Flag(node, "wanted")) desired.certificates.push_back(certificate);
    MustApply(memory, desired);
    EXPECT_EQ(Must(memory.Contains(certificate.store, der)), Flag(node, "then"));
    EXPECT_EQ(Must(LoadLedger(machine.state)).contains(item), Flag(node, "ours"));
  }
}

TEST(Rules, Boot) {
  constexpr std::string_view kKey =
      R"(SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters)";
  for (const JsonNode& node : CasesOf("boot")) {
    SCOPED_TRACE(Text(node, "name"));
    MemoryMachine memory;
    if (const auto counter = Must(node.Find("counter"))) {
      const auto number = static_cast<std::uint32_t>(Must(counter->Integer()));
      memory.Put(kKey, {"BootId", images::RegType::kDword, images::EncodeDword(number)});
    }
    machine::Machine machine = memory.Ports();
    ScriptState script;
    script.reboot = Text(node, "mark");
    EXPECT_EQ(Must(ScriptNeedsReboot(machine, script)), Flag(node, "needed"));
  }
}

}  // namespace
}  // namespace prov::reconcile
