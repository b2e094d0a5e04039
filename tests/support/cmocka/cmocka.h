// CMocka's interface on top of GoogleTest: a C test that keeps to what C and C++ share compiles as C++ against this
// header unchanged, and its tests become GoogleTest's (filters, --gtest_output, ctest discovery, and CMocka's own
// report formats by cmocka_listener.h).
//
// How it maps: each cmocka_run_group_tests() call registers a test suite named after the group, runs it and returns the
// number of failed tests, so main() may call it any number of times. GoogleTest's flags are read from the command line
// (Linux) and from GTEST_* variables. A failed assertion leaves the test through an exception that never leaves the
// shim, so destructors run; mocks must not be noexcept.
//
// As in CMocka 1.1.5: values and expectations that are left over fail a test, also where setup or teardown leaves them;
// each test starts with the group's state, or its own initial state where the group has none; a setup that fails keeps
// its test and teardown from running. Different on purpose: leftovers are named (1.1.5 prints "%s"); a failed group
// teardown counts as one failure (CMocka returns 0); NULL strings fail a comparison and INT_MAX is a fine return code
// (CMocka crashes, or takes it for -1). fail_msg()'s text is a part of the failure in GoogleTest's own format. With
// several groups, --gtest_output holds the last one. A crash ends the program. Left out: test_malloc() and its kin with
// UNIT_TESTING, mock_assert() and expect_assert_failure(), test filters by function, the old unit_test() family, the
// functions behind the macros (_assert_true, ...), and CMOCKA_TEST_ABORT.
#pragma once

#ifndef __cplusplus
#error "this header is for tests compiled as C++; compile C with the real <cmocka.h>"
#endif

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <optional>
#include <string>

typedef uintmax_t LargestIntegralType;

typedef void (*CMUnitTestFunction)(void** state);
typedef int (*CMFixtureFunction)(void** state);
// Non-zero: the value is right.
typedef int (*CheckParameterValue)(const LargestIntegralType value, const LargestIntegralType check_value_data);

struct CMUnitTest {
  const char* name;
  CMUnitTestFunction test_func;
  CMFixtureFunction setup_func;     // may be NULL; non-zero is a failure
  CMFixtureFunction teardown_func;  // may be NULL; non-zero is a failure
  void* initial_state;              // counts where the group has no state
};

enum cm_message_output { CM_OUTPUT_STDOUT, CM_OUTPUT_SUBUNIT, CM_OUTPUT_TAP, CM_OUTPUT_XML };

// Counts of values and expectations.
#define WILL_RETURN_ALWAYS (-1)  // any number of times, but at least once
#define WILL_RETURN_ONCE (-2)    // any number of times

namespace prov::cmocka {

// Where a macro was used.
struct Place {
  const char* file;
  int line;
};

// What there is to say about a comparison; nullopt: it turns out as wanted.
using Fault = std::optional<std::string>;
Fault CompareTruth(bool holds, const char* text);
Fault CompareReturnCode(LargestIntegralType code, size_t code_size, int error, const char* text);
Fault CompareValues(LargestIntegralType a, LargestIntegralType b, bool equal);
Fault CompareFloats(float a, float b, float epsilon, bool equal);
Fault CompareStrings(const char* a, const char* b, bool equal);
Fault CompareMemory(const void* a, const void* b, size_t size, bool equal);
Fault CompareRange(LargestIntegralType value, LargestIntegralType minimum, LargestIntegralType maximum, bool inside);
Fault CompareSet(LargestIntegralType value, const LargestIntegralType* values, size_t count, bool inside);
// A fault is a failed assertion.
void Require(const Fault& fault, Place place);
[[noreturn]] void Fail(Place place);
[[noreturn]] void FailMessage(Place place, const char* format, ...) __attribute__((format(printf, 2, 3)));
[[noreturn]] void Skip(Place place);

void WillReturn(const char* function, LargestIntegralType value, int count, Place place);
LargestIntegralType Mock(const char* function, Place place);

void ExpectAny(const char* function, const char* parameter, int count, Place place);
void ExpectCheck(const char* function, const char* parameter, CheckParameterValue check, LargestIntegralType data,
                 Place place);
void ExpectEqual(const char* function, const char* parameter, LargestIntegralType value, bool equal, int count,
                 Place place);
void ExpectString(const char* function, const char* parameter, const char* text, bool equal, int count, Place place);
void ExpectMemory(const char* function, const char* parameter, const void* bytes, size_t size, bool equal, int count,
                  Place place);
void ExpectRange(const char* function, const char* parameter, LargestIntegralType minimum, LargestIntegralType maximum,
                 bool inside, int count, Place place);
void ExpectSet(const char* function, const char* parameter, const LargestIntegralType* values, size_t values_count,
               bool inside, int count, Place place);
void CheckExpected(const char* function, const char* parameter, LargestIntegralType value, Place place);

void ExpectCall(const char* function, int count, Place place);
void FunctionCalled(const char* function, Place place);

int RunGroup(const char* name, const CMUnitTest* tests, size_t count, CMFixtureFunction setup,
             CMFixtureFunction teardown, Place place);

}  // namespace prov::cmocka

