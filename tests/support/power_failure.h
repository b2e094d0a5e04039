// Thrown by the fakes to simulate a power failure; nothing of the program runs after it.
#pragma once

namespace prov::testing_support {

struct PowerFailure {};

}  // namespace prov::testing_support
