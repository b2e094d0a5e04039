#include "provisioner/publish/pod_runs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prov::publish {
namespace {

std::string Owner(const std::string& kind, const std::string& name) {
  return fmt::format(
      R"("ownerReferences":[{{"kind":"Other","name":"x"}},{{"kind":"{}","name":"{}","controller":true}}])", kind, name);
}

// A pod; `metadata` and `more` are members with a comma before them.
std::string Pod(const std::string& name, const std::string& metadata = "", const std::string& more = "",
                const std::string& env = "") {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"n"{}}},"spec":{{"containers":[{{"name":"c","env":[{}]}}]}}{}}})", name,
      metadata, env, more);
}
std::string Digest(const std::string& digest) {
  return fmt::format(R"(,"annotations":{{"egress-provisioner/pod-params":"{}"}})", digest);
}
std::string List(const std::string& kind, const std::string& items) {
  return fmt::format(R"({{"apiVersion":"v1","kind":"{}","items":[{}]}})", kind, items);
}

class PodRunsTest : public testing::Test {
 protected:
  void AddOwners(const std::string& kind, const std::string& items) {
    const auto page = ReadAnyObject(List("PartialObjectMetadataList", items), "f");
    ASSERT_TRUE(page);
    const auto added = runs_.AddOwners(*page, kind);
    ASSERT_TRUE(added) << added.error().message;
  }
  // "KIND/NAME RUNNING OUTDATED;…" of a list of these pods.
  std::string Of(const std::string& pods) {
    const auto page = ReadAnyObject(List("PodList", pods), "f");
    EXPECT_TRUE(page) << page.error().message;
    if (!page) return {};
    const auto added = runs_.AddPods(*page);
    if (!added) return added.error().message;
    std::string out;
    for (const WorkloadPods& pods_of : runs_.Workloads()) {
      out +=
          fmt::format("{}/{} {} {};", pods_of.workload.kind, pods_of.workload.name, pods_of.running, pods_of.outdated);
    }
    return out;
  }

  PodRuns runs_{{.proxy = {Secret("http://p:1"), Secret(), ""}, .patch = PatchKind::kNone, .lists_all = true},
                "now",
                [](std::string_view name_space) { return name_space == "n"; }};
};

TEST_F(PodRunsTest, APodWithAnotherDigestIsOfItsWorkload) {
  AddOwners("ReplicaSet", fmt::format(R"({{"metadata":{{"name":"web-1","namespace":"n",{}}}}},)"
                                      R"({{"metadata":{{"name":"alone","namespace":"n"}}}})",
                                      Owner("Deployment", "web")));
  AddOwners("Job",
            fmt::format(R"({{"metadata":{{"name":"nightly-1","namespace":"n",{}}}}})", Owner("CronJob", "nightly")));
  EXPECT_EQ(Of(fmt::format("{},{},{},{},{},{}", Pod("a", Digest("now") + "," + Owner("ReplicaSet", "web-1")),
                           Pod("b", Digest("former") + "," + Owner("ReplicaSet", "web-1")),
                           Pod("c", Digest("former") + "," + Owner("ReplicaSet", "alone")),
                           Pod("d", Digest("former") + "," + Owner("StatefulSet", "db")),
                           Pod("e", Digest("former") + "," + Owner("Job", "nightly-1")), Pod("f", Digest("former")))),
            "CronJob/nightly 1 1;Deployment/web 2 1;Pod/f 1 1;ReplicaSet/alone 1 1;StatefulSet/db 1 1;");
}

TEST_F(PodRunsTest, WithoutADigestAPodCountsByWhatItHas) {
  EXPECT_EQ(
      Of(Pod("a") + "," +
         Pod("b", "", "", R"({"name":"HTTP_PROXY","value":"http://p:1"},{"name":"http_proxy","value":"http://p:1"})")),
      "Pod/a 1 1;Pod/b 1 0;")
      << "made before the policy was there; patched";
}

TEST_F(PodRunsTest, LeavesOutWhatThePolicyIsNotForAndWhatHasEnded) {
  const std::string opted_out = R"(,"annotations":{"kubernetes.azure.com/no-http-proxy-vars":"true"})";
  EXPECT_EQ(
      Of(fmt::format("{},{},{},{},{}", Pod("done", "", R"(,"status":{"phase":"Succeeded"})"),
                     Pod("failed", "", R"(,"status":{"phase":"Failed"})"),
                     Pod("going", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"),
                     Pod("static", R"(,"annotations":{"kubernetes.io/config.mirror":"x"})"),
                     R"({"metadata":{"name":"elsewhere","namespace":"m"},"spec":{"containers":[{"name":"c"}]}})")),
      "");
  EXPECT_EQ(Of(Pod("out", opted_out)), "Pod/out 1 0;");
  EXPECT_EQ(Of(""), "Pod/out 1 0;") << "an empty page";
}

}  // namespace
}  // namespace prov::publish
