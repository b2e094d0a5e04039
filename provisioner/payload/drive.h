// The layout of a drive: its label decides which program reads it, and so where each file goes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "images/archive/file_sink.h"
#include "provisioner/base/result.h"
#include "provisioner/payload/node_list.h"
#include "provisioner/payload/payload.h"
#include "provisioner/payload/payload_signature.h"
#include "provisioner/unattend/answer_file.h"

namespace prov::payload {

enum class DriveKind {
  kConfigDrive,  // config-2: cloudbase-init reads openstack/latest, OpenStack's layout
  kNoCloud,      // cidata: cloudbase-init reads user-data and meta-data
  kPlain,        // any other label: for people and Windows setup
  kSetupMedia,   // the same, for setup from media, too: it reads Autounattend.xml
};

// The kind that belongs to a label, never kSetupMedia. Compares without case, as cloudbase-init does.
DriveKind DriveKindOf(std::string_view label);

// The constant script of drives: it finds the drive, copies the payload to where Windows setup keeps it, and applies it
// there. cloudbase-init runs it as user data; on other drives the answer file runs it.
std::string_view DriveScript();

// The command for an answer file at the root of a plain drive. At that moment the payload is not yet in Windows setup's
// folder.
unattend::AnswerFileCommand DriveCommand();

// The answer file of a plain drive: `own` with DriveCommand() added, or a new one with only this command. Errors: those
// of AddCommand; xml (it already runs PayloadCommand(), which would fail and end Windows setup, because the payload is
// not there).
Result<std::string> DriveAnswerFile(const std::optional<std::string>& own, std::string_view where);

// A node and the files that belong to it alone; for a drive for any node, only the answer file.
struct DriveNode {
  const Node* node = nullptr;
  std::string answer_file = {};
  bool secret = true;               // the answer file holds credentials
  const SigningKey* key = nullptr;  // signs the node's files (node_files.h); null: they are not signed
};

// Writes all files of a drive, in order. The payload is in the folder "provisioner". A plain drive has an unattend.xml
// for Windows setup at its root, and the script that it runs; one for setup from media has the same file as
// Autounattend.xml, too (Microsoft, "Windows Setup Automation Overview": implicit answer file search order).
Result<void> WriteDrive(images::FileSink& sink, DriveKind kind, const Payload& payload, const DriveNode& node);

// SHA-256 of the payload's manifest, which identifies the whole payload.
std::string PayloadDigest(const Payload& payload);

}  // namespace prov::payload
