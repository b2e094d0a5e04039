// Where this build's files lie, as absolute paths (under Wine as Windows programs name them). They stand in one source,
// so that a compile cache finds the other tests again in any clone.
#pragma once

#include <string>

namespace prov::testing_support {

// The folder tests/ of the source tree, without a slash at its end.
const std::string& TestsFolder();
// The program under test.
const std::string& ProvisionerBinary();
// Where the differential tests build the programs that they ask.
const std::string& DifferentialFolder();

}  // namespace prov::testing_support
