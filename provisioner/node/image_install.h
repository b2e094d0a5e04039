// Makes an image apply and keep its settings when it runs: installs the program with its service, puts the payload into
// Windows setup's folder, and adds the command to SetupComplete.cmd and the answer file. The changes are planned by
// reading only, then carried out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "images/tree/image_tree.h"
#include "provisioner/node/apply.h"
#include "provisioner/node/image_record.h"
#include "provisioner/payload/payload.h"

namespace prov::node {

struct FileStep {
  std::string path;
  std::optional<std::string> bytes;  // nullopt: the file is removed
  images::FileUse use = images::FileUse::kPlain;
  std::uint64_t replaced = 0;  // bytes that it has now
};

struct FilePlan {
  std::vector<std::string> taken_over;     // folders of ours, outermost first, that somebody else could change
  std::vector<FileStep> steps;             // only what differs, in contents or, if it is ours, in who may use it
  std::vector<reconcile::Change> changes;  // every item, also those that are already as wanted
  std::optional<ImageRecord> record;       // true afterwards; nullopt: nothing of ours remains
  std::vector<std::string> folders;        // that go when they are empty, innermost first
  Findings findings;
};

// Folders of ours, innermost first.
std::vector<std::string> OwnFolders();

// Puts `payload` beneath Windows/Setup/Scripts/Provisioner, and installs provisioner.exe if the payload contains it.
// Files of an earlier installation that the new one does not have are removed. A `signer` is pinned in the image.
// Errors: xml (an answer file that can't be edited safely), target; those of the tree.
Result<FilePlan> PlanImageFiles(images::ImageTree& tree, machine::StateRecord& state, const payload::Payload& payload,
                                const std::optional<pki::Certificate>& signer);

// Removes what a recorded installation put there. Files that others changed since then stay, and are named.
Result<FilePlan> PlanImageFileRemoval(images::ImageTree& tree, machine::StateRecord& state);

// Until EndInstallation, the record says "incomplete", from before the first step.
Result<void> CarryOut(images::ImageTree& tree, machine::StateRecord& state, const FilePlan& plan);
Result<void> EndInstallation(machine::StateRecord& state, const FilePlan& plan);

// The change that InstallDeliveredService would make.
Result<reconcile::Change> PlanDeliveredPayload(OpenNode& node, bool with_service);

// Whether the payload with this manifest is in Windows setup's folder by an installation that was completed.
Result<bool> IsInstalledPayload(machine::StateRecord& state, std::string_view manifest);

// Records where the payload lies when the image runs, and stores its settings as those of a source that is used up.
Result<reconcile::Sections> DeliveredPayloadRecords(OpenNode& node, const DerivedSettings& derived,
                                                    const payload::Payload& payload);

// The service that keeps those settings, if `with_service`. Its change for the report.
Result<reconcile::Change> InstallDeliveredService(OpenNode& node, bool with_service);

}  // namespace prov::node
