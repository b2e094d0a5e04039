// `first-boot`: from the source that it names to a node that has its settings and follows it.
#pragma once

#include <optional>

#include "provisioner/node/first_boot.h"
#include "provisioner/node/settings.h"

namespace prov::node {

struct BootRequest {
  SettingsSpec given;  // as the source was named: a payload that was delivered for this run is read so, and only once
  // With the spec that the node is to remember; whether it is followed, and which files hold secrets, is found out.
  Delivery delivery;
  std::optional<pki::Certificate> signer;  // that a payload must have; nullopt: it need not be signed
  ApplyOptions apply;
};

// Enters the node (Enter), reads the source, and runs FirstBoot(). A source on a network that can't be reached yet is
// an error that says whether the boot service goes on with it (FollowLater). `request` may be an error of the command
// line: it is one of the boot, as Windows setup must go on all the same. Both outcomes are logged. Errors: that of
// `request`; those of Enter, ReadSettings and FirstBoot.
Result<reconcile::SessionReport> BootFromSource(OpenNode& node, const Result<BootRequest>& request);

// Keeps the error for `status` and the boot service, where Windows setup must not see it as an exit code. True: another
// try in this setup may succeed, and none was made yet.
bool KeepBootFailure(OpenNode& node, const Error& error);

}  // namespace prov::node
