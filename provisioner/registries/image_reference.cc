#include "provisioner/registries/image_reference.h"

namespace prov::registries {

std::string ImageReference::Repository() const { return registry + "/" + repository; }

std::string ImageReference::Text() const {
  std::string out = Repository();
  if (!tag.empty()) out += ":" + tag;
  if (by_digest()) out += "@" + digest;
  return out;
}

}  // namespace prov::registries
