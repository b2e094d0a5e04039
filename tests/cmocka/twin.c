/* One suite that meets everything CMocka can report. It is built twice, with CMocka and with the shim, and
 * compare_twin.py compares what both print. Each word on the command line runs one part, so that differences that are
 * meant can be told apart. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* behind those it needs; clang-format would sort it in: clang-format off */
#include <cmocka.h>
/* clang-format on */

#define UNUSED(state) (void)(state)
/* ---- Mocks ---- */

static int MockBoth(int number, const char* text) {
  check_expected(number);
  check_expected_ptr(text);
  return mock_type(int);
}

static int MockNumber(int number) {
  check_expected(number);
  return 0;
}

static int MockText(const char* text) {
  check_expected_ptr(text);
  return 0;
}

static int Ordered(void) { return function_called(), 1; }
static int Other(void) { return function_called(), 2; }

static int Value(void) { return mock_type(int); }
static char* Pointer(void) { return mock_ptr_type(char*); }

/* ---- Fixtures ---- */

static int g_shared = 5;
static int g_other = 6;

#define FIXTURE(name, statement, code) \
  static int name(void** state) {      \
    UNUSED(state);                     \
    statement;                         \
    return code;                       \
  }

FIXTURE(SetupFails, (void)0, 7)
FIXTURE(SetupAsserts, assert_int_equal(1, 2), 0)
FIXTURE(SetupLeaves, will_return(Value, 4), 0)
FIXTURE(SetupSkips, skip(), 0)

static int SetupState(void** state) {
  *state = &g_other;
  return 0;
}

static int TeardownChecks(void** state) {
  assert_ptr_equal(*state, &g_other);
  return 0;
}

static int GroupState(void** state) {
  *state = &g_shared;
  return 0;
}

static int GroupStateChecked(void** state) {
  assert_ptr_equal(*state, &g_shared);
  return 0;
}

FIXTURE(GroupAsserts, assert_true(0), 1)
/* ---- Results ---- */

#define FAILING(name, statement)   \
  static void name(void** state) { \
    UNUSED(state);                 \
    statement;                     \
  }

static void Passes(void** state) { UNUSED(state); }

FAILING(Fails, assert_string_equal("a", "b"))

static void Skips(void** state) {
  UNUSED(state);
  will_return(Value, 1);
  skip();
}

static void Prints(void** state) {
  UNUSED(state);
  print_message("a message\n");
  print_error("an error\nof two lines <&>\n");
  fail();
}

FAILING(FailsWithMessage, fail_msg("%d of %s", 5, "six"))

static void Nested(int depth) {
  if (depth < 0) return;
  Nested(depth - 1);
  assert_int_equal(depth, 20); /* the innermost fails first */
}

FAILING(FailsDeep, Nested(20))

/* ---- Assertions that fail ---- */

static const LargestIntegralType kSet[] = {0, 1, 2, 300};

FAILING(True, assert_true(1 == 2))
FAILING(False, assert_false(1 == 1))
FAILING(Null, assert_null(&g_shared))
FAILING(NonNull, assert_non_null(NULL))
FAILING(IntEqual, assert_int_equal(-1, 0))
FAILING(IntNotEqual, assert_int_not_equal(2, 2))
FAILING(PtrEqual, assert_ptr_equal(&g_shared, &g_other))
FAILING(PtrNotEqual, assert_ptr_not_equal(&g_shared, &g_shared))
FAILING(StringNotEqual, assert_string_not_equal("q", "q"))
FAILING(MemoryEqual, assert_memory_equal("abcd", "abxd", 4))
FAILING(MemoryEqual16, assert_memory_equal("0123456789abcdef", "ABCDEFGHIJKLMNOP", 16))
FAILING(MemoryEqual17, assert_memory_equal("0123456789abcdefg", "ABCDEFGHIJKLMNOPQ", 17))
FAILING(MemoryNotEqual, assert_memory_not_equal("abcd", "abcd", 4))
FAILING(InRange, assert_in_range(9, 1, 5))
FAILING(NotInRange, assert_not_in_range(3, 1, 5))
FAILING(InSet, assert_in_set(7, kSet, 4))
FAILING(NotInSet, assert_not_in_set(300, kSet, 4))
FAILING(ReturnCode, assert_return_code(-1, ENOENT))
FAILING(ReturnCodeWithoutErrno, assert_return_code(-1, 0))
FAILING(FloatEqual, assert_float_equal(1.0F, 2.0F, 0.25F))
FAILING(FloatNotEqual, assert_float_not_equal(1.0F, 1.1F, 0.25F))

