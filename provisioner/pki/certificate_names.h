// The names that a server's certificate is for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prov::pki {

// The host names and addresses of the subjectAltName of a DER certificate, in their order: names as written, addresses
// as text. None where there is no such extension or it can't be read. At most 1000.
std::vector<std::string> AlternativeNames(std::string_view der);

}  // namespace prov::pki
