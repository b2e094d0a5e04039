// Delivers a payload of `bake` as a folder, an archive or a drive; for one node or, with --nodes, for many.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/clock.h"
#include "provisioner/base/finding.h"
#include "provisioner/cli/options.h"
#include "provisioner/payload/drive.h"
#include "provisioner/payload/node_list.h"
#include "provisioner/payload/payload.h"
#include "provisioner/payload/payload_signature.h"

namespace prov::cli {

struct BakeDelivery {
  std::string format = "dir";  // or tar, tgz, zip, iso
  std::string label;           // of a drive
  payload::DriveKind drive = payload::DriveKind::kPlain;
  std::vector<payload::Node> nodes;          // empty: the payload without nodes
  std::string drive_answer_file;             // at the root of a plain drive
  const payload::SigningKey* key = nullptr;  // signs the files of each node; null: they are not signed
  StopCheck stop_check;                      // called before each file; an error ends the run
};

// --label and --nodes.
OptionGroup DeliveryOptionSpecs();

// Refuses "-", and the name of an archive, a drive or a text where no --format was given, because the payload would be
// a folder of that name. Errors: usage.
Result<void> CheckOutputName(const Arguments& arguments, std::string_view path);

// `own_answer_file`: the contents of the file that --unattend names. A bad row is found before anything is written.
// Errors: usage; those of payload::ReadNodeList and payload::DriveAnswerFile.
Result<BakeDelivery> ParseDelivery(const Arguments& arguments, const std::string& format,
                                   const std::optional<std::string>& own_answer_file);

// Writes everything or nothing. `answer_file` names the payload's answer file in messages. Errors: target, io, usage,
// size-limit, xml; those of stop_check.
Result<void> Deliver(const BakeDelivery& delivery, const payload::Payload& payload, const std::string& path,
                     std::int64_t time_unix, std::string_view answer_file);

// Adds findings that an administrator should read about this form of the payload.
void AddDeliveryFindings(const BakeDelivery& delivery, const payload::Payload& payload, const std::string& path,
                         Findings& findings);

}  // namespace prov::cli