static void AssertionsPass(void** state) {
  const char* null = NULL;
  UNUSED(state);
  assert_true(1 == 1);
  assert_true(&g_shared);
  assert_false(0);
  assert_null(null);
  assert_non_null("");
  assert_int_equal(-1, -1);
  assert_int_not_equal(1, 2);
  assert_ptr_equal(&g_shared, &g_shared);
  assert_ptr_not_equal(&g_shared, &g_other);
  assert_string_equal("a", "a");
  assert_string_not_equal("a", "b");
  assert_memory_equal("abc", "abd", 2);
  assert_memory_not_equal("abc", "abd", 3);
  assert_in_range(1, 1, 5);
  assert_in_range(5, 1, 5);
  assert_not_in_range(0, 1, 5);
  assert_in_set(2, kSet, 4);
  assert_not_in_set(3, kSet, 4);
  assert_return_code(0, 0);
  assert_float_equal(1.0F, 1.1F, 0.25F);
  assert_float_not_equal(1.0F, 2.0F, 0.25F);
}

/* ---- Mocks that fail ---- */

FAILING(LeftValue, will_return(Value, 1))
FAILING(LeftValueOfTwo, (will_return_count(Value, 1, 2), (void)Value()))
FAILING(LeftAlways, will_return_always(Value, 1))
FAILING(LeftBehindAlways, (will_return_always(Value, 1), will_return(Value, 2), (void)Value(), (void)Value()))
FAILING(LeftExpectation, expect_value(MockNumber, number, 1))
FAILING(LeftAnyAlways, expect_any_always(MockNumber, number))
FAILING(LeftCall, expect_function_call(Ordered))
FAILING(LeftCallAny, expect_function_call_any(Ordered))
FAILING(LeftCallOfTwo, (expect_function_calls(Ordered, 2), (void)Ordered()))
FAILING(NoValue, (void)Value())
FAILING(NoSecondValue, (will_return(Value, 1), (void)Value(), (void)Value()))
FAILING(NoExpectation, (void)MockNumber(1))
FAILING(NoCall, (void)Ordered())
FAILING(ThirdCall, (expect_function_calls(Ordered, 2), (void)Ordered(), (void)Ordered(), (void)Ordered()))
FAILING(WrongCall, (expect_function_call(Other), expect_function_call(Ordered), (void)Ordered()))
FAILING(WrongValue, (expect_value(MockNumber, number, 1), (void)MockNumber(2)))
FAILING(WrongNotValue, (expect_not_value(MockNumber, number, 1), (void)MockNumber(1)))
FAILING(WrongThirdValue,
        (expect_value_count(MockNumber, number, 1, -1), (void)MockNumber(1), (void)MockNumber(1), (void)MockNumber(2)))
FAILING(WrongString, (expect_string(MockText, text, "x"), (void)MockText("y")))
FAILING(WrongNotString, (expect_not_string(MockText, text, "x"), (void)MockText("x")))
FAILING(WrongMemory, (expect_memory(MockText, text, "xyz", 3), (void)MockText("xab")))
FAILING(WrongNotMemory, (expect_not_memory(MockText, text, "xa", 2), (void)MockText("xab")))
FAILING(WrongRange, (expect_in_range(MockNumber, number, 1, 5), (void)MockNumber(9)))
FAILING(WrongNotRange, (expect_not_in_range(MockNumber, number, 1, 5), (void)MockNumber(3)))
FAILING(WrongSet, (expect_in_set(MockNumber, number, kSet), (void)MockNumber(9)))
FAILING(WrongNotSet, (expect_not_in_set(MockNumber, number, kSet), (void)MockNumber(2)))
FAILING(NoSecondParameter, (expect_value(MockBoth, number, 1), (void)MockBoth(1, "x")))
FAILING(OtherParameterOnly, (expect_any(MockBoth, text), (void)MockBoth(1, "x")))
FAILING(NoReturnValue, (expect_any(MockBoth, number), expect_any(MockBoth, text), (void)MockBoth(1, "x")))

static int IsEven(const LargestIntegralType value, const LargestIntegralType remainder) {
  return value % 2 == remainder;
}

FAILING(WrongCheck, (expect_check(MockNumber, number, IsEven, 0), (void)MockNumber(1)))

static void LeftMany(void** state) {
  UNUSED(state);
  will_return(Value, 1);
  will_return(Pointer, 0);
  expect_any(MockBoth, number);
  expect_any(MockBoth, text);
  expect_any(MockNumber, number);
  expect_function_call(Ordered);
}

