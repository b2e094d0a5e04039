#include "provisioner/registries/hosts_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "provisioner/base/suggestion.h"
#include "provisioner/base/text.h"
#include "provisioner/registries/toml_document.h"

namespace prov::registries {
namespace {

constexpr std::array<std::string_view, 7> kHostKeys = {
    "capabilities", "ca", "client", "skip_verify", "header", "override_path", "dial_timeout"};
constexpr std::string_view kConsequence = "containerd logs it and goes on as without the file";

// Reads one file. Members of a table are read by functions that return an error for a value of the wrong type.
class HostsReader {
 public:
  HostsReader(std::string_view text, const std::string& where, Containerd version, Findings& findings)
      : lines_(Split(text, '\n')), where_(where), version_(version), findings_(findings, where) {}

  Result<HostsToml> Read(const toml::table& root) {
    HostsToml out;
    const toml::node* hosts = root.get("host");
    if (hosts != nullptr && !hosts->is_table()) return Refuse(*hosts, "'host' is not a table");
    if (hosts == nullptr && version_ != Containerd::k2) {
      Warn(root, "has no table [host.\"URL\"], so containerd 1.6 and 1.7 go on as without the file");
      return out;
    }
    if (hosts == nullptr) Warn(root, "has no table [host.\"URL\"], and containerd before 2.0 ignores such a file");
    if (hosts != nullptr) {
      for (const std::string& name : PROV_TRY(OrderOf(*hosts->as_table())))
        out.hosts.push_back(PROV_TRY(ReadHost(name, *hosts->as_table()->get_as<toml::table>(name))));
    }
    const toml::node* server = root.get("server");
    if (server != nullptr && !server->is_string()) return Refuse(*server, "'server' is not a string");
    out.server = PROV_TRY(ReadHost(server == nullptr ? "" : **server->as_string(), root));
    CheckKeys(root, true);
    return out;
  }

 private:
  std::unexpected<Error> Refuse(const toml::node& node, std::string_view what) const {
    return Fail(Code::kRegistries, fmt::format("{}; {}", what, kConsequence), PlaceIn(where_, node.source()));
  }
  void Warn(const toml::node& node, std::string what) {
    findings_.Warn("hosts-toml", std::move(what), PlaceIn(where_, node.source()));
  }

  // The names of the hosts in the order of their tables. containerd 2 goes through the headers of tables, so it leaves
  // out tables without one, and takes a host again whose table goes on after that of another host.
  Result<std::vector<std::string>> OrderOf(const toml::table& hosts) {
    struct Header {
      toml::source_position at;
      std::string name;
    };
    std::vector<Header> headers;
    for (const auto& [key, node] : hosts) {
      const std::string name(key.str());
      const toml::table* table = node.as_table();
      if (table == nullptr) return Refuse(node, fmt::format("'{}' is not the table of a host", name));
      if (version_ != Containerd::k2 || HasHeader(*table)) headers.push_back({table->source().begin, name});
      for (const auto& [inner_key, inner] : *table) {
        if (inner.is_table() && HasHeader(*inner.as_table())) headers.push_back({inner.source().begin, name});
      }
      const bool headed = !headers.empty() && headers.back().name == name;
      if (headed && name.find('[') != std::string::npos) {
        if (version_ != Containerd::k2) return Refuse(node, "the name of a host has a '['");
        Warn(node, "is a host with '[' in its name, for which containerd before 2.0 refuses the file");
      }
      if (!headed) Warn(node, "is a host that containerd 2 leaves out: it needs a table of its own, [host.\"URL\"]");
    }
    std::ranges::sort(headers, {}, [](const Header& one) { return std::tuple(one.at.line, one.at.column, one.name); });
    std::vector<std::string> out;
    for (Header& one : headers) {
      const bool again = version_ == Containerd::k2 ? !out.empty() && out.back() == one.name
                                                    : std::ranges::find(out, one.name) != out.end();
      if (!again) out.push_back(std::move(one.name));
    }
    return out;
  }

  // Whether the table begins with its name in brackets; others are values, or made by keys with dots.
  bool HasHeader(const toml::table& table) const {
    const toml::source_position at = table.source().begin;
    if (table.is_inline() || at.line == 0 || at.line > lines_.size()) return false;
    const std::string_view line = lines_[at.line - 1];
    return at.column <= line.size() && line[at.column - 1] == '[';
  }

  Result<HostConfig> ReadHost(const std::string& url, const toml::table& table) {
    HostConfig out;
    auto parsed = ParseServerUrl(url);
    if (!parsed) return Refuse(table, "the URL of a host is invalid");
    out.url = *std::move(parsed);
    if (!url.empty() && !out.url.usable())
      Warn(table, "has a host without a URL such as https://HOST:PORT; containerd can't ask it");
    if (url.find('@') != std::string::npos)
      Warn(table, "has a user in the URL of a host, which containerd does not send; use a header or a pull secret");
    PROV_TRY(ReadCapabilities(table, out));
    out.ca = PROV_TRY(ReadTexts(table, "ca"));
    PROV_TRY(ReadClient(table, out));
    out.skip_verify = PROV_TRY(ReadBool(table, "skip_verify"));
    out.override_path = PROV_TRY(ReadBool(table, "override_path")).value_or(false);
    PROV_TRY(ReadHeaders(table, out));
    PROV_TRY(ReadTimeout(table, out));
    if (!out.override_path && out.url.path.find("/v2/") != std::string::npos)
      Warn(table, fmt::format("lacks override_path: containerd adds /v2 to the path and asks {}",
                              ApiPath(out.url, out.override_path)));
    return out;
  }

