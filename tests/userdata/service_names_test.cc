// Every valid name of a service passes unchanged through each form of a payload, and to the registry and back.
#include <gmock/gmock.h>

#include <cstdint>
#include <random>

#include "images/registry/hive_editor.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/egress_json.h"
#include "provisioner/payload/registry_payload.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/service_name.h"
#include "provisioner/reconcile/transaction.h"
#include "provisioner/userdata/user_data_container.h"
#include "tests/support/amount.h"
#include "tests/support/hive_reader.h"
#include "tests/support/memory_machine.h"
#include "tests/support/sample.h"

namespace prov::userdata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::SampleConfig;

// What has a meaning to a shell, to JSON, XML, .reg files, wildcards or URLs, and letters beyond ASCII and the BMP.
std::string OddName(std::minstd_rand& random) {
  constexpr std::array<std::string_view, 36> kPieces = {
      " ", "\"", "'", "`",  "$", "$(", ")", "[", "]", "*", "?", "@", ";", ",", "=", "%", "&",  "|",
      "<", ">",  "^", "--", "#", "{",  "}", "!", ":", "~", "+", "a", "Z", "7", "ς", "ί", "名", "\U0001F600"};
  std::string out;
  for (std::size_t pieces = 1 + random() % 12; pieces > 0; --pieces) out += kPieces[random() % kPieces.size()];
  return out;
}

reconcile::DesiredState For(const std::string& name) {
  reconcile::DesiredOptions options;
  options.services = {name};
  return reconcile::MakeDesiredState(SampleConfig(), options).value();
}

const images::RegKey* Below(const images::RegKey& key, std::string_view name) {
  const auto found = std::ranges::find(key.subkeys, name, &images::RegKey::name);
  return found == key.subkeys.end() ? nullptr : &*found;
}

void ExpectInPayload(const std::string& name, const reconcile::DesiredState& state) {
  payload::PayloadBytes files{{"egress.json", payload::EgressJson(SampleConfig(), state, 1)}};
  for (const auto& item : state.certificates) files[payload::CertificatePath(item)] = item.certificate.der;
  const auto json = payload::ReadEgressJson(files, "p");
  ASSERT_TRUE(json) << name << ": " << json.error().message;
  EXPECT_THAT(json->options.services, ElementsAre(name));

  const auto read = ReadContainer(MakeContainer(SampleConfig(), state, {}), "c");
  ASSERT_TRUE(read) << name << ": " << read.error().message;
  EXPECT_THAT(read->options.services, ElementsAre(name));
}

void ExpectInRegistry(const std::string& name, const reconcile::DesiredState& state) {
  const auto text = FromUtf16Le(payload::RegistryFile(state).substr(2));
  ASSERT_TRUE(text) << name;
  EXPECT_THAT(*text, HasSubstr(R"([HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\)" + name + "]\r\n"));

  const auto hive = payload::SystemHive(state);
  ASSERT_TRUE(hive) << name << ": " << hive.error().message;
  const images::RegKey root = images::ReadHive(*hive).value();
  const images::RegKey* services = Below(root.subkeys.at(0), "Services");
  ASSERT_NE(services, nullptr);
  EXPECT_NE(Below(*services, name), nullptr) << name;
  auto editor = images::HiveEditor::Open(*hive);
  ASSERT_TRUE(editor) << name;
  EXPECT_EQ(editor->KeyExists("ControlSet001\\Services\\" + reconcile::ServiceNameKey(name)), true) << name;
}

void ExpectOnAMachine(const std::string& name, const reconcile::DesiredState& state) {
  testing_support::MemoryMachine memory;
  memory.PutKey(reconcile::ServiceKeyPath(name));
  const auto before = memory.content();
  machine::Machine machine = memory.Ports();
  for (const reconcile::DesiredState& desired : {state, reconcile::NothingDesired()}) {
    const auto plan = reconcile::MakePlan(machine, desired, reconcile::LoadLedger(machine.state).value(), {});
    ASSERT_TRUE(plan) << name << ": " << plan.error().message;
    ASSERT_TRUE(reconcile::CarryOut(machine, *plan, {})) << name;
    const bool there = memory.At(reconcile::ServiceKeyPath(name), "Environment").has_value();
    EXPECT_EQ(there, !desired.services.empty()) << name;
  }
  EXPECT_EQ(memory.content().keys, before.keys) << name;
}

TEST(ServiceNames, ComeThroughEveryFormOfAPayload) {
  std::minstd_rand random(1);
  for (std::uint32_t i = 0; i < testing_support::Amount(200); ++i) {
    const std::string name = OddName(random);
    ASSERT_TRUE(reconcile::CheckServiceName(name)) << name;
    const reconcile::DesiredState state = For(name);
    ExpectInPayload(name, state);
    ExpectInRegistry(name, state);
    ExpectOnAMachine(name, state);
    if (HasFailure()) return;
  }
}

TEST(ServiceNames, TheLongestOneFits) {
  const std::string name(256, '=');
  ExpectInPayload(name, For(name));
  ExpectInRegistry(name, For(name));
  ExpectOnAMachine(name, For(name));
}

}  // namespace
}  // namespace prov::userdata
