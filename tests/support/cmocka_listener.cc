#include "tests/support/cmocka_listener.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "tests/support/cmocka_report.h"

namespace prov::testing_support {
namespace {

using testing::TestInfo;
using testing::TestPartResult;
using testing::TestSuite;

std::string_view TextOrEmpty(const char* text) { return text == nullptr ? std::string_view() : std::string_view(text); }

// What `text` says behind `prefix`, or `otherwise`.
std::string_view Behind(std::string_view prefix, std::string_view text, std::string_view otherwise) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : otherwise;
}
std::string_view GroupName(const TestSuite& suite) {
  return Behind(kCmockaGroup, TextOrEmpty(suite.type_param()), suite.name());
}
std::string_view TestName(const TestInfo& info) {
  return Behind(kCmockaTest, TextOrEmpty(info.value_param()), info.name());
}

// The failure's own words: ADD_FAILURE() and FAIL() put "Failed" in front of them.
std::string_view TextOf(const TestPartResult& part) {
  std::string_view text = TextOrEmpty(part.summary());
  if (text == "Failed") return {};
  if (text.starts_with("Failed\n")) text.remove_prefix(std::strlen("Failed\n"));
  return text;
}

// "file:line", or "" where the failure has no place.
std::string LocationOf(const TestPartResult& part) {
  if (part.file_name() == nullptr) return {};
  return part.line_number() < 0 ? std::string(part.file_name())
                                : fmt::format("{}:{}", part.file_name(), part.line_number());
}

bool HasErrorProperty(const testing::TestResult& result) {
  for (int i = 0; i < result.test_property_count(); ++i) {
    if (TextOrEmpty(result.GetTestProperty(i).key()) == kCmockaErrorProperty) return true;
  }
  return false;
}

std::string MessageOf(const testing::TestResult& result, bool is_error) {
  std::string out;
  for (int i = 0; i < result.total_part_count(); ++i) {
    const TestPartResult& part = result.GetTestPartResult(i);
    if (part.passed()) continue;
    const std::string location = LocationOf(part);
    // CMocka has at most one failure in a test and sets what setup and teardown say right behind it.
    if (!is_error && !out.empty() && out.back() != '\n') out += '\n';
    if (part.skipped()) {
      out += location + ": Skipped!\n";
      continue;
    }
    const std::string_view text = TextOf(part);
    out += text;
    if (location.empty()) continue;
    if (!text.empty() && text.back() != '\n') out += '\n';
    out += location + ": error: Failure!";
  }
  return out;
}

class CmockaListener : public testing::EmptyTestEventListener {
 public:
  CmockaListener(CmockaFormat format, std::optional<std::string> xml_file) : report_(format, std::move(xml_file)) {}

  void OnTestSuiteStart(const TestSuite& suite) override {
    tests_started_ = false;
    setup_failed_ = false;
    teardown_failed_ = false;
    in_suite_ = true;
    report_.BeginGroup(GroupName(suite), suite.test_to_run_count());
  }

  void OnTestPartResult(const TestPartResult& part) override {
    // GoogleTest holds its lock here, so it can't be asked which test runs.
    if (!part.failed() || in_test_) return;
    const std::string_view text = TextOf(part);
    if (text != kGroupSetupFailed && text != kGroupTeardownFailed) report_.GroupFailure(text, LocationOf(part));
    if (!in_suite_) return;  // an environment's
    (tests_started_ ? teardown_failed_ : setup_failed_) = true;
  }

  void OnTestStart(const TestInfo& info) override {
    if (setup_failed_ && !tests_started_) report_.GroupSetupFailed();
    tests_started_ = true;
    in_test_ = true;
    if (!setup_failed_) report_.BeginTest(TestName(info));
  }

  void OnTestEnd(const TestInfo& info) override {
    in_test_ = false;
    if (setup_failed_) return;  // GoogleTest reports each as skipped, CMocka doesn't mention them
    const testing::TestResult& result = *info.result();
    CmockaTestResult out{
        std::string(TestName(info)), CmockaStatus::kPassed, {}, static_cast<double>(result.elapsed_time()) / 1000};
    if (result.Skipped()) out.status = CmockaStatus::kSkipped;
    if (result.Failed()) {
      const bool is_error = HasErrorProperty(result);
      out.status = is_error ? CmockaStatus::kError : CmockaStatus::kFailed;
      out.message = MessageOf(result, is_error);
    }
    report_.EndTest(std::move(out));
  }

  void OnTestSuiteEnd(const TestSuite&) override {
    if (teardown_failed_) report_.GroupTeardownFailed();
    report_.EndGroup();
    in_suite_ = false;
  }

 private:
  CmockaReport report_;
  bool in_suite_ = false;
  bool in_test_ = false;
  bool tests_started_ = false;
  bool setup_failed_ = false;
  bool teardown_failed_ = false;
};

// The one that was chosen; GoogleTest's listeners are as global as this.
CmockaFormat& InstalledFormat() {
  static CmockaFormat format = CmockaFormat::kNone;
  return format;
}

// What CMOCKA_MESSAGE_OUTPUT asks for, else `fallback`.
CmockaFormat FormatFromEnvironment(CmockaFormat fallback) {
  const char* name = std::getenv("CMOCKA_MESSAGE_OUTPUT");
  if (name == nullptr) return fallback;
  for (const auto& [format, its_name] :
       {std::pair{CmockaFormat::kTap, "tap"}, {CmockaFormat::kSubunit, "subunit"}, {CmockaFormat::kXml, "xml"}}) {
    if (strcasecmp(name, its_name) == 0) return format;
  }
  return fallback;
}

}  // namespace

void InstallCmockaListener(CmockaFormat fallback) {
  const CmockaFormat format = FormatFromEnvironment(fallback);
  if (format == CmockaFormat::kNone || InstalledFormat() != CmockaFormat::kNone) return;
  InstalledFormat() = format;
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  const char* file = std::getenv("CMOCKA_XML_FILE");
  listeners.Append(new CmockaListener(
      format, file == nullptr ? std::nullopt : std::optional<std::string>(file)));  // GoogleTest owns it now
}

CmockaFormat InstalledCmockaFormat() { return InstalledFormat(); }

int CountCmockaFailures() {
  const testing::UnitTest& unit = *testing::UnitTest::GetInstance();
  int count = 0;
  for (int i = 0; i < unit.total_test_suite_count(); ++i) {
    const TestSuite& suite = *unit.GetTestSuite(i);
    count += suite.failed_test_count() + (suite.ad_hoc_test_result().Failed() ? 1 : 0);
  }
  return count == 0 && unit.Failed() ? 1 : count;
}

int RunAllTests() {
  const int result = RUN_ALL_TESTS();
  if (InstalledFormat() == CmockaFormat::kNone) return result;
  constexpr int kMaxExit = 255;
  return result == 0 ? 0 : std::clamp(CountCmockaFailures(), 1, kMaxExit);
}

}  // namespace prov::testing_support
