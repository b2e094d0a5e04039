// Go's reading of NO_PROXY.
#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/dialect_patterns.h"

namespace prov::egress {
namespace {

using Kind = NoProxyEntry::Kind;

class GoList final : public DialectList {
 public:
  explicit GoList(const NoProxy& list) {
    for (const NoProxyEntry& entry : list.entries()) Add(entry);
  }

  Bypass Find(const Destination& to) const override {
    if (to.host == "localhost" || (to.address && to.address->IsLoopback())) return {Bypass::Kind::kImplicit};
    PatternSet::Entry found = std::min(patterns_.FindAll(), patterns_.FindName(to.name, to.port));
    if (to.address)
      found = std::min(found, patterns_.FindAddress(*to.address, FamilyOf(to.address->IsIpv4()), to.port));
    return texts_.Found(found);
  }

 private:
  void Add(const NoProxyEntry& entry) {
    const PatternSet::Entry number = texts_.Add(entry.text);
    switch (entry.kind) {
      case Kind::kAll:
        patterns_.AddAll(number);
        break;
      case Kind::kHost:
      case Kind::kSuffix:
        patterns_.AddName(entry.name, entry.kind == Kind::kHost, true, number, entry.port);
        break;
      case Kind::kAddress:
        patterns_.AddAddress(*entry.address, FamilyOf(entry.address->IsIpv4()), number, entry.port);
        break;
      case Kind::kNetwork:
        patterns_.AddNetwork(*entry.network, number);
        break;
      case Kind::kInert:
        break;
    }
  }

  EntryTexts texts_;
  PatternSet patterns_;
};

}  // namespace

bool GoBypasses(const NoProxy& no_proxy, std::string_view host, std::uint16_t port) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  Destination to;
  to.host = host;
  to.name = AsciiLower(host);
  to.port = port;
  to.address = IpAddress::Parse(host);
  return GoList(no_proxy).Find(to).kind != Bypass::Kind::kNo;
}

std::unique_ptr<DialectList> CompileGo(const NoProxy& list) { return std::make_unique<GoList>(list); }

}  // namespace prov::egress
