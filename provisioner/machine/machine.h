// All ports of one target. The engine sees a machine only through these.
#pragma once

#include "provisioner/machine/certificate_store.h"
#include "provisioner/machine/compute_network.h"
#include "provisioner/machine/files.h"
#include "provisioner/machine/programs.h"
#include "provisioner/machine/registry.h"
#include "provisioner/machine/state_record.h"
#include "provisioner/machine/system.h"

namespace prov::machine {

struct Machine {
  Registry& registry;
  CertificateStore& certificates;
  StateRecord& state;
  System& system;
  // Only a running Windows has the first two.
  ComputeNetwork& network = AbsentComputeNetwork();
  Programs& programs = AbsentPrograms();
  Files& files = AbsentFiles();
};

}  // namespace prov::machine
