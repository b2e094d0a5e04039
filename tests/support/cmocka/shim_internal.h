// What the shim's files share.
#pragma once

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

std::string ToText(Place place);  // "file:line"

// Values and expectations belong to one function of one test: drop what is there.
void ClearExpectations();
// What was declared and not used, as text; "" when nothing is left.
std::string DescribeLeftovers();

}  // namespace prov::cmocka
