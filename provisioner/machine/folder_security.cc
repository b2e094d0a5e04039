#include "provisioner/machine/folder_security.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "images/registry/descriptor.h"
#include "images/registry/security.h"

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

bool EverybodyReads(std::string_view descriptor) {
  constexpr std::uint32_t kReads = 0x9000'0001;  // GENERIC_READ, GENERIC_ALL, FILE_READ_DATA
  constexpr std::size_t kHeaderBytes = 8;        // of an entry: type, flags, size, access
  using namespace std::string_view_literals;
  constexpr std::array kEverybody = {
      "\1\1\0\0\0\0\0\1\0\0\0\0"sv,                // S-1-1-0, Everyone
      "\1\1\0\0\0\0\0\5\x0B\0\0\0"sv,              // S-1-5-11, Authenticated Users
      "\1\2\0\0\0\0\0\5\x20\0\0\0\x21\x02\0\0"sv,  // S-1-5-32-545, Users
  };
  const auto parts = images::ReadParts(descriptor);
  if (!parts || parts->dacl.empty()) return false;
  bool reads = false;
  for (const std::string_view entry : images::EntriesOf(parts->dacl)) {
    const bool allows = entry.size() > kHeaderBytes && entry[0] == 0;
    if (!allows) return false;
    std::uint32_t access = 0;
    for (std::size_t at = 8; at-- > 4;) access = access << 8U | static_cast<unsigned char>(entry[at]);
    const bool to_all = std::ranges::find(kEverybody, entry.substr(kHeaderBytes)) != kEverybody.end();
    reads = reads || (to_all && (access & kReads) != 0);
  }
  return reads;
}

}  // namespace prov::machine
