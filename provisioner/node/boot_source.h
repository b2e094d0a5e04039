// `first-boot`: reads the source that it names, applies its settings, and makes the node follow it.
#pragma once

#include "provisioner/node/approval.h"
#include "provisioner/node/first_boot.h"
#include "provisioner/node/settings.h"
#include "provisioner/reconcile/report.h"

namespace prov::node {

struct BootRequest {
  SettingsSpec given;  // the source as named; a payload delivered for this run is read so, once
  // With the spec that the node will remember. BootFromSource fills in `follow` and `secret_files`.
  Delivery delivery;
  payload::Pin pin;  // a payload must fit it
  ApplyOptions apply;
  // Of a source on a network: asked for the settings that the fleet has confirmed. null: those of the source are taken.
  Approver* approver = nullptr;
};

// Begins a run, reads the source, and runs FirstBoot(). If the source is on a network that can't be reached yet, the
// error says whether the boot service keeps trying (FollowLater). `request` may be an error of the command line: it is
// handled as an error of the boot, because Windows setup must go on. Both outcomes are logged. Errors: that of
// `request`; those of BeginRun, ReadSettings and FirstBoot.
Result<reconcile::RunReport> BootFromSource(OpenNode& node, const Result<BootRequest>& request);

// Keeps the error for `status` and the boot service, because Windows setup must not see it as an exit code. Returns
// true for the first failure in this setup, if another try may succeed.
bool KeepBootFailure(OpenNode& node, const Error& error);

}  // namespace prov::node
