// Parses URIs as the cluster's network operator does: with Go's net/url and its error messages. A URI that Go accepts
// here may still be useless as a proxy (no host, a colon too many); egress::ParseProxyUrl reports that.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace prov::publish {

struct RequestUri {
  std::string scheme;    // lower case; "" only for UriForm::kReference
  std::string hostname;  // decoded, IPv6 without brackets; may be empty, as in http://:3128
  std::string port;      // digits, or ""
};

enum class UriForm {
  kRequest,    // url.ParseRequestURI: a '#' begins no fragment, a path without scheme begins with '/'
  kReference,  // url.Parse: also relative, with a fragment
};

// The errors are Go's message: `parse "URL": reason`. Possible passwords are hidden in both parts (ShownUri). Facts: Go
// 1.19's net/url; newer releases also refuse colons inside a host.
std::expected<RequestUri, std::string> ParseUri(std::string_view text, UriForm form);

// The operator's check of a URI: it must parse and have a scheme, and its port must be 1 to 65535. Returns the scheme;
// the errors are the operator's message.
std::expected<std::string, std::string> CheckUri(std::string_view text);

// A URI for messages: unchanged if no part can be a password, else redacted by RedactUrl.
std::string ShownUri(std::string_view text);

// Go's strconv.Quote: double quotes, with escapes for non-printable characters.
std::string GoQuote(std::string_view text);

}  // namespace prov::publish
