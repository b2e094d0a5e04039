// The targets of a command: the machine itself, or the images that --root or --wim names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "images/tree/image_tree.h"
#include "images/tree/wim_tree.h"
#include "provisioner/base/clock.h"
#include "provisioner/cli/options.h"
#include "provisioner/machine/host.h"
#include "provisioner/machine/image_host.h"
#include "provisioner/node/open_node.h"

namespace prov::cli {

// --root and --wim.
OptionGroup TargetOptionSpecs();

// The values of these options.
struct TargetOptions {
  std::optional<std::string> root;
  std::optional<std::string> wim;  // FILE:INDEX[,INDEX...]

  bool NamesImage() const { return root || wim; }
};
TargetOptions ParseTargetOptions(const Arguments& arguments);

class Targets {
 public:
  // Errors: usage; those of OpenFolderTree and WimFile::Open; dirty-hive for a hibernated image (kPlan, kWrite).
  static Result<Targets> Open(const TargetOptions& options, machine::Host& live, images::TreeAccess access);

  struct One {
    machine::Host* host = nullptr;
    machine::ImageHost* image = nullptr;  // the same; null: the host is this machine
  };
  std::vector<One> All();
  std::vector<machine::Host*> Hosts();

  // Checks for conditions that would make Commit fail. Reads only.
  Result<void> CheckCommit();
  // Makes the changes durable: each folder by itself, the images of a WIM file together. A WIM file is unchanged
  // before, and also after the error interrupted. Errors: those of WimFile::Commit; interrupted.
  Result<void> Commit();

  // The WIM file that --wim names; nullptr without --wim.
  images::WimFile* wim() { return wim_.get(); }

 private:
  machine::Host* live_ = nullptr;
  std::shared_ptr<images::WimFile> wim_;
  std::vector<std::unique_ptr<machine::ImageHost>> images_;
  StopCheck stop_check_;  // called while the WIM file is written; an error ends that
};

// The files of an image; null for the machine itself.
inline images::ImageTree* TreeOf(machine::ImageHost* image) { return image == nullptr ? nullptr : &image->tree(); }

// An open target and its name for reports.
struct Target {
  std::string name;
  std::unique_ptr<machine::OpenMachine> machine;

  node::OpenNode Node(machine::Host& host) const { return {host, machine->Ports()}; }
};

// Opens a host, and waits up to `wait_seconds` for another run's lock. Errors: those of Host::Open.
Result<Target> OpenTarget(machine::Host& host, machine::Access access, std::int64_t wait_seconds = 0);

}  // namespace prov::cli
