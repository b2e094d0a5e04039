// Prepares an image to apply its settings when it boots and keep them: installs the program with its service, puts the
// payload into Windows setup's folder, and adds the command to SetupComplete.cmd and the answer file. Planning only
// reads; the changes are carried out afterwards.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "images/tree/image_tree.h"
#include "provisioner/node/image_record.h"
#include "provisioner/node/open_node.h"
#include "provisioner/node/settings.h"
#include "provisioner/payload/payload.h"
#include "provisioner/payload/pin.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/plan.h"

namespace prov::node {

struct FileStep {
  std::string path;
  std::optional<std::string> bytes;  // nullopt: the file is removed
  images::FileUse use = images::FileUse::kPlain;
};

struct FilePlan {
  std::vector<std::string> taken_over;     // folders of ours, outermost first, that others could change until now
  std::vector<FileStep> steps;             // files whose contents differ or, if they are ours, whose permissions do
  std::vector<reconcile::Change> changes;  // every item, unchanged ones included
  std::optional<ImageRecord> record;       // the record afterwards; nullopt: nothing of ours remains
  std::vector<std::string> folders;        // folders to remove if they are empty, innermost first
  Findings findings;
};

// Removes what killed runs left in the folders that runs write into; a finding says what was removed.
Result<void> RemoveLeftovers(images::ImageTree& tree, Findings& findings);

// Puts `payload` beneath Windows/Setup/Scripts/Provisioner, and installs provisioner.exe if the payload contains it.
// Files of an earlier installation that the new one does not have are removed. A `pin` that is not empty is written,
// too. Errors: xml (an answer file that can't be edited safely), target; those of the tree.
Result<FilePlan> PlanImageFiles(images::ImageTree& tree, machine::StateRecord& state, const payload::Payload& payload,
                                const payload::Pin& pin);

// Plans to remove what a recorded installation put there. Files that others changed since stay, and are reported.
Result<FilePlan> PlanImageFileRemoval(images::ImageTree& tree, machine::StateRecord& state);

// WriteFiles marks the record as incomplete before its first step; EndInstallation marks it as complete.
Result<void> WriteFiles(images::ImageTree& tree, machine::StateRecord& state, const FilePlan& plan);
Result<void> EndInstallation(machine::StateRecord& state, const FilePlan& plan);

// What an image lacks of its completed installation: the payload's folder as one, else single files, also those that
// can't be read, such as a link. Once the image has run, only the program and the pin count, as runs replace the
// program and remove files with credentials. Reads only.
Result<std::vector<LostFile>> FindLostFiles(images::ImageTree& tree, machine::StateRecord& state);

// The changes that InstallDeliveredService would make: the service, its event source and the entry in the search path.
Result<std::vector<reconcile::Change>> PlanDeliveredPayload(OpenNode& node, bool with_service);

// Whether the payload with this manifest is in Windows setup's folder because of a completed installation.
Result<bool> IsInstalledPayload(machine::StateRecord& state, std::string_view manifest);

// Records where the payload lies when the image runs, and stores its settings as those of a payload for one use.
Result<reconcile::Sections> DeliveredPayloadRecords(OpenNode& node, const DerivedSettings& derived,
                                                    const payload::Payload& payload);

// Installs the service that keeps those settings, if `with_service`. Returns its changes for the report.
Result<std::vector<reconcile::Change>> InstallDeliveredService(OpenNode& node, bool with_service);

}  // namespace prov::node