  Result<void> ReadCapabilities(const toml::table& table, HostConfig& out) {
    const toml::node* node = table.get("capabilities");
    if (node == nullptr) return {};
    if (!node->is_array()) return Refuse(*node, "'capabilities' is not a list");
    if (node->as_array()->empty()) return {};
    out.pull = out.resolve = out.push = false;
    for (const toml::node& one : *node->as_array()) {
      if (!one.is_string()) return Refuse(one, "a capability is not a string");
      const std::string name = AsciiLower(**one.as_string());
      if (name == "pull") {
        out.pull = true;
      } else if (name == "resolve") {
        out.resolve = true;
      } else if (name == "push") {
        out.push = true;
      } else if (name == "referrers") {
        if (version_ != Containerd::k2)
          return Refuse(one, "the capability 'referrers' is unknown before containerd 2.2");
        Warn(one, "has the capability 'referrers', for which containerd before 2.2 refuses the file");
      } else {
        return Refuse(one, fmt::format("the capability '{}' is unknown; there are pull, resolve and push", name));
      }
    }
    return {};
  }

  // A string, or a list of them.
  Result<std::vector<std::string>> ReadTexts(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::vector<std::string>();
    return TextsOf(*node, key);
  }

  Result<std::vector<std::string>> TextsOf(const toml::node& node, std::string_view key) const {
    if (node.is_string()) return std::vector<std::string>{**node.as_string()};
    if (!node.is_array()) return Refuse(node, fmt::format("'{}' is neither a string nor a list of strings", key));
    std::vector<std::string> out;
    for (const toml::node& one : *node.as_array()) {
      if (!one.is_string()) return Refuse(one, fmt::format("'{}' has something else than a string in its list", key));
      out.push_back(**one.as_string());
    }
    return out;
  }

  // "file", ["file", …] or [["certificate", "key"], …].
  Result<void> ReadClient(const toml::table& table, HostConfig& out) const {
    const toml::node* node = table.get("client");
    if (node == nullptr) return {};
    if (!node->is_array()) {
      out.client.emplace_back(PROV_TRY(TextsOf(*node, "client")).front(), "");
      return {};
    }
    for (const toml::node& one : *node->as_array()) {
      const std::vector<std::string> pair = PROV_TRY(TextsOf(one, "client"));
      if (one.is_array() && pair.size() != 2) return Refuse(one, "'client' has a list that is not certificate and key");
      out.client.emplace_back(pair.front(), one.is_array() ? pair.back() : "");
    }
    return {};
  }

  Result<std::optional<bool>> ReadBool(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_boolean()) return Refuse(*node, fmt::format("'{}' is neither true nor false", key));
    return **node->as_boolean();
  }

  Result<void> ReadHeaders(const toml::table& table, HostConfig& out) const {
    const toml::node* node = table.get("header");
    if (node == nullptr) return {};
    if (!node->is_table()) return Refuse(*node, "'header' is not a table");
    for (const auto& [key, value] : *node->as_table()) {
      for (std::string& text : PROV_TRY(TextsOf(value, key.str())))
        out.headers.emplace_back(std::string(key.str()), Secret(std::move(text)));
    }
    return {};
  }

  Result<void> ReadTimeout(const toml::table& table, HostConfig& out) {
    const toml::node* node = table.get("dial_timeout");
    if (node == nullptr) return {};
    if (version_ != Containerd::k2) {
      Warn(*node, "has 'dial_timeout', which containerd before 2.0 does not read");
      return {};
    }
    if (!node->is_string()) return Refuse(*node, "'dial_timeout' is not a string such as \"30s\"");
    out.dial_timeout = **node->as_string();
    if (!out.dial_timeout.empty() && !IsGoDuration(out.dial_timeout))
      return Refuse(*node, "'dial_timeout' is not a time such as \"30s\"");
    return {};
  }

  // time.ParseDuration, without its limit.
  static bool IsGoDuration(std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (text == "0") return true;
    if (text.empty()) return false;
    while (!text.empty()) {
      const std::size_t number = std::min(text.find_first_not_of("0123456789."), text.size());
      const std::string_view digits = text.substr(0, number);
      if (digits.find_first_of("0123456789") == std::string_view::npos || std::ranges::count(digits, '.') > 1)
        return false;
      text.remove_prefix(number);
      const std::string_view unit = text.substr(0, text.find_first_of("0123456789."));
      constexpr std::array<std::string_view, 8> kUnits = {"ns", "us", "\xC2\xB5s", "\xCE\xBCs", "ms", "s", "m", "h"};
      if (std::ranges::find(kUnits, unit) == kUnits.end()) return false;
      text.remove_prefix(unit.size());
    }
    return true;
  }

