// .NET's reading of NO_PROXY: text against Uri.Host, which holds addresses in canonical form and IPv6 in brackets. "*"
// means nothing. From .NET 11 on networks count.
#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/dialect_patterns.h"

namespace prov::egress {
namespace {

class DotnetList final : public DialectList {
 public:
  DotnetList(const NoProxy& list, bool reads_networks) {
    for (const NoProxyEntry& entry : list.entries()) {
      const PatternSet::Entry number = texts_.Add(entry.text);
      const std::string text = AsciiLower(entry.text);
      if (text.starts_with('.')) {
        patterns_.AddName(std::string_view(text).substr(1), true, true, number);
      } else {
        patterns_.AddName(text, true, false, number);
      }
      if (!reads_networks || !entry.network) continue;
      const bool is_ipv4 = entry.network->IsIpv4();
      patterns_.AddNetwork(entry.network->address(), entry.network->prefix() + (is_ipv4 ? 96 : 0),
                           text.find(':') == std::string::npos ? AddressFamily::kIpv4 : AddressFamily::kIpv6, number);
    }
  }

  Bypass Find(const Destination& to) const override {
    PatternSet::Entry found = patterns_.FindName(to.normal_authority);
    if (to.resolved) {
      const auto family = to.is_ipv6 ? AddressFamily::kIpv6 : AddressFamily::kIpv4;
      found = std::min(found, patterns_.FindAddress(*to.resolved, family));
    }
    return texts_.Found(found);
  }

 private:
  EntryTexts texts_;
  PatternSet patterns_;
};

}  // namespace

std::unique_ptr<DialectList> CompileDotnet(const NoProxy& list, bool reads_networks) {
  return std::make_unique<DotnetList>(list, reads_networks);
}

}  // namespace prov::egress
