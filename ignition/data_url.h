// data: URLs (RFC 2397) as Ignition accepts them: provisioner/docs/openshift.md#data-urls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::ignition {

// Decodes a data URL. Percent escapes are decoded exactly once; base64 is the standard alphabet with padding. Media
// type and parameters are checked and otherwise ignored. Grammar:
//   "data:" [ type "/" subtype ] *( ";" attribute "=" value ) [ ";base64" ] "," data
// Errors, with `where`: data-url (malformed), too-large (more than `limit` bytes).
Result<std::string> DecodeDataUrl(std::string_view url, std::uint64_t limit, std::string_view where);

}  // namespace prov::ignition
