// What the shim's files share.
#pragma once

#include <optional>
#include <string>

#include "tests/support/cmocka/cmocka.h"

namespace prov::cmocka {

// Leaves a test, setup or teardown function. Only RunGuarded() catches it.
struct Abandoned {};

// Records a failed assertion at `place` and leaves.
[[noreturn]] void FailAt(Place place, const std::string& text);
// The same for what has its places in the text already.
[[noreturn]] void FailWith(const std::string& text);
// Records a failure without leaving.
void AddFailure(const std::string& text);

// nullopt when the comparison turns out as wanted, else what to say about it.
std::optional<std::string> CompareValues(LargestIntegralType a, LargestIntegralType b, bool equal);
std::optional<std::string> CompareStrings(const char* a, const char* b, bool equal);
std::optional<std::string> CompareMemory(const void* a, const void* b, size_t size, bool equal);
std::optional<std::string> CompareRange(LargestIntegralType value, LargestIntegralType minimum,
                                        LargestIntegralType maximum, bool inside);
std::optional<std::string> CompareSet(LargestIntegralType value, const LargestIntegralType* values, size_t count,
                                      bool inside);

std::string ToText(Place place);  // "file:line"

// Values and expectations belong to one function of one test: drop what is there.
void ClearExpectations();
// What was declared and not used, as text; "" when nothing is left.
std::string DescribeLeftovers();

}  // namespace prov::cmocka
