#include "provisioner/machine/folder_security.h"

#include <fmt/format.h>

#include "images/registry/descriptor.h"

namespace prov::machine {

Result<void> CheckImageSecurity(const std::optional<std::string>& descriptor, PathUse use, std::string_view where,
                                std::string_view own_account) {
  const auto text = descriptor ? images::TextOf(*descriptor) : std::nullopt;
  const std::optional<std::string> reason =
      text ? WhyUntrusted({false, text->owner, text->dacl}, use, own_account)
           : std::optional<std::string>("has no security descriptor, or a damaged one");
  if (!reason) return {};
  return Fail(Code::kOwner,
              fmt::format("was already in the image and {}: a user of the captured machine could have made it, so it "
                          "is not trusted. Remove it from the image, then run this again",
                          *reason),
              std::string(where));
}

}  // namespace prov::machine
