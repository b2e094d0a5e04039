// .NET's reading of NO_PROXY: compares entries with Uri.Host, which has addresses in canonical form and IPv6 in
// brackets. "*" has no meaning. .NET 11 and later read networks.
#include <algorithm>
#include <string>
#include <string_view>

#include "provisioner/base/text.h"
#include "provisioner/egress/dialect_patterns.h"

namespace prov::egress {
namespace {

// The lower case of Latin, Greek and Cyrillic letters beyond ASCII, all of which have two bytes; .NET ignores their
// case.
unsigned LowerLetter(unsigned c) {
  const auto within = [c](unsigned first, unsigned last) { return c >= first && c <= last; };
  if (c == 0x178) return 0xFF;
  if (c == 0x3C2) return 0x3C3;  // final sigma
  if (c == 0xD7 || c == 0x130 || c == 0x131 || c == 0x138 || c == 0x149 || c == 0x3A2) return c;
  if (within(0xC0, 0xDE) || within(0x391, 0x3AB) || within(0x410, 0x42F)) return c + 0x20;
  if (within(0x400, 0x40F)) return c + 0x50;
  if (within(0x139, 0x148) || within(0x179, 0x17E)) return c + c % 2;
  return within(0x100, 0x177) ? c | 1U : c;
}

std::string Lower(std::string_view utf8) {
  std::string out = AsciiLower(utf8);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    const unsigned first = static_cast<unsigned char>(out[i]);
    if (first < 0xC3 || first > 0xD1) continue;
    const unsigned letter = LowerLetter(((first & 0x1FU) << 6U) | (static_cast<unsigned char>(out[i + 1]) & 0x3FU));
    out[i] = static_cast<char>(0xC0U | (letter >> 6U));
    out[i + 1] = static_cast<char>(0x80U | (letter & 0x3FU));
    ++i;
  }
  return out;
}

class DotnetList final : public DialectList {
 public:
  DotnetList(const NoProxy& list, bool reads_networks) {
    for (const NoProxyEntry& entry : list.entries()) {
      const PatternSet::Entry number = texts_.Add(entry.text);
      const std::string text = Lower(entry.text);
      if (text.starts_with('.')) {
        patterns_.AddName(std::string_view(text).substr(1), true, true, number);
      } else {
        patterns_.AddName(text, true, false, number);
      }
      if (!reads_networks || !entry.network) continue;
      patterns_.AddNetwork(entry.network->address(), entry.network->bits(),
                           FamilyOf(text.find(':') == std::string::npos), number);
    }
  }

  Bypass Find(const Destination& to) const override {
    const std::string& host = to.normal_authority;  // already in ASCII lower case
    PatternSet::Entry found = patterns_.FindName(IsAscii(host) ? host : Lower(host));
    if (to.resolved) {
      found = std::min(found, patterns_.FindAddress(*to.resolved, FamilyOf(!to.is_ipv6)));
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
