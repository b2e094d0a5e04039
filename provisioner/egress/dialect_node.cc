// Node.js's readings of NO_PROXY: that of its modules http and https, and that of fetch and WebSocket, which changed
// with 26.12. All compare the entries as text with the host as the URL standard writes it; networks are ignored.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/egress/dialect_patterns.h"

namespace prov::egress {
namespace {

constexpr std::string_view kEverything = "*";  // also the key of the entries that match every host

class NodeHttpList final : public DialectList {
 public:
  explicit NodeHttpList(std::string_view text) {
    for (const std::string_view part : Split(text, ',')) {
      const std::string_view entry = TrimBlanks(part);
      if (!entry.empty()) Add(AsciiLower(entry), texts_.Add(entry));
    }
  }

  Bypass Find(const Destination& to) const override {
    PatternSet::Entry found = std::min(whole_.FindName(kEverything), whole_.FindName(to.url_host));
    found = std::min(found, whole_.FindName(to.url_host + ":" + std::to_string(to.port)));
    found = std::min(found, names_.FindName(to.url_host));
    if (!ranges_.empty() && !to.is_ipv6) found = std::min(found, FindRange(IpAddress::Parse(to.url_host)));
    return texts_.Found(found);
  }

 private:
  struct Range {
    IpAddress::Bytes first;
    IpAddress::Bytes last;
    PatternSet::Entry entry;
  };

  void Add(std::string_view entry, PatternSet::Entry number) {
    whole_.AddName(entry, true, false, number);
    if (entry.starts_with('.')) names_.AddName(entry.substr(1), true, true, number);
    if (entry.starts_with("*.")) names_.AddName(entry.substr(2), false, true, number);
    const std::vector<std::string_view> ends = Split(entry, '-');
    if (ends.size() < 2) return;
    const auto first = IpAddress::Parse(TrimBlanks(ends[0]));
    const auto last = IpAddress::Parse(TrimBlanks(ends[1]));
    if (first && last && entry.find(':') == std::string_view::npos)
      ranges_.push_back({first->bytes(), last->bytes(), number});
  }

  PatternSet::Entry FindRange(const std::optional<IpAddress>& address) const {
    const auto found = std::ranges::find_if(ranges_, [&](const Range& one) {
      return address && one.first <= address->bytes() && address->bytes() <= one.last;
    });
    return found == ranges_.end() ? PatternSet::kNone : found->entry;
  }

  EntryTexts texts_;
  PatternSet whole_;  // the host, or the host and its port, is the entry
  PatternSet names_;
  std::vector<Range> ranges_;
};

// "host:port" where the text ends in a port; nullopt otherwise.
std::optional<std::pair<std::string_view, std::string_view>> SplitPort(std::string_view text) {
  const std::size_t end = text.find_last_not_of("0123456789");
  if (end == std::string_view::npos || end == 0 || text[end] != ':' || end + 1 == text.size()) return std::nullopt;
  return std::pair(text.substr(0, end), text.substr(end + 1));
}

bool IsBracketed(std::string_view text) { return text.size() > 2 && text.starts_with('[') && text.ends_with(']'); }

// The port that a WebSocket goes to: the list's ports count for its scheme, too. Port 0 is read as none.
std::uint16_t PortOf(const Destination& to) {
  if (to.port != 0) return to.port;
  return to.scheme == "https" || to.scheme == "wss" ? 443 : 80;
}

class NodeFetchList final : public DialectList {
 public:
  NodeFetchList(std::string_view text, NodeVersion version) : version_(version), all_(text == kEverything) {
    std::string separated(text);
    std::ranges::replace(separated, ' ', ',');
    for (const std::string_view entry : Split(separated, ',')) {
      if (!entry.empty()) Add(AsciiLower(entry), texts_.Add(entry));
    }
  }

  Bypass Find(const Destination& to) const override {
    std::string_view host = to.url_host;
    std::string bracketed;
    if (version_ == NodeVersion::k24) {
      if (to.is_ipv6) host = bracketed = "[" + to.url_host + "]";
    } else if (host.size() > 1 && host.ends_with('.')) {
      host.remove_suffix(1);
    }
    const std::uint16_t port = PortOf(to);
    return texts_.Found(std::min(names_.FindName(kEverything, port), names_.FindName(host, port)));
  }

 private:
  void Add(std::string_view entry, PatternSet::Entry number) {
    std::string_view name = entry;
    PatternSet::Port port;
    if (const auto parts = SplitPort(entry); parts && HasPort(entry, parts->first)) {
      const auto value = ParseDecimal(parts->second, 65535);
      if (!value) return;
      if (*value != 0) port = static_cast<std::uint16_t>(*value);
      name = parts->first;
    }
    const bool old = version_ == NodeVersion::k24;
    if (!old && IsBracketed(name)) name = name.substr(1, name.size() - 2);
    name.remove_prefix(name.starts_with("*.") ? 2 : name.starts_with('.') ? 1 : 0);
    if (!old && name.size() > 1 && name.ends_with('.')) name.remove_suffix(1);
    if (old && name == kEverything && !all_) return;  // '*' counts only as the whole list
    names_.AddName(name, old || name == kEverything || !entry.starts_with('*'), true, number, port);
  }

  // An IPv6 address without brackets: 24 takes its last group for a port.
  bool HasPort(std::string_view entry, std::string_view name) const {
    return version_ == NodeVersion::k24 || IsBracketed(name) || std::ranges::count(entry, ':') == 1;
  }

  NodeVersion version_;
  bool all_;
  EntryTexts texts_;
  PatternSet names_;
};

}  // namespace

std::unique_ptr<DialectList> CompileNodeHttp(const NoProxy& list) {
  return std::make_unique<NodeHttpList>(list.text());
}

std::unique_ptr<DialectList> CompileNodeFetch(const NoProxy& list, NodeVersion version) {
  return std::make_unique<NodeFetchList>(list.text(), version);
}

}  // namespace prov::egress
