// operations.json: what the engine plans for an empty machine.
#include "provisioner/payload/operations.h"

#include <gmock/gmock.h>

#include "provisioner/base/json_reader.h"
#include "provisioner/payload/egress_json.h"
#include "provisioner/reconcile/plan.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/memory_machine.h"
#include "tests/support/sample.h"

namespace prov::payload {
namespace {

using reconcile::CredentialPolicy;
using reconcile::DesiredOptions;
using testing::HasSubstr;
using testing::Not;
using testing_support::SampleConfig;

reconcile::DesiredState StateOf(CredentialPolicy credentials, std::vector<std::string> services) {
  DesiredOptions options;
  options.credentials = credentials;
  options.services = std::move(services);
  return reconcile::MakeDesiredState(SampleConfig(), options).value();
}

struct Listed {
  std::string item;
  JsonNode node;
};

std::vector<Listed> OperationsOf(const std::string& json) {
  std::vector<Listed> out;
  const JsonNode root = ParseSchemaOne(json, "operations.json").value();
  const std::vector<JsonNode> operations = root.Get("operations")->Items().value();
  for (const JsonNode& node : operations) {
    out.push_back({*node.Get("kind")->Text() + ":" + *node.Get("key")->Text(), node});
  }
  return out;
}

// The one list that the engine and the script share: same items, same order.
TEST(Operations, AreWhatTheEnginePlansForAnEmptyMachine) {
  for (const CredentialPolicy credentials :
       {CredentialPolicy::kMachine, CredentialPolicy::kServices, CredentialPolicy::kNone}) {
    const auto state = StateOf(credentials, {"containerd", "kubelet"});
    testing_support::MemoryMachine memory;
    reconcile::PutWindows(memory);
    machine::Machine machine = memory.Ports();
    const auto plan = reconcile::MakePlan(machine, state, {}, {});
    ASSERT_TRUE(plan) << plan.error().message;
    std::vector<std::string> planned;
    for (const reconcile::Operation& operation : plan->operations) planned.push_back(reconcile::ItemOf(operation));
    std::vector<std::string> listed;
    for (const Listed& one : OperationsOf(OperationsJson(SampleConfig(), state, 3))) listed.push_back(one.item);
    EXPECT_EQ(listed, planned);
  }
}

// The script takes back what it recorded in the scope and finds no longer.
TEST(Operations, TakeNoCertificateBackWhenTheSourceIsNotReadWhole) {
  egress::EgressConfig config = SampleConfig();
  config.not_read.trust = true;
  const auto state = reconcile::MakeDesiredState(config, DesiredOptions()).value();
  const std::string json = OperationsJson(config, state, 3);
  EXPECT_THAT(json, Not(HasSubstr("\"certs\"")));
  EXPECT_THAT(json, HasSubstr("\"certificate\""));
}

// What the choices leave out is taken back, too. What the source says nothing about is left alone, and what only the
// program sets is none of the script's business.
TEST(Operations, NameWhatTheChoicesLeaveOut) {
  egress::EgressConfig config = SampleConfig();
  DesiredOptions options;
  const auto json = [&] { return OperationsJson(config, reconcile::MakeDesiredState(config, options).value(), 3); };
  EXPECT_THAT(json(), Not(HasSubstr("leftOut")));
  options.scope.machine = options.scope.certificates = false;
  EXPECT_THAT(json(), HasSubstr(R"("leftOut": [
    "machine",
    "certs"
  ])"));
  config.trust_file.present = config.proxy_file.present = false;
  EXPECT_THAT(json(), Not(HasSubstr("leftOut")));
}

TEST(Operations, HoldNoPasswordAndSayWhichValuesEgressJsonHas) {
  for (const CredentialPolicy credentials : {CredentialPolicy::kMachine, CredentialPolicy::kServices}) {
    const std::string json = OperationsJson(SampleConfig(), StateOf(credentials, {"containerd"}), 3);
    EXPECT_THAT(json, Not(HasSubstr("c4nary")));
    bool machine_is_null = false;
    for (const auto& [item, node] : OperationsOf(json)) {
      if (item == "env:HTTP_PROXY") machine_is_null = !node.Find("value").value();
      if (item == "serviceEnv:containerd") {
        EXPECT_FALSE(node.Get("value")->Find("HTTP_PROXY").value());
        EXPECT_TRUE(node.Get("value")->Find("NO_PROXY").value());
      }
    }
    EXPECT_EQ(machine_is_null, credentials == CredentialPolicy::kMachine);
  }
  const auto state = StateOf(CredentialPolicy::kMachine, {});
  for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY"}) {
    EXPECT_THAT(ProxyValue(SampleConfig(), state, name).value_or(""), HasSubstr("c4nary"));
  }
}

}  // namespace
}  // namespace prov::payload
