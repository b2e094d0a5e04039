#include "provisioner/node/node_reporting.h"

#include <gmock/gmock.h>

namespace prov::node {
namespace {

std::string WrittenReporting(const NodeReporting& reporting) {
  JsonWriter json;
  WriteNodeReporting(json, reporting);
  return json.Text();
}

Result<NodeReporting> ReadReporting(std::string_view text) {
  return ReadNodeReporting(PROV_TRY(ParseJsonDocument(text, "state.json")));
}

TEST(NodeReporting, ComesBackAsItWasWritten) {
  NodeReporting reporting;
  EXPECT_EQ(ReadReporting(WrittenReporting(reporting)).value(), reporting);
  reporting.cluster = ClusterNode{"win-1", R"(C:\kube\config)", true};
  reporting.approval = true;
  reporting.metrics_file = R"(C:\metrics\provisioner.prom)";
  reporting.reboot = {RebootMethod::kNow, ParseMaintenanceWindow("Sat,Sun 01:00-05:00", "x").value()};
  EXPECT_EQ(ReadReporting(WrittenReporting(reporting)).value(), reporting);
  reporting.reboot = {RebootMethod::kDrain, ParseMaintenanceWindow("01:00-05:00", "x").value()};
  EXPECT_EQ(ReadReporting(WrittenReporting(reporting)).value(), reporting);
  reporting.reboot = {RebootMethod::kAnnotate, std::nullopt};
  EXPECT_EQ(ReadReporting(WrittenReporting(reporting)).value(), reporting);
}

TEST(NodeReporting, WhatIsReadIsFollowed) {
  const auto reporting = ReadReporting(R"({"cluster":{"node":"win-1","kubeconfig":"/k"}})");
  ASSERT_TRUE(reporting && reporting->cluster);
  EXPECT_TRUE(reporting->cluster->is_followed);
  EXPECT_FALSE(reporting->IsNothing());
}

TEST(NodeReporting, RefusesWhatNoOptionCouldSay) {
  for (const char* text : {R"({"cluster":{"node":"WIN 1","kubeconfig":"/k"}})", R"({"cluster":{"node":"win-1"}})",
                           R"({"reboot":{"way":"soon"}})", R"({"reboot":{"way":"annotate"}})",
                           R"({"reboot":{"way":"drain"}})", R"({"approval":true})",
                           R"({"cluster":{"node":"win-1","kubeconfig":"/k"},"approval":1})", R"({"metricsFile":1})"}) {
    const auto reporting = ReadReporting(text);
    ASSERT_FALSE(reporting) << text;
    EXPECT_EQ(reporting.error().code, Code::kType) << text;
  }
  EXPECT_EQ(ReadReporting(R"({"reboot":{"way":"now","window":"at night"}})").error().code, Code::kUsage);
}

}  // namespace
}  // namespace prov::node
