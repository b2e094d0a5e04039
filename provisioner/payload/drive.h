// The layout of a drive: where each file goes depends on the label that the reader of the drive looks for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "images/archive/file_sink.h"
#include "provisioner/base/result.h"
#include "provisioner/payload/node_list.h"
#include "provisioner/payload/payload.h"
#include "provisioner/unattend/answer_file.h"

namespace prov::payload {

enum class DriveKind {
  kConfigDrive,  // config-2: cloudbase-init reads openstack/latest, as OpenStack has it
  kNoCloud,      // cidata: cloudbase-init reads user-data and meta-data
  kPlain,        // any other: people and Windows setup read it
};

// cloudbase-init compares labels without case, so capitals change nothing.
DriveKind DriveKindOf(std::string_view label);

// A constant script that finds the drive, copies the payload to where Windows setup keeps it, and applies it there. For
// cloudbase-init it is the user data; on other drives the answer file runs it.
std::string_view DriveScript();

// The command in an answer file at the root of a plain drive: there the payload has not been copied to Windows setup's
// folder yet.
unattend::AnswerFileCommand DriveCommand();

// The answer file of a plain drive: `own` with DriveCommand() in it, or a new one with only this command. Errors: those
// of AddCommand; xml (it runs PayloadCommand() already, which would fail and end Windows setup, because the payload is
// not there).
Result<std::string> DriveAnswerFile(const std::optional<std::string>& own, std::string_view where);

// A node with the files that were made for it alone; for a drive for any node, the answer file.
struct DriveNode {
  const Node* node = nullptr;
  std::string answer_file = {};
  unsigned answer_mode = 0600;
};

// All files of a drive, in order. The payload is in the folder "provisioner"; a plain drive has an unattend.xml at its
// root, for Windows setup, and the script that this runs.
Result<void> WriteDrive(images::FileSink& sink, DriveKind kind, const Payload& payload, const DriveNode& node);

// SHA-256 of the payload's manifest, which identifies the whole payload.
std::string PayloadDigest(const Payload& payload);

}  // namespace prov::payload
