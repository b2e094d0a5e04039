// The bypass lists of WinHTTP and WinINET: globs on the host's text. Based on published measurements that could not be
// repeated here; ValidateWinHttp() keeps doubtful entries out of the lists that this program writes.
#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/dialect_patterns.h"

namespace prov::egress {
namespace {

class WindowsList final : public DialectList {
 public:
  WindowsList(bool is_winhttp, std::string_view bypass) : is_winhttp_(is_winhttp) {
    // With a '/' anywhere, WinHTTP opens no session, and WinINET sends everything direct.
    has_slash_ = bypass.find('/') != std::string_view::npos;
    if (has_slash_) (void)texts_.Add(bypass);
    const std::string_view separators = is_winhttp ? "; \t\r\n" : "; \t\r\n,";
    while (!has_slash_ && !bypass.empty()) {
      const std::size_t end = std::min(bypass.find_first_of(separators), bypass.size());
      if (end > 0) Add(AsciiLower(bypass.substr(0, end)), texts_.Add(bypass.substr(0, end)));
      bypass.remove_prefix(std::min(end + 1, bypass.size()));
    }
  }

  Bypass Find(const Destination& to) const override {
    if (has_slash_) return is_winhttp_ ? Bypass{Bypass::Kind::kInvalid} : texts_.Found(0);
    PatternSet::Entry found = patterns_.FindText(to.authority);
    if (!to.is_ipv6 && to.name.find('.') == std::string::npos) found = std::min(found, local_);
    if (found != PatternSet::kNone) return texts_.Found(found);
    return {!is_winhttp_ && IsImplicit(to) ? Bypass::Kind::kImplicit : Bypass::Kind::kNo};
  }

 private:
  void Add(std::string_view pattern, PatternSet::Entry number) {
    if (pattern == "<local>") {
      local_ = std::min(local_, number);
    } else {
      patterns_.AddGlob(pattern, number);
    }
  }

  // The hosts that WinINET never proxies: loopback and link-local addresses.
  static bool IsImplicit(const Destination& to) {
    if (to.name == "localhost" || to.name == "loopback" || to.name == "127.0.0.1") return true;
    if (!to.address) return false;
    const IpAddress::Bytes& b = to.address->bytes();
    if (to.address->IsIpv4()) return b[12] == 169 && b[13] == 254;
    return to.address->IsLoopback() || (b[0] == 0xFE && (b[1] & 0xC0U) == 0x80);
  }

  bool is_winhttp_;
  bool has_slash_ = false;
  PatternSet::Entry local_ = PatternSet::kNone;
  EntryTexts texts_;
  PatternSet patterns_;
};

}  // namespace

std::unique_ptr<DialectList> CompileBypassList(Dialect dialect, std::string_view bypass) {
  return std::make_unique<WindowsList>(dialect == Dialect::kWinHttp, bypass);
}

}  // namespace prov::egress
