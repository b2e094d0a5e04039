// The forms in which a script travels: compressed, as letters, and around these what its reader wants from the first
// byte to the last.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace prov::userdata {

// gzip (RFC 1952) as small as zlib makes it, the same bytes on every system: the parts one behind the other. Each has
// blocks of its own: text and keys have little in common, and a block has one code for all that is in it.
std::string Gzip(std::span<const std::string_view> parts);

// Ascii85, as user data has it: five letters for four bytes, where base64 has four for three. '!' is the digit 0 and
// 'u' is 84; the first counts most. Four zeros have no short form ('z'), and a last group of fewer bytes is filled up
// with zeros.
std::string EncodeAscii85(std::string_view bytes);

// EC2Launch v1 and v2. No line end behind the last tag: readers that compare the end take it so only.
std::string InTags(std::string_view script, bool persist);
// EC2Launch v2's own form; the script runs at every boot as SYSTEM.
std::string InEc2LaunchYaml(std::string_view script);

// cloudbase-init: the mark is the first line.
std::string WithCloudbaseMark(std::string_view script);
// Of a marked script; its lines have at most 998 bytes.
std::string InMultipart(std::string_view script);
std::string InCloudConfig(std::string_view script);

// A guestinfo value with the encoding gzip+base64.
std::string InGuestInfo(std::string_view user_data);

}  // namespace prov::userdata
