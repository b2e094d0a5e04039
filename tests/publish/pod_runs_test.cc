#include "provisioner/publish/pod_runs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/result.h"

namespace prov::publish {
namespace {

std::string Owner(const std::string& kind, const std::string& name, const std::string& version = "apps/v1") {
  return fmt::format(
      R"("ownerReferences":[{{"kind":"Other","name":"x"}},{{"apiVersion":"{}","kind":"{}","name":"{}","controller":true}}])",
      version, kind, name);
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
  void AddOwners(const std::string& group, const std::string& kind, const std::string& items) {
    const auto page = Must(ReadAnyObject(List("PartialObjectMetadataList", items), "f"));
    Must(runs_.AddOwners(page, group, kind));
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

  PodRuns runs_{{.proxy = {Secret("http://p:1"), Secret(), ""}, .patch = PatchKind::kNone},
                "now",
                [](std::string_view name_space) { return name_space == "n"; }};
};

TEST_F(PodRunsTest, APodWithAnotherDigestIsOfItsWorkload) {
  AddOwners("apps", "ReplicaSet",
            fmt::format(R"({{"metadata":{{"name":"web-1","namespace":"n",{}}}}},)"
                        R"({{"metadata":{{"name":"alone","namespace":"n"}}}})",
                        Owner("Deployment", "web")));
  AddOwners("batch", "Job",
            fmt::format(R"({{"metadata":{{"name":"nightly-1","namespace":"n",{}}}}})",
                        Owner("CronJob", "nightly", "batch/v1")));
  EXPECT_EQ(Of(fmt::format("{},{},{},{},{},{}", Pod("a", Digest("now") + "," + Owner("ReplicaSet", "web-1")),
                           Pod("b", Digest("former") + "," + Owner("ReplicaSet", "web-1")),
                           Pod("c", Digest("former") + "," + Owner("ReplicaSet", "alone")),
                           Pod("d", Digest("former") + "," + Owner("StatefulSet", "db")),
                           Pod("e", Digest("former") + "," + Owner("Job", "nightly-1", "batch/v1")),
                           Pod("f", Digest("former")))),
            "CronJob/nightly 1 1;Deployment/web 2 1;Pod/f 1 1;ReplicaSet/alone 1 1;StatefulSet/db 1 1;");
}

// A kind of the same name in another group is another.
TEST_F(PodRunsTest, AnOwnerIsOfItsGroup) {
  AddOwners("apps", "ReplicaSet",
            fmt::format(R"({{"metadata":{{"name":"r","namespace":"n",{}}}}})", Owner("Deployment", "web")));
  EXPECT_EQ(Of(Pod("a", Digest("former") + "," + Owner("ReplicaSet", "r", "other.example/v1"))), "ReplicaSet/r 1 1;");
  EXPECT_EQ(runs_.Workloads().at(0).workload.group, "other.example");
  EXPECT_EQ(Of(Pod("b", Digest("former") + "," + Owner("ReplicationController", "c", "v1"))),
            "ReplicaSet/r 1 1;ReplicationController/c 1 1;");
}

// The annotation of such a pod has the present digest, as all that the policy could add is there.
TEST_F(PodRunsTest, CountsPodsThatCanNotGetTheBundle) {
  PodRuns runs({.proxy = {}, .patch = PatchKind::kNone, .trust = PodTrust{"ca", "all.pem"}}, "now",
               [](std::string_view /*name_space*/) { return true; });
  const auto page = Must(ReadAnyObject(
      List("PodList",
           R"({"metadata":{"name":"a","namespace":"n","annotations":{"egress-provisioner/pod-params":"now"}},)"
           R"("spec":{"containers":[{"name":"c"}],"volumes":[{"name":"egress-trust","emptyDir":{}}]}})"),
      "f"));
  ASSERT_TRUE(runs.AddPods(page));
  ASSERT_EQ(runs.Workloads().size(), 1U);
  EXPECT_EQ(runs.Workloads()[0].untrusted, 1U);
  EXPECT_EQ(runs.Workloads()[0].outdated, 0U);
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
