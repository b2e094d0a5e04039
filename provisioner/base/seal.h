// Seal: a JSON document that contains its own digest, so that damage anywhere in it is detected. The digest is the
// SHA-256 of the document's bytes with zeros in the digest's place.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov {

// The member with the digest, and its value before Seal: as many zeros as a digest has digits.
inline constexpr std::string_view kSealMember = "sha256";
inline constexpr std::string_view kNoSeal = "0000000000000000000000000000000000000000000000000000000000000000";

// `document`: from JsonWriter, with the member kSealMember and the text kNoSeal before any other such member.
std::string Seal(std::string document);

// Errors: hash-mismatch, with `where`.
Result<void> CheckSeal(std::string_view document, std::string_view where);

}  // namespace prov
