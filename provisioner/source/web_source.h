// https://… and http://…#sha256=…: a document on a web server.
#pragma once

#include <string>

#include "provisioner/source/remote_request.h"

namespace prov::source {

struct WebSource {
  std::string url;   // without the fragment
  std::string hash;  // SHA-256 that the body must have; "": not checked
};

// Errors: scheme (no host, credentials, another fragment than #sha256=<64 hex digits>, or http:// without it).
Result<WebSource> ParseWebSource(const std::string& uri);

// Errors: hash-mismatch.
Result<void> CheckHash(const WebSource& source, std::string_view body);

}  // namespace prov::source
