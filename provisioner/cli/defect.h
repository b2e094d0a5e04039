// A defect must not look like a result.
#pragma once

namespace prov::cli {

// From now on whatever ends the program by std::terminate or std::abort prints one line and exits 20.
void EndDefectsWithExit20();

}  // namespace prov::cli
