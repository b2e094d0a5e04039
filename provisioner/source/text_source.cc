#include "provisioner/source/text_source.h"

#include <algorithm>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/egress/environment_assignments.h"
#include "provisioner/egress/environment_file.h"
#include "provisioner/pki/trust_bundle.h"

namespace prov::source {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kOwnName = "/etc/mco/proxy.env";
constexpr std::string_view kExport = "export ";

// The first line that is neither blank nor a comment, without the blanks around it; "" when there is none.
std::string_view FirstLine(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = TrimBlanks(text.substr(0, end));
    if (!line.empty() && line.front() != '#' && line.front() != ';') return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

bool IsPem(std::string_view text) {
  return text.starts_with(kBegin) || text.find("\n-----BEGIN ") != std::string_view::npos ||
         FirstLine(text).starts_with(kBegin);
}

}  // namespace

bool IsEnvironmentText(std::string_view bytes) {
  std::string text(bytes);
  DecodeMarked(text);
  std::string_view line = FirstLine(text);
  if (line.empty()) return text.ends_with('\n') && text.find(kOwnName) != std::string::npos;
  if (line.starts_with(kExport)) line = TrimBlanks(line.substr(kExport.size()));
  const std::size_t equals = line.find('=');
  return equals != std::string_view::npos && egress::IsVariableName(TrimBlanks(line.substr(0, equals)));
}

Result<Reading> ReadEnvironmentText(std::string bytes, const std::string& where) {
  DecodeMarked(bytes);  // the parser refuses malformed text
  Reading out;
  egress::EgressConfig& config = out.config;
  config.source = {"EnvironmentFile", "", ""};
  config.proxy_file = DescribeFile(where, bytes);
  AssignVariables(PROV_TRY(egress::ParseEnvironmentFile(bytes, where, config.findings)), where, config);
  const bool none = !config.http_proxy && !config.https_proxy && !config.no_proxy;
  if (none && !FirstLine(bytes).empty()) {
    for (const Finding& finding : config.findings) {
      if (finding.code == "env-name" || finding.code == "env-lower-case")
        return Fail(Code::kKind, "the environment file sets no proxy: " + finding.message, finding.where);
    }
    return Fail(Code::kKind,
                "the environment file assigns none of HTTP_PROXY, HTTPS_PROXY and NO_PROXY (in upper case), so it is "
                "taken for another file; assign them, empty for no proxy",
                where);
  }
  return out;
}

bool IsUnitText(std::string_view bytes) {
  std::string text(bytes);
  DecodeMarked(text);
  const std::string_view line = FirstLine(text);
  return line == "[Service]" || line == "[Unit]" || line == "[Manager]";
}

bool IsCertificateText(std::string_view bytes) {
  if (pki::IsDer(bytes)) return true;
  std::string text(bytes);
  DecodeMarked(text);  // the reader of bundles refuses malformed text
  return IsPem(text);
}

Result<Reading> ReadCertificateText(std::string bytes, const std::string& where) {
  Reading out;
  out.config.source = {"PemBundle", "", ""};
  out.trust.push_back({where, std::move(bytes), false});
  AddInfo(out.config.findings, "no-proxy-file",
          "a file of certificates makes no statement about the proxy, so proxy settings stay as they are", where);
  return out;
}

}  // namespace prov::source
