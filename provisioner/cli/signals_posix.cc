#include <csignal>

#include "provisioner/cli/signals.h"

namespace prov::cli {

void TakeFailedWritesAsErrors() { std::signal(SIGXFSZ, SIG_IGN); }

}  // namespace prov::cli
