#include "provisioner/publish/rollout.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/publish/objects.h"

namespace prov::publish {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// "done", "failed" or "waits", with the message.
std::string State(const std::string& kind, const std::string& spec, const std::string& status, int observed = 2) {
  const auto object = ReadAnyObject(
      fmt::format(R"({{"metadata":{{"generation":2}},"spec":{{{}}},"status":{{"observedGeneration":{}{}{}}}}})", spec,
                  observed, status.empty() ? "" : ",", status),
      "f");
  EXPECT_TRUE(object);
  const auto rollout = RolloutOf(ViewOf(*object), kind);
  if (!rollout) return rollout.error().message;
  return fmt::format("{}: {}", rollout->done ? "done" : rollout->failed ? "failed" : "waits", rollout->message);
}

TEST(Rollout, ADeploymentIsDoneWhenOnlyNewPodsAreThere) {
  const std::string three = R"("replicas":3)";
  EXPECT_EQ(State("Deployment", three, R"("replicas":3,"updatedReplicas":3,"availableReplicas":3)"),
            "done: 3 of 3 pods are new, and 3 are available");
  EXPECT_EQ(State("Deployment", three, R"("replicas":4,"updatedReplicas":3,"availableReplicas":4)"),
            "waits: 3 of 3 pods are new, and 3 are available")
      << "a former pod is still there";
  EXPECT_EQ(State("Deployment", three, R"("replicas":4,"updatedReplicas":1,"availableReplicas":3)"),
            "waits: 1 of 3 pods are new, and 3 are available");
  EXPECT_THAT(State("Deployment", three, R"("replicas":3,"updatedReplicas":3,"availableReplicas":3)", 1),
              HasSubstr("not seen the change"));
  EXPECT_THAT(
      State("Deployment", three,
            R"("replicas":4,"updatedReplicas":1,"availableReplicas":3,"conditions":[{"type":"Available","reason":"x"},)"
            R"({"type":"Progressing","reason":"ProgressDeadlineExceeded"}])"),
      HasSubstr("failed: 1 of 3"));
  EXPECT_THAT(State("Deployment", "", ""), HasSubstr("waits: 0 of 1")) << "one is the default";
  EXPECT_THAT(State("Deployment", R"("replicas":0)", ""), HasSubstr("done: 0 of 0"));
}

TEST(Rollout, AStatefulSetIsDoneWhenItsNewRevisionIsTheCurrentOne) {
  const std::string two = R"("replicas":2)";
  EXPECT_THAT(State("StatefulSet", two,
                    R"("replicas":2,"readyReplicas":2,"updatedReplicas":1,"currentRevision":"a","updateRevision":"b")"),
              HasSubstr("waits: 1 of 2"));
  EXPECT_THAT(State("StatefulSet", two, R"("replicas":2,"readyReplicas":2,"currentRevision":"b","updateRevision":"b")"),
              HasSubstr("done"));
  EXPECT_THAT(State("StatefulSet", two, R"("replicas":2,"readyReplicas":1,"currentRevision":"b","updateRevision":"b")"),
              HasSubstr("waits"));
}

TEST(Rollout, ADaemonSetIsDoneOnAllItsNodes) {
  EXPECT_THAT(State("DaemonSet", "", R"("desiredNumberScheduled":5,"updatedNumberScheduled":5,"numberAvailable":4)"),
              HasSubstr("waits: 5 of 5 pods are new, and 4 are available"));
  EXPECT_THAT(State("DaemonSet", "", R"("desiredNumberScheduled":5,"updatedNumberScheduled":5,"numberAvailable":5)"),
              HasSubstr("done"));
}

std::string Reason(const std::string& kind, const std::string& spec) {
  const auto object = ReadAnyObject(fmt::format(R"({{"spec":{{{}}}}})", spec), "f");
  EXPECT_TRUE(object);
  const auto reason = ReasonNotToRoll(ViewOf(*object), kind);
  return reason ? *reason : reason.error().message;
}

TEST(Rollout, SomeStrategiesMakeNoNewPods) {
  EXPECT_THAT(Reason("Deployment", R"("paused":true)"), HasSubstr("paused"));
  EXPECT_THAT(Reason("Deployment", R"("paused":false,"strategy":{"type":"Recreate"})"), IsEmpty());
  EXPECT_THAT(Reason("DaemonSet", R"("updateStrategy":{"type":"OnDelete"})"), HasSubstr("OnDelete"));
  EXPECT_THAT(Reason("StatefulSet", R"("updateStrategy":{"type":"OnDelete"})"), HasSubstr("OnDelete"));
  EXPECT_THAT(Reason("StatefulSet", R"("updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":1}})"),
              HasSubstr("partition"));
  EXPECT_THAT(Reason("StatefulSet", R"("updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":0}})"),
              IsEmpty());
}

TEST(Rollout, ARestartChangesOnlyAnAnnotationOfTheTemplate) {
  EXPECT_EQ(
      RestartPatch(1'800'000'000),
      R"({"spec":{"template":{"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":"2027-01-15T08:00:00Z"}}}}})");
}

TEST(Rollout, OnlyTheseKindsHaveOne) {
  EXPECT_EQ(RolloutResource("apps", "Deployment"), "deployments");
  EXPECT_EQ(RolloutResource("apps", "StatefulSet"), "statefulsets");
  EXPECT_EQ(RolloutResource("apps", "DaemonSet"), "daemonsets");
  EXPECT_EQ(RolloutResource("apps.kruise.io", "StatefulSet"), "") << "somebody else's";
  for (const char* kind : {"Pod", "Job", "CronJob", "ReplicaSet", "Rollout", ""})
    EXPECT_EQ(RolloutResource("apps", kind), "");
}

}  // namespace
}  // namespace prov::publish