static void MocksPass(void** state) {
  UNUSED(state);
  will_return(Value, 1);
  will_return_count(Value, 2, 2);
  will_return(Pointer, &g_shared);
  will_return_maybe(Pointer, 0);
  assert_ptr_equal(Pointer(), &g_shared);
  assert_int_equal(Value(), 1);
  assert_int_equal(Value(), 2);
  assert_int_equal(Value(), 2);
  will_return_always(Value, -3);
  assert_int_equal(Value(), -3);
  assert_int_equal(Value(), -3);
  expect_value(MockBoth, number, -4);
  expect_string(MockBoth, text, "abc");
  will_return(MockBoth, 9);
  assert_int_equal(MockBoth(-4, "abc"), 9);
  expect_memory(MockText, text, "ab", 2);
  expect_not_memory(MockText, text, "ac", 2);
  expect_not_string(MockText, text, "ab");
  assert_int_equal(MockText("abc") + MockText("abc") + MockText("abc"), 0);
  expect_in_range(MockNumber, number, 1, 3);
  expect_not_in_range(MockNumber, number, 1, 3);
  expect_in_set(MockNumber, number, kSet);
  expect_not_in_set(MockNumber, number, kSet);
  expect_not_value(MockNumber, number, 1);
  expect_check(MockNumber, number, IsEven, 1);
  assert_int_equal(MockNumber(3) + MockNumber(4) + MockNumber(300) + MockNumber(5) + MockNumber(2) + MockNumber(7), 0);
  expect_any_always(MockNumber, number);
  assert_int_equal(MockNumber(1) + MockNumber(2), 0);
}

static void CallsPass(void** state) {
  UNUSED(state);
  ignore_function_calls(Other);
  expect_function_call(Ordered);
  assert_int_equal(Other() + Ordered() + Other(), 5);
}

static void CallsAnyPass(void** state) {
  UNUSED(state);
  expect_function_call_any(Other);
  assert_int_equal(Other() + Other(), 4);
}

/* ---- State ---- */

static void HasGroupState(void** state) {
  assert_ptr_equal(*state, &g_shared);
  *state = NULL; /* for this test only */
}

static void HasNoState(void** state) { assert_null(*state); }
static void HasOtherState(void** state) { assert_ptr_equal(*state, &g_other); }

/* ---- Groups ---- */

static int RunResults(void) {
  const struct CMUnitTest results[] = {
      cmocka_unit_test(Passes),
      cmocka_unit_test(Fails),
      cmocka_unit_test(Skips),
      cmocka_unit_test(Prints),
      cmocka_unit_test(FailsWithMessage),
      cmocka_unit_test(FailsDeep),
      cmocka_unit_test_setup(Passes, SetupFails),
      cmocka_unit_test_setup(Passes, SetupAsserts),
      cmocka_unit_test_setup(Passes, SetupLeaves),
      cmocka_unit_test_setup(Passes, SetupSkips),
      cmocka_unit_test_teardown(Passes, SetupFails),
      cmocka_unit_test_teardown(Passes, SetupAsserts),
      cmocka_unit_test_teardown(Passes, SetupLeaves),
      cmocka_unit_test_teardown(Fails, SetupAsserts),
      cmocka_unit_test_teardown(Skips, SetupFails),
      cmocka_unit_test_setup_teardown(Passes, SetupFails, SetupFails),
      {"a name: with - blanks.and*stars", Passes, NULL, NULL, NULL},
      {NULL, NULL, NULL, NULL, NULL},
  };
  return cmocka_run_group_tests(results, NULL, NULL);
}

static int RunAssertions(void) {
  const struct CMUnitTest assertions[] = {
      cmocka_unit_test(AssertionsPass), cmocka_unit_test(True),           cmocka_unit_test(False),
      cmocka_unit_test(Null),           cmocka_unit_test(NonNull),        cmocka_unit_test(IntEqual),
      cmocka_unit_test(IntNotEqual),    cmocka_unit_test(PtrEqual),       cmocka_unit_test(PtrNotEqual),
      cmocka_unit_test(StringNotEqual), cmocka_unit_test(MemoryEqual),    cmocka_unit_test(MemoryEqual16),
      cmocka_unit_test(MemoryEqual17),  cmocka_unit_test(MemoryNotEqual), cmocka_unit_test(InRange),
      cmocka_unit_test(NotInRange),     cmocka_unit_test(InSet),          cmocka_unit_test(NotInSet),
      cmocka_unit_test(ReturnCode),     cmocka_unit_test(FloatEqual),     cmocka_unit_test(ReturnCodeWithoutErrno),
      cmocka_unit_test(FloatNotEqual)};
  return cmocka_run_group_tests_name("assertions that fail", assertions, NULL, NULL);
}

