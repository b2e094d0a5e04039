// The encodings of a script: compressed, as text, and wrapped in the form that its reader expects.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace prov::userdata {

// gzip (RFC 1952), as small as zlib makes it and with the same bytes on every system. Each part gets its own deflate
// blocks: a block uses one code for its whole content, and text and keys have little in common.
std::string Gzip(std::span<const std::string_view> parts);

// Ascii85 as user data uses it: five letters for four bytes; base64 needs four for three. '!' is the digit 0 and 'u' is
// 84; the first letter is the most significant. Four zeros have no short form ('z'), and a last group of fewer bytes is
// padded with zeros.
std::string EncodeAscii85(std::string_view bytes);
// Reads it back; blanks and line ends mean nothing. nullopt: it has other letters, or ends within a group.
std::optional<std::string> DecodeAscii85(std::string_view text);

// For EC2Launch v1 and v2. Has no line end after the last tag, because some readers compare the end of the text.
std::string InTags(std::string_view script, bool persist);

// For cloudbase-init: the first line marks a PowerShell script.
std::string WithCloudbaseMark(std::string_view script);

// A guestinfo value, encoded as gzip+base64.
std::string InGuestInfo(std::string_view user_data);

}  // namespace prov::userdata
