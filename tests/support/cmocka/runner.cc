// cmocka_run_group_tests: groups as GoogleTest's suites.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/cmocka/shim_internal.h"
#include "tests/support/cmocka_listener.h"

namespace prov::cmocka {
namespace {

using testing_support::CmockaFormat;

struct Group {
  CMFixtureFunction setup = nullptr;
  CMFixtureFunction teardown = nullptr;
  void* state = nullptr;
};

// Groups that were run, by suite name: GoogleTest builds tests and calls suite fixtures without a context.
std::map<std::string, Group>& Groups() {
  static std::map<std::string, Group> groups;
  return groups;
}

// Calls one function of a test in clean surroundings. False when an assertion failed, something was left over or it
// skipped.
template <class Function>
bool RunGuarded(Function function) {
  ClearExpectations();
  try {
    function();
    if (const std::string leftovers = DescribeLeftovers(); !leftovers.empty()) FailWith(leftovers);
  } catch (const Abandoned&) {
    ClearExpectations();
    return false;
  }
  ClearExpectations();
  return true;
}

bool RunFixture(CMFixtureFunction fixture, void** state) {
  int code = 0;
  return RunGuarded([&] { code = fixture(state); }) && code == 0;
}

// The suite's fixture and every test of it.
class GroupTest : public testing::Test {
 public:
  GroupTest(const CMUnitTest& test, std::string suite) : test_(test), suite_(std::move(suite)) {}

  static void SetUpTestSuite() {
    Group& group = Current();
    if (group.setup != nullptr && !RunFixture(group.setup, &group.state))
      AddFailure(std::string(testing_support::kGroupSetupFailed));
  }
  static void TearDownTestSuite() {
    Group& group = Current();
    if (group.teardown != nullptr && !RunFixture(group.teardown, &group.state)) {
      AddFailure(std::string(testing_support::kGroupTeardownFailed));
    }
  }

  void TestBody() override {
    void* group_state = Groups().at(suite_).state;
    void* state = group_state != nullptr ? group_state : test_.initial_state;
    if (test_.setup_func != nullptr && !RunFixture(test_.setup_func, &state)) return Stop("Test setup failed");
    RunGuarded([&] { test_.test_func(&state); });
    if (test_.teardown_func != nullptr && !RunFixture(test_.teardown_func, &state)) Stop("Test teardown failed");
  }

 private:
  static Group& Current() { return Groups().at(testing::UnitTest::GetInstance()->current_test_suite()->name()); }

  static void Stop(const char* text) {
    RecordProperty(testing_support::kCmockaErrorProperty, text);
    AddFailure(text);
  }

  CMUnitTest test_;
  std::string suite_;
};

// main() has not handed the arguments on; Linux keeps them. Elsewhere the GTEST_* variables remain.
std::vector<std::string> CommandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    words.emplace_back(text.c_str() + at);
    at += words.back().size() + 1;
  }
  if (words.empty()) words.emplace_back("test");
  return words;
}

CmockaFormat& ChosenFormat() {
  static CmockaFormat format = CmockaFormat::kNone;
  return format;
}

// GoogleTest ignores a second initialisation, so a main() that did it already is fine.
void Initialise() {
  static bool done = false;
  if (std::exchange(done, true)) return;
  std::vector<std::string> words = CommandLine();
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  testing::InitGoogleTest(&count, arguments.data());
  testing_support::InstallCmockaListener(ChosenFormat());
}

// GoogleTest's names end up in filters and in ctest, so they are kept to letters, digits and '_'.
std::string Plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += plain ? c : '_';
  }
  return out.empty() ? "unnamed" : out;
}

std::set<std::string> SuiteNames() {
  const testing::UnitTest& unit = *testing::UnitTest::GetInstance();
  std::set<std::string> names;
  for (int i = 0; i < unit.total_test_suite_count(); ++i) names.insert(unit.GetTestSuite(i)->name());
  return names;
}

std::string UniqueName(const std::string& wanted, const std::set<std::string>& taken) {
  std::string name = wanted;
  for (int i = 2; taken.contains(name); ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

void Register(const std::string& suite, std::string_view group, const CMUnitTest& test, Place place) {
  const std::string given = test.name == nullptr ? "" : test.name;
  const std::string name = Plain(given);
  const std::string type = std::string(testing_support::kCmockaGroup).append(group);
  const std::string value = std::string(testing_support::kCmockaTest) + given;
  testing::RegisterTest(suite.c_str(), name.c_str(), suite == group ? nullptr : type.c_str(),
                        name == given ? nullptr : value.c_str(), place.file, place.line,
                        [test, suite]() -> GroupTest* { return new GroupTest(test, suite); });
}

// The caller's filter, less the suites that had their turn.
std::string FilterWithout(const std::string& filter, const std::set<std::string>& done) {
  std::string out = filter;
  bool has_negative = filter.find('-') != std::string::npos;
  for (const std::string& suite : done) {
    out += has_negative ? ":" : "-";
    out += suite + ".*";
    has_negative = true;
  }
  return out;
}

}  // namespace

int RunGroup(const char* name, const CMUnitTest* tests, size_t count, CMFixtureFunction setup,
             CMFixtureFunction teardown, Place place) {
  Initialise();
  // Plain GoogleTest tests of the program run along with the first group.
  const std::set<std::string> known = SuiteNames();
  const std::set<std::string> done = Groups().empty() ? std::set<std::string>() : known;
  const std::string suite = UniqueName(Plain(name), known);
  Groups()[suite] = {setup, teardown, nullptr};
  for (size_t i = 0; i < count; ++i) {
    if (tests[i].test_func != nullptr) Register(suite, name, tests[i], place);
  }
  const std::string filter = GTEST_FLAG_GET(filter);
  GTEST_FLAG_SET(filter, FilterWithout(filter, done));
  const int result = RUN_ALL_TESTS();
  GTEST_FLAG_SET(filter, filter);
  return result == 0 ? 0 : testing_support::CountCmockaFailures();
}

}  // namespace prov::cmocka

void cmocka_set_message_output(enum cm_message_output output) {
  using prov::testing_support::CmockaFormat;
  const std::map<cm_message_output, CmockaFormat> formats = {{CM_OUTPUT_STDOUT, CmockaFormat::kNone},
                                                             {CM_OUTPUT_SUBUNIT, CmockaFormat::kSubunit},
                                                             {CM_OUTPUT_TAP, CmockaFormat::kTap},
                                                             {CM_OUTPUT_XML, CmockaFormat::kXml}};
  prov::cmocka::ChosenFormat() = formats.at(output);
}
