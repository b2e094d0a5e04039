// URIs as the cluster's network operator reads them: with Go's net/url and its error texts. A URI that Go accepts here
// may still be useless as a proxy (no host, a colon too many); egress::ParseProxyUrl reports that.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace prov::publish {

struct RequestUri {
  std::string scheme;    // lower case; "" only where it was asked for a reference
  std::string hostname;  // decoded, IPv6 without brackets; may be empty, as in http://:3128
  std::string port;      // digits, or ""
};

enum class UriForm {
  kRequest,    // url.ParseRequestURI: a '#' is no fragment, a path without scheme begins with '/'
  kReference,  // url.Parse: also relative, with a fragment
};

// Errors are Go's text: `parse "URL": reason`. Where a password may be, it is hidden in both parts (ShownUri).
// Facts: Go 1.19's net/url; newer releases also refuse colons inside a host.
std::expected<RequestUri, std::string> ParseUri(std::string_view text, UriForm form);

// The operator's check of a URI: it must parse, have a scheme, and its port must be 1 to 65535. Gives the scheme;
// errors are the operator's text.
std::expected<std::string, std::string> CheckUri(std::string_view text);

// A URI in a form that a message may quote: unchanged if nothing in it can be a password, else as RedactUrl has it.
std::string ShownUri(std::string_view text);

// Go's strconv.Quote: in double quotes, with escapes for what is not printable.
std::string GoQuote(std::string_view text);

}  // namespace prov::publish