static int RunMocks(void) {
  const struct CMUnitTest mocks[] = {
      cmocka_unit_test(MocksPass),        cmocka_unit_test(CallsPass),       cmocka_unit_test(CallsAnyPass),
      cmocka_unit_test(LeftValue),        cmocka_unit_test(LeftValueOfTwo),  cmocka_unit_test(LeftAlways),
      cmocka_unit_test(LeftBehindAlways), cmocka_unit_test(LeftExpectation), cmocka_unit_test(LeftAnyAlways),
      cmocka_unit_test(LeftCall),         cmocka_unit_test(LeftCallAny),     cmocka_unit_test(LeftCallOfTwo),
      cmocka_unit_test(LeftMany),
  };
  const struct CMUnitTest misuses[] = {
      cmocka_unit_test(NoValue),           cmocka_unit_test(NoSecondValue),
      cmocka_unit_test(NoExpectation),     cmocka_unit_test(NoCall),
      cmocka_unit_test(ThirdCall),         cmocka_unit_test(WrongCall),
      cmocka_unit_test(WrongValue),        cmocka_unit_test(WrongNotValue),
      cmocka_unit_test(WrongThirdValue),   cmocka_unit_test(WrongString),
      cmocka_unit_test(WrongNotString),    cmocka_unit_test(WrongMemory),
      cmocka_unit_test(WrongNotMemory),    cmocka_unit_test(WrongRange),
      cmocka_unit_test(WrongNotRange),     cmocka_unit_test(WrongSet),
      cmocka_unit_test(WrongNotSet),       cmocka_unit_test(WrongCheck),
      cmocka_unit_test(NoSecondParameter), cmocka_unit_test(OtherParameterOnly),
      cmocka_unit_test(NoReturnValue),
  };
  const int failed = cmocka_run_group_tests(mocks, NULL, NULL);
  return failed + cmocka_run_group_tests(misuses, NULL, NULL);
}

static int RunState(void) {
  const struct CMUnitTest state[] = {
      cmocka_unit_test(HasGroupState),
      cmocka_unit_test(HasGroupState),
      cmocka_unit_test_setup_teardown(HasOtherState, SetupState, TeardownChecks),
      cmocka_unit_test_prestate(HasGroupState, &g_other),
      cmocka_unit_test(HasNoState), /* fails */
  };
  const struct CMUnitTest stateless[] = {
      cmocka_unit_test(HasNoState), cmocka_unit_test_prestate(HasOtherState, &g_other), cmocka_unit_test(HasNoState)};
  const int failed = cmocka_run_group_tests(state, GroupState, GroupStateChecked);
  return failed + cmocka_run_group_tests(stateless, NULL, NULL);
}

static int RunSeveral(void) {
  const struct CMUnitTest same[] = {cmocka_unit_test(Passes), cmocka_unit_test(Skips)};
  const struct CMUnitTest skipping[] = {cmocka_unit_test(Skips)};
  const struct CMUnitTest failing[] = {cmocka_unit_test(Fails), cmocka_unit_test_setup(Passes, SetupFails)};
  int failed = cmocka_run_group_tests(same, NULL, NULL);
  print_message("%d\n", failed);
  failed += cmocka_run_group_tests_name("second group", skipping, NULL, NULL);
  print_message("%d\n", failed);
  failed += cmocka_run_group_tests(failing, NULL, NULL);
  print_message("%d\n", failed);
  failed += cmocka_run_group_tests(same, NULL, NULL);
  print_message("%d\n", failed);
  return failed;
}

static int RunGroupSetup(void) {
  const struct CMUnitTest returns[] = {cmocka_unit_test(Passes), cmocka_unit_test(Skips)};
  const struct CMUnitTest asserts[] = {cmocka_unit_test(Fails)};
  const int failed = cmocka_run_group_tests(returns, SetupFails, NULL);
  return failed + cmocka_run_group_tests(asserts, GroupAsserts, NULL);
}

static int RunGroupTeardown(void) {
  const struct CMUnitTest returns[] = {cmocka_unit_test(Passes), cmocka_unit_test(Skips)};
  const int failed = cmocka_run_group_tests(returns, NULL, SetupFails);
  return failed + cmocka_run_group_tests_name("asserts", returns, NULL, GroupAsserts);
}

struct Part {
  const char* name;
  int (*run)(void);
};

int main(int argc, char** argv) {
  const struct Part parts[] = {{"results", RunResults},
                               {"assertions", RunAssertions},
                               {"mocks", RunMocks},
                               {"state", RunState},
                               {"several", RunSeveral},
                               {"group-setup", RunGroupSetup},
                               {"group-teardown", RunGroupTeardown}};
  for (size_t i = 0; argc > 1 && i < sizeof(parts) / sizeof(parts[0]); ++i) {
    if (strcmp(argv[1], parts[i].name) == 0) return parts[i].run();
  }
  return 99;
}
