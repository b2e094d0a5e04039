#include "provisioner/node/reboot_request.h"

#include "tests/node/node_helpers.h"
#include "tests/support/memory_machine.h"

namespace prov::node {
namespace {

using testing_support::Unflushed;

class RebootRequests : public NodeTest {
 protected:
  void Change(const Settings& settings) {
    OpenNode n = node();
    const auto report = ApplySettings(n, settings, {});
    ASSERT_TRUE(report) << report.error().message;
  }
  RebootAnswer Request(RebootWay way, Result<void> result = {}) {
    OpenNode n = node();
    const auto answer = RequestReboot(n, way, [&] {
      ++asked_;
      recorded_ = HasSection(kRebootAskedSection);
      return result;
    });
    failed_ = !answer;
    return answer.value_or(RebootAnswer::kNotNeeded);
  }

  int asked_ = 0;
  bool recorded_ = false, failed_ = false;
};

TEST_F(RebootRequests, NobodyIsAskedWhereNoneIsNeeded) {
  EXPECT_EQ(Request(RebootWay::kNow), RebootAnswer::kNotNeeded);
  EXPECT_EQ(asked_, 0);
}

TEST_F(RebootRequests, IsDueUntilSomebodyWasAsked) {
  OpenNode n = node();
  EXPECT_FALSE(RebootIsDue(n).value());
  Change(SampleSettings());
  EXPECT_TRUE(RebootIsDue(n).value());
  Request(RebootWay::kAnnotate);
  EXPECT_FALSE(RebootIsDue(n).value());
  host_.memory.Boot(Unflushed::kKept);
  EXPECT_FALSE(RebootIsDue(n).value()) << "it has booted";
  Change(OtherSettings());
  EXPECT_TRUE(RebootIsDue(n).value());
}

TEST_F(RebootRequests, OnceInEachBootWhateverTheWay) {
  Change(SampleSettings());
  EXPECT_EQ(Request(RebootWay::kAnnotate), RebootAnswer::kAsked);
  EXPECT_EQ(Request(RebootWay::kAnnotate), RebootAnswer::kAskedBefore);
  EXPECT_EQ(Request(RebootWay::kNow), RebootAnswer::kAskedBefore) << "never both";
  Change(OtherSettings());
  EXPECT_EQ(Request(RebootWay::kNow), RebootAnswer::kAskedBefore) << "the boot that comes is enough for both";
  EXPECT_EQ(asked_, 1);
  host_.memory.Boot(Unflushed::kKept);
  EXPECT_EQ(Request(RebootWay::kNow), RebootAnswer::kNotNeeded);
  Change(SampleSettings(3));
  EXPECT_EQ(Request(RebootWay::kNow), RebootAnswer::kAsked) << "another boot, another change";
  EXPECT_EQ(asked_, 2);
}

TEST_F(RebootRequests, WindowsIsAskedAfterItIsRecordedTheOperatorBefore) {
  Change(SampleSettings());
  Request(RebootWay::kNow);
  EXPECT_TRUE(recorded_) << "a kill now must not make it two";
  host_.memory.Boot(Unflushed::kKept);
  Change(OtherSettings());
  Request(RebootWay::kAnnotate);
  EXPECT_EQ(asked_, 2);
}

TEST_F(RebootRequests, AFailureIsTriedAgain) {
  Change(SampleSettings());
  Request(RebootWay::kNow, Fail(Code::kTarget, "refused"));
  EXPECT_TRUE(failed_);
  EXPECT_EQ(Request(RebootWay::kAnnotate), RebootAnswer::kAsked);
  EXPECT_EQ(asked_, 2);
}

TEST_F(RebootRequests, ARemovalForgetsIt) {
  Change(SampleSettings());
  Request(RebootWay::kNow);
  OpenNode n = node();
  ASSERT_TRUE(RemoveSettings(n));
  EXPECT_FALSE(HasSection(kRebootAskedSection));
}

}  // namespace
}  // namespace prov::node
