#include "provisioner/pull/purpose.h"

namespace prov::pull {

std::string_view NameOf(Purpose purpose) {
  switch (purpose) {
    case Purpose::kPing:
      return "ping";
    case Purpose::kToken:
      return "token";
    case Purpose::kIndex:
      return "index";
    case Purpose::kManifest:
      return "manifest";
    case Purpose::kConfig:
      return "config";
    case Purpose::kLayer:
      return "layer";
  }
  return "";
}

}  // namespace prov::pull
