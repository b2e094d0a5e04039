// The names in a certificate: its subject and issuer as text, and the host names for which a server's certificate is
// valid.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prov::pki {

// Formats a complete DER Name (SEQUENCE OF SET OF AttributeTypeAndValue) by RFC 4514 in UTF-8: last RDN first,
// "CN=example userca,O=Example Corp". The members of a multi-valued RDN are joined by '+', also last first. Special
// characters have a backslash; control characters are written as \XX. Unknown attribute types appear as dotted OIDs.
// Their values, and values that are not or not valid text, appear as #hex of the DER. Teletex and other 8-bit strings
// are read as Latin-1, as OpenSSL does; UniversalStrings are not read. nullopt if `name` isn't a Name; "" for an empty
// one.
std::optional<std::string> FormatDistinguishedName(std::string_view name);

// The host names and addresses in the subjectAltName of a DER certificate, in order: names as written, addresses as
// text. Empty if the extension is absent or can't be read. At most 1000.
std::vector<std::string> AlternativeNames(std::string_view der);

}  // namespace prov::pki
