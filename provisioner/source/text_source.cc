#include "provisioner/source/text_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/egress/environment_assignments.h"
#include "provisioner/egress/environment_file.h"
#include "provisioner/egress/script_assignment.h"
#include "provisioner/pki/trust_bundle.h"
#include "provisioner/source/source_members.h"
#include "provisioner/source/url_elsewhere.h"

namespace prov::source {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kOwnName = "/etc/mco/proxy.env";

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

// Whether the text is within quotes as a whole: cmd.exe leaves them around a text, and jq without -r writes it so.
bool IsQuoted(std::string_view text) {
  text = TrimBlanks(text);
  if (text.size() < 2 || (text.front() != '"' && text.front() != '\'')) return false;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == text.front()) {
      return at + 1 == text.size();
    }
  }
  return false;
}

// The heading of a section of a unit.
bool IsSection(std::string_view line) {
  return line == "[Service]" || line == "[Unit]" || line == "[Manager]" || line == "[Install]";
}

bool IsPem(std::string_view text) {
  if (IsQuoted(text) && text.find(kBegin) != std::string_view::npos) return true;
  std::string_view line = FirstLine(text);
  if (line.starts_with('"') || line.starts_with('\'')) line = TrimBlanks(line.substr(1));  // as each line may be
  return line.starts_with(kBegin) || text.find("\n-----BEGIN ") != std::string_view::npos ||
         text.find("\n\"-----BEGIN ") != std::string_view::npos;
}

}  // namespace

bool IsEnvironmentText(std::string_view bytes) {
  std::string text(bytes);
  DecodeMarked(text);
  const std::string_view line = FirstLine(text);
  if (line.empty()) return text.ends_with('\n') && text.find(kOwnName) != std::string::npos;
  if (egress::ReadScriptAssignment(line)) return true;  // refused, with the reason
  const std::size_t equals = line.find('=');
  return equals != std::string_view::npos && egress::IsVariableName(TrimBlanks(line.substr(0, equals)));
}

Result<Reading> ReadEnvironmentText(std::string bytes, const std::string& where) {
  DecodeMarked(bytes);  // the parser refuses malformed text
  Reading out;
  egress::EgressConfig& config = out.config;
  config.source = {"EnvironmentFile", "", ""};
  config.proxy_file = DescribeFile(where, bytes);
  const auto assignments = PROV_TRY(egress::ParseEnvironmentFile(bytes, where, config.findings));
  AssignVariables(assignments, where, config);
  PROV_TRY(RefuseScriptLines(bytes, where, config));
  PROV_TRY(RefuseUrlInOtherCase("the environment file", assignments, where, config));
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
  return IsSection(FirstLine(text));
}

namespace {

// Keys of the documents that are sources and of no text about a certificate, at any indentation; and those that are
// words of other texts, too, which count at the start of a line and with nothing but a mapping or sequence behind them.
constexpr std::array<std::string_view, 11> kOwnKeys = {
    "apiVersion", "httpProxy",  "httpsProxy", "noProxy",    "additionalTrustBundle", "trustedCA",
    "trustedCa",  "baseDomain", "binaryData", "stringData", "httpProxyConfig"};
constexpr std::array<std::string_view, 7> kSharedKeys = {"data",  "items", "metadata", "platform",
                                                         "proxy", "spec",  "status"};
constexpr std::array<std::string_view, 6> kBlockScalars = {"|", "|-", "|+", ">", ">-", ">+"};

bool IsOneOf(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool IsProxyVariable(std::string_view name) {
  return egress::IsVariableName(name) && AsciiLower(name).ends_with("_proxy");
}

// What a line says that belongs to a document with settings and not to a file of certificates: its key, variable or
// first characters; "": nothing.
struct SettingsLine {
  std::string_view name;
  bool yaml = false;  // or JSON; otherwise an assignment or a part of a unit
};

SettingsLine KeyOf(std::string_view line, bool begins_line) {
  while (line.starts_with("- ")) line = TrimBlanks(line.substr(2));
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  std::string_view key = TrimBlanks(line.substr(0, colon));
  if (key.size() > 1 && (key.front() == '"' || key.front() == '\'') && key.back() == key.front())
    key = key.substr(1, key.size() - 2);
  if (key.empty() || key.find_first_of(" \t#") != std::string_view::npos) return {};
  const std::string_view value = TrimBlanks(line.substr(colon + 1));
  const bool opens = value.empty() || value.front() == '{' || value.front() == '[';
  const bool is_word = !value.empty() && std::ranges::all_of(value, IsLetter);
  const bool own = IsOneOf(kOwnKeys, key) || IsOneOf(kBlockScalars, value) || IsProxyVariable(key);
  const bool shared = (opens && IsOneOf(kSharedKeys, key)) || (is_word && key == "kind");
  return own || (begins_line && shared) ? SettingsLine{key, true} : SettingsLine{};
}

SettingsLine SettingsOf(std::string_view line) {
  constexpr std::string_view kUnitKey = "Environment=";
  if (line.starts_with(egress::kByteOrderMark)) line.remove_prefix(egress::kByteOrderMark.size());
  const bool begins_line = !line.empty() && line.front() != ' ' && line.front() != '\t';
  line = TrimBlanks(line);
  if (line == "{" || line.starts_with("{\"") || line.starts_with("[{")) return {line.substr(0, 1), true};
  if (IsSection(line)) return {line, false};
  if (const SettingsLine key = KeyOf(line, begins_line); !key.name.empty()) return key;
  if (line.starts_with(kUnitKey)) line.remove_prefix(kUnitKey.size());
  if (line.starts_with('"') || line.starts_with('\'')) line.remove_prefix(1);
  if (const auto script = egress::ReadScriptAssignment(line))
    return IsProxyVariable(script->name) ? SettingsLine{script->name, false} : SettingsLine{};
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string_view name = TrimBlanks(line.substr(0, equals));
  return IsProxyVariable(name) ? SettingsLine{name, false} : SettingsLine{};
}

// Refuses settings beside certificates: the reader of the one drops the other.
Result<void> RefuseMixture(std::string_view text, const std::string& where) {
  SettingsLine settings;
  std::size_t settings_at = 0;
  std::size_t certificate_at = 0;  // the first that begins its line, else the first
  bool begins_line = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + (text.substr(end).starts_with("\r\n") ? 2 : 1), text.size()));
    if (const std::size_t at = line.find(kBegin);
        at != std::string_view::npos && (certificate_at == 0 || (at == 0 && !begins_line))) {
      certificate_at = number;
      begins_line = at == 0;
    }
    if (settings_at != 0) continue;
    settings = SettingsOf(line);
    if (!settings.name.empty()) settings_at = number;
  }
  if (settings_at == 0 || certificate_at == 0) return {};
  const std::string message =
      settings.yaml
          ? fmt::format(
                "is YAML or JSON ({}), and the certificate in line {} is not indented under a key of it; indent it, or "
                "give a file with one of the two",
                Shorten(settings.name), certificate_at)
          : fmt::format(
                "has settings ({}), and line {} a certificate, but a source of plain text gives one of them; write a "
                "Proxy with its ConfigMap, which give both, or give a file with one of the two",
                Shorten(settings.name), certificate_at);
  return Fail(Code::kKind, message, fmt::format("{}, line {}", where, settings_at));
}

