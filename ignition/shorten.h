// Pieces of the input in messages.
#pragma once

#include "provisioner/base/text.h"

namespace prov::ignition {

using prov::Shorten;

}  // namespace prov::ignition
