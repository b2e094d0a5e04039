#include "provisioner/cli/signals.h"

namespace prov::cli {

// Windows tells of a failed write only where it fails.
void TakeFailedWritesAsErrors() {}

}  // namespace prov::cli
