// Before the first write into an image: removes what killed runs left there, and checks that there is room for
// everything that will be written.
#pragma once

#include <cstdint>
#include <vector>

#include "provisioner/machine/image_host.h"
#include "provisioner/node/image_install.h"

namespace prov::node {

// What a run is about to write into an image.
struct ImageWork {
  std::vector<reconcile::Change> changes;        // of settings and of the service
  const FilePlan* files = nullptr;               // null: no installation
  std::vector<pki::Certificate> certificates{};  // that may be added
};

// The most space that the run needs on the volume at any time, estimated from what it writes: the payload's files, the
// changed hives with their possible growth, and the state files. If files are replaced one by one, the largest exists
// twice for a moment. 0: nothing is written.
Result<std::uint64_t> RoomFor(machine::ImageHost& image, OpenNode& node, const ImageWork& work);

// Errors: target (less room than RoomFor, counting the `coming_free` bytes of leftovers as free).
Result<void> RequireRoom(machine::ImageHost& image, OpenNode& node, const ImageWork& work,
                         std::uint64_t coming_free = 0);

// The size of the leftovers in the folders that runs write into.
Result<std::uint64_t> LeftoverBytes(images::ImageTree& tree);
// Removes them; a finding says what was removed.
Result<void> RemoveLeftovers(images::ImageTree& tree, Findings& findings);

}  // namespace prov::node