void print_message(const char* format, ...) __attribute__((format(printf, 1, 2)));  // to standard output
void print_error(const char* format, ...) __attribute__((format(printf, 1, 2)));    // to standard error
// The format where CMOCKA_MESSAGE_OUTPUT chooses none. Call it before the first group.
void cmocka_set_message_output(enum cm_message_output output);

#define PROV_CMOCKA_PLACE \
  ::prov::cmocka::Place { __FILE__, __LINE__ }

#define cast_to_largest_integral_type(value) ((LargestIntegralType)(value))
#define cast_to_pointer_integral_type(value) ((uintptr_t)((size_t)(value)))
#define cast_ptr_to_largest_integral_type(value) cast_to_largest_integral_type(cast_to_pointer_integral_type(value))

#define PROV_CMOCKA_REQUIRE(fault) ::prov::cmocka::Require(::prov::cmocka::fault, PROV_CMOCKA_PLACE)
#define PROV_CMOCKA_INT(value) cast_to_largest_integral_type(value)
#define PROV_CMOCKA_PTR(value) cast_ptr_to_largest_integral_type(value)

#define assert_true(c) PROV_CMOCKA_REQUIRE(CompareTruth(PROV_CMOCKA_INT(c) != 0, #c))
#define assert_false(c) PROV_CMOCKA_REQUIRE(CompareTruth(PROV_CMOCKA_INT(c) == 0, #c))
#define assert_non_null(c) PROV_CMOCKA_REQUIRE(CompareTruth(PROV_CMOCKA_PTR(c) != 0, #c))
#define assert_null(c) PROV_CMOCKA_REQUIRE(CompareTruth(PROV_CMOCKA_PTR(c) == 0, #c))
#define assert_return_code(rc, error) \
  PROV_CMOCKA_REQUIRE(CompareReturnCode(PROV_CMOCKA_INT(rc), sizeof(rc), (int)(error), #rc))
#define assert_int_equal(a, b) PROV_CMOCKA_REQUIRE(CompareValues(PROV_CMOCKA_INT(a), PROV_CMOCKA_INT(b), true))
#define assert_int_not_equal(a, b) PROV_CMOCKA_REQUIRE(CompareValues(PROV_CMOCKA_INT(a), PROV_CMOCKA_INT(b), false))
#define assert_ptr_equal(a, b) PROV_CMOCKA_REQUIRE(CompareValues(PROV_CMOCKA_PTR(a), PROV_CMOCKA_PTR(b), true))
#define assert_ptr_not_equal(a, b) PROV_CMOCKA_REQUIRE(CompareValues(PROV_CMOCKA_PTR(a), PROV_CMOCKA_PTR(b), false))
#define assert_float_equal(a, b, epsilon) \
  PROV_CMOCKA_REQUIRE(CompareFloats((float)(a), (float)(b), (float)(epsilon), true))
#define assert_float_not_equal(a, b, epsilon) \
  PROV_CMOCKA_REQUIRE(CompareFloats((float)(a), (float)(b), (float)(epsilon), false))
#define assert_string_equal(a, b) PROV_CMOCKA_REQUIRE(CompareStrings((const char*)(a), (const char*)(b), true))
#define assert_string_not_equal(a, b) PROV_CMOCKA_REQUIRE(CompareStrings((const char*)(a), (const char*)(b), false))
#define assert_memory_equal(a, b, size) \
  PROV_CMOCKA_REQUIRE(CompareMemory((const void*)(a), (const void*)(b), (size), true))
#define assert_memory_not_equal(a, b, size) \
  PROV_CMOCKA_REQUIRE(CompareMemory((const void*)(a), (const void*)(b), (size), false))
#define assert_in_range(value, minimum, maximum) \
  PROV_CMOCKA_REQUIRE(CompareRange(PROV_CMOCKA_INT(value), PROV_CMOCKA_INT(minimum), PROV_CMOCKA_INT(maximum), true))
#define assert_not_in_range(value, minimum, maximum) \
  PROV_CMOCKA_REQUIRE(CompareRange(PROV_CMOCKA_INT(value), PROV_CMOCKA_INT(minimum), PROV_CMOCKA_INT(maximum), false))
#define assert_in_set(value, values, count) \
  PROV_CMOCKA_REQUIRE(CompareSet(PROV_CMOCKA_INT(value), (values), (count), true))
#define assert_not_in_set(value, values, count) \
  PROV_CMOCKA_REQUIRE(CompareSet(PROV_CMOCKA_INT(value), (values), (count), false))

#define fail() ::prov::cmocka::Fail(PROV_CMOCKA_PLACE)
#define fail_msg(...) ::prov::cmocka::FailMessage(PROV_CMOCKA_PLACE, __VA_ARGS__)
#define skip() ::prov::cmocka::Skip(PROV_CMOCKA_PLACE)

#define will_return(function, value) will_return_count(function, value, 1)
#define will_return_always(function, value) will_return_count(function, value, WILL_RETURN_ALWAYS)
#define will_return_maybe(function, value) will_return_count(function, value, WILL_RETURN_ONCE)
#define will_return_count(function, value, count) \
  ::prov::cmocka::WillReturn(#function, cast_to_largest_integral_type(value), (int)(count), PROV_CMOCKA_PLACE)
#define mock() ::prov::cmocka::Mock(__func__, PROV_CMOCKA_PLACE)
#define mock_type(type) ((type)mock())
#define mock_ptr_type(type) ((type)(uintptr_t)mock())

#define expect_any(function, parameter) expect_any_count(function, parameter, 1)
#define expect_any_always(function, parameter) expect_any_count(function, parameter, WILL_RETURN_ALWAYS)
#define expect_any_count(function, parameter, count) \
  ::prov::cmocka::ExpectAny(#function, #parameter, (int)(count), PROV_CMOCKA_PLACE)
#define expect_check(function, parameter, check_function, check_data)                                           \
  ::prov::cmocka::ExpectCheck(#function, #parameter, check_function, cast_to_largest_integral_type(check_data), \
                              PROV_CMOCKA_PLACE)

#define expect_value(function, parameter, value) expect_value_count(function, parameter, value, 1)
#define expect_value_count(function, parameter, value, count)                                                  \
  ::prov::cmocka::ExpectEqual(#function, #parameter, cast_to_largest_integral_type(value), true, (int)(count), \
                              PROV_CMOCKA_PLACE)
#define expect_not_value(function, parameter, value) expect_not_value_count(function, parameter, value, 1)
#define expect_not_value_count(function, parameter, value, count)                                               \
  ::prov::cmocka::ExpectEqual(#function, #parameter, cast_to_largest_integral_type(value), false, (int)(count), \
                              PROV_CMOCKA_PLACE)

#define expect_string(function, parameter, string) expect_string_count(function, parameter, string, 1)
#define expect_string_count(function, parameter, string, count) \
  ::prov::cmocka::ExpectString(#function, #parameter, (const char*)(string), true, (int)(count), PROV_CMOCKA_PLACE)
#define expect_not_string(function, parameter, string) expect_not_string_count(function, parameter, string, 1)
#define expect_not_string_count(function, parameter, string, count) \
  ::prov::cmocka::ExpectString(#function, #parameter, (const char*)(string), false, (int)(count), PROV_CMOCKA_PLACE)

#define expect_memory(function, parameter, memory, size) expect_memory_count(function, parameter, memory, size, 1)
#define expect_memory_count(function, parameter, memory, size, count)                                    \
  ::prov::cmocka::ExpectMemory(#function, #parameter, (const void*)(memory), (size), true, (int)(count), \
                               PROV_CMOCKA_PLACE)
#define expect_not_memory(function, parameter, memory, size) \
  expect_not_memory_count(function, parameter, memory, size, 1)
#define expect_not_memory_count(function, parameter, memory, size, count)                                 \
  ::prov::cmocka::ExpectMemory(#function, #parameter, (const void*)(memory), (size), false, (int)(count), \
                               PROV_CMOCKA_PLACE)

#define expect_in_range(function, parameter, minimum, maximum) \
  expect_in_range_count(function, parameter, minimum, maximum, 1)
#define expect_in_range_count(function, parameter, minimum, maximum, count)                  \
  ::prov::cmocka::ExpectRange(#function, #parameter, cast_to_largest_integral_type(minimum), \
                              cast_to_largest_integral_type(maximum), true, (int)(count), PROV_CMOCKA_PLACE)
#define expect_not_in_range(function, parameter, minimum, maximum) \
  expect_not_in_range_count(function, parameter, minimum, maximum, 1)
#define expect_not_in_range_count(function, parameter, minimum, maximum, count)              \
  ::prov::cmocka::ExpectRange(#function, #parameter, cast_to_largest_integral_type(minimum), \
                              cast_to_largest_integral_type(maximum), false, (int)(count), PROV_CMOCKA_PLACE)

#define expect_in_set(function, parameter, values) expect_in_set_count(function, parameter, values, 1)
#define expect_in_set_count(function, parameter, values, count)                                                        \
  ::prov::cmocka::ExpectSet(#function, #parameter, (values), sizeof(values) / sizeof((values)[0]), true, (int)(count), \
                            PROV_CMOCKA_PLACE)
#define expect_not_in_set(function, parameter, values) expect_not_in_set_count(function, parameter, values, 1)
#define expect_not_in_set_count(function, parameter, values, count)                                       \
  ::prov::cmocka::ExpectSet(#function, #parameter, (values), sizeof(values) / sizeof((values)[0]), false, \
                            (int)(count), PROV_CMOCKA_PLACE)

#define check_expected(parameter) \
  ::prov::cmocka::CheckExpected(__func__, #parameter, cast_to_largest_integral_type(parameter), PROV_CMOCKA_PLACE)
#define check_expected_ptr(parameter) \
  ::prov::cmocka::CheckExpected(__func__, #parameter, cast_ptr_to_largest_integral_type(parameter), PROV_CMOCKA_PLACE)

#define expect_function_call(function) expect_function_calls(function, 1)
#define expect_function_call_any(function) expect_function_calls(function, WILL_RETURN_ALWAYS)
#define ignore_function_calls(function) expect_function_calls(function, WILL_RETURN_ONCE)
#define expect_function_calls(function, times) ::prov::cmocka::ExpectCall(#function, (int)(times), PROV_CMOCKA_PLACE)
#define function_called() ::prov::cmocka::FunctionCalled(__func__, PROV_CMOCKA_PLACE)

#define cmocka_unit_test(f) cmocka_unit_test_prestate_setup_teardown(f, nullptr, nullptr, nullptr)
#define cmocka_unit_test_setup(f, setup) cmocka_unit_test_prestate_setup_teardown(f, setup, nullptr, nullptr)
#define cmocka_unit_test_teardown(f, teardown) cmocka_unit_test_prestate_setup_teardown(f, nullptr, teardown, nullptr)
#define cmocka_unit_test_setup_teardown(f, setup, teardown) \
  cmocka_unit_test_prestate_setup_teardown(f, setup, teardown, nullptr)
#define cmocka_unit_test_prestate(f, state) cmocka_unit_test_prestate_setup_teardown(f, nullptr, nullptr, state)
#define cmocka_unit_test_prestate_setup_teardown(f, setup, teardown, state) {#f, f, setup, teardown, state}

#define cmocka_run_group_tests(group_tests, group_setup, group_teardown) \
  cmocka_run_group_tests_name(#group_tests, group_tests, group_setup, group_teardown)
#define cmocka_run_group_tests_name(group_name, group_tests, group_setup, group_teardown)                        \
  ::prov::cmocka::RunGroup(group_name, group_tests, sizeof(group_tests) / sizeof((group_tests)[0]), group_setup, \
                           group_teardown, PROV_CMOCKA_PLACE)