  // Keys that containerd does not know, which it ignores.
  void CheckKeys(const toml::table& root, bool is_root) {
    for (const auto& [key, node] : root) {
      const std::string_view name = key.str();
      if (is_root && (name == "server" || name == "host")) continue;
      if (std::ranges::find(kHostKeys, name) != kHostKeys.end()) continue;
      const std::string hint = DidYouMean(name, kHostKeys);
      Warn(node,
           fmt::format("has the unknown key '{}', which containerd ignores{}{}", name, hint.empty() ? "" : "; ", hint));
    }
    const toml::table* hosts = is_root ? root.get_as<toml::table>("host") : nullptr;
    if (hosts == nullptr) return;
    for (const auto& [key, node] : *hosts) {
      if (const toml::table* table = node.as_table()) CheckKeys(*table, false);
    }
  }

  std::vector<std::string_view> lines_;
  const std::string& where_;
  Containerd version_;
  CappedFindings findings_;
};

// A TOML string; control characters and what is not ASCII can stand there escaped.
std::string Quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out.append("\\").append(1, c);
    } else if (IsControl(c)) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string QuoteList(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? ", " : "") + Quote(text);
  return out + "]";
}

std::string WriteClient(const HostConfig& host) {
  std::vector<std::string> files;
  files.reserve(host.client.size());
  for (const auto& [certificate, key] : host.client)
    files.push_back(key.empty() ? Quote(certificate) : QuoteList({certificate, key}));
  return fmt::format("[{}]", fmt::join(files, ", "));
}

// The members of a host's table, `indent` before each.
std::string WriteHost(const HostConfig& host, std::string_view indent) {
  std::string out;
  const auto line = [&](std::string_view key, std::string_view value) {
    out += fmt::format("{}{} = {}\n", indent, key, value);
  };
  if (!host.pull || !host.resolve || !host.push) {
    std::vector<std::string> names;
    if (host.pull) names.emplace_back("pull");
    if (host.resolve) names.emplace_back("resolve");
    if (host.push) names.emplace_back("push");
    line("capabilities", QuoteList(names));
  }
  if (!host.ca.empty()) line("ca", QuoteList(host.ca));
  if (!host.client.empty()) line("client", WriteClient(host));
  if (host.skip_verify) line("skip_verify", *host.skip_verify ? "true" : "false");
  if (host.override_path) line("override_path", "true");
  if (!host.dial_timeout.empty()) line("dial_timeout", Quote(host.dial_timeout));
  return out;
}

std::string WriteHeaders(const HostConfig& host, const std::string& table, std::string_view indent) {
  if (host.headers.empty()) return "";
  std::string out = fmt::format("{}[{}]\n", indent, table);
  for (auto one = host.headers.begin(); one != host.headers.end();) {
    std::vector<std::string> values;
    const std::string& name = one->first;
    for (; one != host.headers.end() && one->first == name; ++one) values.push_back(one->second.Reveal());
    out += fmt::format("{}  {} = {}\n", indent, Quote(name), values.size() == 1 ? Quote(values[0]) : QuoteList(values));
  }
  return out;
}

}  // namespace

Result<HostsToml> ReadHostsToml(std::string_view text, const std::string& where, Containerd version,
                                Findings& findings) {
  if (text.empty()) return HostsToml{};  // as without the file
  auto root = ParseToml(text, where);
  if (!root) {
    Error error = std::move(root).error();
    if (error.code == Code::kRegistries) error.message += fmt::format("; {}", kConsequence);
    return std::unexpected(std::move(error));
  }
  return HostsReader(text, where, version, findings).Read(*root);
}

Secret WriteHostsToml(const HostsToml& hosts) {
  std::string out;
  if (const std::string url = hosts.server.url.Text(); !url.empty()) out += fmt::format("server = {}\n", Quote(url));
  out += WriteHost(hosts.server, "");
  out += WriteHeaders(hosts.server, "header", "");
  for (const HostConfig& host : hosts.hosts) {
    const std::string table = "host." + Quote(host.url.Text());
    out += fmt::format("{}[{}]\n{}{}", out.empty() ? "" : "\n", table, WriteHost(host, "  "),
                       WriteHeaders(host, table + ".header", "  "));
  }
  return Secret(std::move(out));
}

std::vector<std::string> HostsFolders(std::string_view registry, bool windows) {
  const auto without_colons = [&](std::string name) {
    if (windows) std::erase(name, ':');
    return name;
  };
  std::vector<std::string> out;
  if (const std::size_t colon = registry.rfind(':'); colon != std::string_view::npos && colon > 0)
    out.push_back(without_colons(fmt::format("{}_{}_", registry.substr(0, colon), registry.substr(colon + 1))));
  out.push_back(without_colons(std::string(registry)));
  out.emplace_back("_default");
  return out;
}

}  // namespace prov::registries
