// Sources that are plain text: an environment file, a unit of systemd, a file of certificates.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/source/reading.h"

namespace prov::source {

// Whether this is an environment file: the first line that is not a comment assigns a variable. The proxy.env of a
// cluster without a proxy consists of comments only; it is recognised by the file name in them.
bool IsEnvironmentText(std::string_view bytes);

// Reads an environment file: proxy settings, and no statement about certificates. Errors: kind if it assigns none of
// the three variables (it may be for other purposes), those of ParseEnvironmentFile.
Result<Reading> ReadEnvironmentText(std::string bytes, const std::string& where);

// Whether it is a unit of systemd, a drop-in of one, or systemd's own configuration.
bool IsUnitText(std::string_view bytes);

// Reads the Environment= lines of a unit or drop-in: proxy settings, and no statement about certificates. Errors: kind
// if they assign none of the three variables or certificates are beside them, too-large, invalid-config (a value that
// systemd would fill in). Findings: those of ParseUnitEnvironment, not-read (EnvironmentFile=).
Result<Reading> ReadUnitText(std::string bytes, const std::string& where);

// Whether it is PEM (a BEGIN line, also behind a quote, that is not nested in something else by indentation, in UTF-8
// or UTF-16) or one certificate in DER.
bool IsCertificateText(std::string_view bytes);

// Reads a file of certificates, which makes no statement about the proxy. Errors: kind if YAML, JSON or proxy variables
// are beside them, which would be lost.
Result<Reading> ReadCertificateText(std::string bytes, const std::string& where);

}  // namespace prov::source
