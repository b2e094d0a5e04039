// data: URLs (RFC 2397) as Ignition accepts them: provisioner/docs/openshift.md#data-urls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::ignition {

// The bytes of a data URL. Percent escapes are decoded exactly once, base64 is the standard alphabet with padding;
// media type and parameters are checked and otherwise ignored (bytes are bytes). Grammar:
//   "data:" [ type "/" subtype ] *( ";" attribute "=" value ) [ ";base64" ] "," data
// `where` goes into the error. Malformed: data-url; more than `limit` bytes: too-large.
Result<std::string> DecodeDataUrl(std::string_view url, std::uint64_t limit, std::string_view where);

}  // namespace prov::ignition
