// Thrown by the fakes where the power goes; nothing of the program runs after it.
#pragma once

namespace prov::testing_support {

struct PowerFailure {};

}  // namespace prov::testing_support