// systemd replaces a letter behind '%' by what it stands for on that machine, and "%%" by '%'; others stay.
Result<Secret> WithoutSpecifiers(const egress::Assignment& assignment, const std::string& where) {
  const std::string_view value = assignment.value.Reveal();
  std::string out;
  out.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    out += value[i];
    if (value[i] != '%' || i + 1 == value.size()) continue;
    if (value[i + 1] == '%') {
      ++i;
    } else if (IsLetter(value[i + 1])) {
      return Fail(Code::kInvalidConfig,
                  fmt::format("{} has a '%' before a letter, which systemd takes for a part that it fills in, such as "
                              "%h; write each '%' of a unit twice",
                              assignment.name),
                  fmt::format("{}, line {}", where, assignment.line));
    }
  }
  return Secret(std::move(out));
}

// The file of the last EnvironmentFile= line, whose variables win over those of Environment= lines; "": none.
std::string_view EnvironmentFileOf(std::string_view unit) {
  constexpr std::string_view kKey = "EnvironmentFile";
  std::string_view out;
  for (const std::string_view line : Split(unit, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos && TrimBlanks(line.substr(0, equals)) == kKey)
      out = TrimBlanks(line.substr(equals + 1));
  }
  return out;
}

}  // namespace

Result<Reading> ReadUnitText(std::string bytes, const std::string& where) {
  if (!DecodeMarked(bytes)) return Fail(Code::kKind, "is UTF-16 that is cut short or damaged", where);
  PROV_TRY(egress::CheckEnvironmentSize(bytes, where));
  if (IsPem(bytes)) PROV_TRY(RefuseMixture(bytes, where));
  Reading out;
  egress::EgressConfig& config = out.config;
  config.source = {"SystemdUnit", "", ""};
  config.proxy_file = DescribeFile(where, bytes);
  std::vector<egress::Assignment> assignments = egress::ParseUnitEnvironment(bytes, where, config.findings);
  for (egress::Assignment& assignment : assignments) {
    if (std::ranges::find(egress::kProxyVariables, assignment.name) != egress::kProxyVariables.end())
      assignment.value = PROV_TRY(WithoutSpecifiers(assignment, where));
  }
  AssignVariables(assignments, where, config);
  PROV_TRY(RefuseUrlInOtherCase("the unit", assignments, where, config));
  const std::string_view file = EnvironmentFileOf(bytes);
  if (!config.http_proxy && !config.https_proxy && !config.no_proxy) {
    return Fail(Code::kKind,
                fmt::format("is a unit or drop-in of systemd without any of HTTP_PROXY, HTTPS_PROXY and NO_PROXY (in "
                            "upper case) in the Environment= lines of its [Service]{}",
                            file.empty() ? std::string("; give the file that sets them")
                                         : fmt::format("; give the file of its EnvironmentFile=, {}", Shorten(file))),
                where);
  }
  PROV_TRY(ReadOtherUnitLines(bytes, where, config));
  if (!file.empty()) {
    ReportNotRead(Subject::kProxy, fmt::format("EnvironmentFile={}", Shorten(file)),
                  "systemd lets its variables win over those of the unit", where, config);
  }
  return out;
}

bool IsCertificateText(std::string_view bytes) {
  if (pki::IsDer(bytes)) return true;
  std::string text(bytes);
  DecodeMarked(text);  // the reader of bundles refuses malformed text
  return IsPem(text);
}

Result<Reading> ReadCertificateText(std::string bytes, const std::string& where) {
  if (!pki::IsDer(bytes)) {
    std::string text = bytes;
    DecodeMarked(text);
    PROV_TRY(RefuseMixture(text, where));
  }
  Reading out;
  out.config.source = {"PemBundle", "", ""};
  out.trust.push_back({where, std::move(bytes), false});
  AddInfo(out.config.findings, "no-proxy-file",
          "a file of certificates makes no statement about the proxy, so proxy settings stay as they are", where);
  return out;
}

}  // namespace prov::source
