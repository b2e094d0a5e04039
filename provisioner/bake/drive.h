// What lies where on a drive, by the label that its reader looks for.
#pragma once

#include <string>
#include <string_view>

#include "images/archive/file_sink.h"
#include "provisioner/bake/node_list.h"
#include "provisioner/bake/payload.h"
#include "provisioner/base/result.h"

namespace prov::bake {

enum class DriveKind {
  kConfigDrive,  // config-2: cloudbase-init reads openstack/latest, as OpenStack has it
  kNoCloud,      // cidata: cloudbase-init reads user-data and meta-data
  kPlain,        // any other: people and Windows setup read it
};

// Errors: usage (a label that is one of cloudbase-init's but for its capitals: it would look for nothing there).
Result<DriveKind> DriveKindOf(std::string_view label);

// What cloudbase-init runs: a constant script that finds the drive and applies the payload that lies on it.
std::string_view DriveUserData();

// A node and what was made for it alone.
struct DriveNode {
  const Node* node = nullptr;
  std::string answer_file = {};
  unsigned answer_mode = 0600;
};

// All files of a drive, in order. cloudbase-init's drives have the payload in the folder "provisioner"; a plain one has
// it at its root, where with a node of its own the node's unattend.xml is, for Windows setup.
Result<void> WriteDrive(images::FileSink& sink, DriveKind kind, const Payload& payload, const DriveNode& node);

// SHA-256 of the payload's manifest, which stands for all of it.
std::string PayloadDigest(const Payload& payload);

}  // namespace prov::bake
