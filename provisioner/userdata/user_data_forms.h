// The encodings of a script: compressed, as text, and wrapped in the exact form that its reader expects.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace prov::userdata {

// gzip (RFC 1952), as small as zlib makes it and with the same bytes on every system: the parts one after the other,
// each in blocks of its own. Text and keys have little in common, and a block uses one code for its whole content.
std::string Gzip(std::span<const std::string_view> parts);

// Ascii85 as user data uses it: five letters for four bytes, where base64 has four for three. '!' is the digit 0 and
// 'u' is 84; the first letter is the most significant. Four zeros have no short form ('z'), and a last group of fewer
// bytes is filled up with zeros.
std::string EncodeAscii85(std::string_view bytes);

// EC2Launch v1 and v2. No line end after the last tag: readers that compare the end of the text require that.
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
