// The names in a certificate: its subject and issuer as text, and the host names that a server's certificate is valid
// for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prov::pki {

// `name` is a whole Name (SEQUENCE OF SET OF AttributeTypeAndValue) in DER. The text is that of RFC 4514 in UTF-8: last
// RDN first, "CN=example userca,O=Example Corp"; the members of a multi-valued RDN are joined by '+', last first too.
// Special characters have a backslash, control characters are written as \XX. Attribute types that are not in the
// table, and values that are no text or malformed text, become #hex of the value's DER; the types then are dotted OIDs.
// Teletex and other 8-bit strings are read as Latin-1, as OpenSSL does. nullopt if `name` isn't a Name. An empty Name
// gives "".
std::optional<std::string> FormatDistinguishedName(std::string_view name);

// The host names and addresses of the subjectAltName of a DER certificate, in their order: names as written, addresses
// as text. None where there is no such extension or it can't be read. At most 1000.
std::vector<std::string> AlternativeNames(std::string_view der);

}  // namespace prov::pki
