#include "provisioner/registries/endpoints.h"

#include <string_view>

namespace prov::registries {

std::string Endpoint::Host() const {
  const std::string_view text = url;
  const std::size_t start = text.find("://") + 3;
  return std::string(text.substr(start, text.find('/', start) - start));
}

std::string Endpoint::UrlOf(const std::string& what) const {
  std::string out = url + "/" + repository + "/" + what;
  if (!name_space.empty()) out += "?ns=" + name_space;
  return out;
}

}  // namespace prov::registries
