// Signals by which a system tells of a failed write: they become errors.
#pragma once

namespace prov::cli {

// A write beyond the limit on file sizes (ulimit -f) is then an error of that write; by default it kills, which would
// leave a half-written folder behind.
void TakeFailedWritesAsErrors();

}  // namespace prov::cli
