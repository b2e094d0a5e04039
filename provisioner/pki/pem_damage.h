// Signs that a line outside of any PEM block once belonged to one: a reader that passes over such lines loses
// certificates without a word.
#pragma once

#include <optional>
#include <string_view>

#include "provisioner/pki/pem.h"

namespace prov::pki {

// What ends a line for the PEM reader; the vertical tab stands for an escaped line end (see pem_text.h).
inline constexpr std::string_view kLineEnds = "\n\r\v\f";
inline bool IsLineEnd(char c) { return c >= '\n' && c <= '\r'; }

// `line` is no comment and has no line end. Reported are BEGIN/END CERTIFICATE (also X509, TRUSTED; any letter case)
// beside dashes of any kind or alone on the line, BEGIN and END that are cut short, and words of 60 or more base64
// characters. Offsets are in `line`.
std::optional<PemFault> FindPemDamage(std::string_view line);

}  // namespace prov::pki
