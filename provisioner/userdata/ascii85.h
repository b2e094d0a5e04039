// Ascii85, as user data has it: five letters for four bytes, where base64 has four for three.
#pragma once

#include <string>
#include <string_view>

namespace prov::userdata {

// '!' is the digit 0 and 'u' is 84; the first counts most. Four zeros have no short form ('z'), and a last group of
// fewer bytes is filled up with zeros.
std::string EncodeAscii85(std::string_view bytes);

}  // namespace prov::userdata
