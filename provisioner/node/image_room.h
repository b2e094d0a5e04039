// Before the first write into an image: what killed runs left there goes, and there is room for all that comes.
#pragma once

#include <cstdint>
#include <vector>

#include "provisioner/machine/image_host.h"
#include "provisioner/node/image_install.h"

namespace prov::node {

// What a run is about to write into an image.
struct ImageWork {
  std::vector<reconcile::Change> changes;        // of settings and of the service
  const FilePlan* files = nullptr;               // none: no installation
  std::vector<pki::Certificate> certificates{};  // that may come
};

// The most that it takes on the volume at a time, by counting what it writes: the payload's files as they are; the
// hives that change, with what they can grow by; the state files. Where files are replaced one by one, the largest of
// them is there twice for a moment. 0: nothing is written.
Result<std::uint64_t> RoomFor(machine::ImageHost& image, OpenNode& node, const ImageWork& work);

// Errors: target (there is less room than that, with `coming_free` bytes that leftovers take).
Result<void> RequireRoom(machine::ImageHost& image, OpenNode& node, const ImageWork& work,
                         std::uint64_t coming_free = 0);

// In the folders that runs write into.
Result<std::uint64_t> LeftoverBytes(images::ImageTree& tree);
// A finding says what went.
Result<void> RemoveLeftovers(images::ImageTree& tree, Findings& findings);

}  // namespace prov::node
