// X.501 names as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prov::pki {

// `name` is a whole Name (SEQUENCE OF SET OF AttributeTypeAndValue) in DER. The text is that of RFC 4514 in UTF-8: last
// RDN first, "CN=example userca,O=Example Corp"; the members of a multi-valued RDN are joined by '+', last first too.
// Special characters have a backslash, control characters are written as \XX. Attribute types that are not in the
// table, and values that are no text or malformed text, become #hex of the value's DER; the types then are dotted OIDs.
// Teletex and other 8-bit strings are read as Latin-1, as OpenSSL does. nullopt if `name` isn't a Name. An empty Name
// gives "".
std::optional<std::string> FormatDistinguishedName(std::string_view name);

}  // namespace prov::pki
