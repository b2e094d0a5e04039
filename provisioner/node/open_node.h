// A node, or an image of one, that a command has open.
#pragma once

#include "provisioner/machine/host.h"

namespace prov::node {

struct OpenNode {
  machine::Host& host;
  machine::Machine machine;
};

}  // namespace prov::node
