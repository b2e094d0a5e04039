// The patterns of a list of exceptions, for any client: names, addresses, networks and globs. Lookups do not scan the
// list, so a long list is as fast as a short one; only globs are tried one by one. Also the parsers that turn a list
// into these patterns. Only for dialect*.cc and the rules of routers.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "provisioner/base/ip_address.h"
#include "provisioner/egress/dialect.h"

namespace prov::egress {

enum class AddressFamily { kIpv4, kIpv6 };
inline AddressFamily FamilyOf(bool is_ipv4) { return is_ipv4 ? AddressFamily::kIpv4 : AddressFamily::kIpv6; }

// Whether the whole `text` matches `pattern`: '*' stands for any run of characters, also an empty one.
bool MatchesGlob(std::string_view pattern, std::string_view text);

// Patterns with the number of the entry that each comes from. Numbers must not decrease from one call of Add… to the
// next. Texts compare byte by byte; to ignore case, pass lower case.
class PatternSet {
 public:
  using Entry = std::uint32_t;
  static constexpr Entry kNone = std::numeric_limits<Entry>::max();
  using Port = std::optional<std::uint16_t>;  // only requests to this port match

  void AddAll(Entry entry);
  // `itself`: match the host of that name; `below`: match names that end in a dot and that name.
  void AddName(std::string_view name, bool itself, bool below, Entry entry, Port port = {});
  void AddAddress(const IpAddress& address, AddressFamily family, Entry entry, Port port = {});
  // Matches the first `bits` (0-128) of the address' 16 bytes; the bits of an IPv4 address begin at the 97th.
  void AddNetwork(const IpAddress& address, unsigned bits, AddressFamily family, Entry entry);
  void AddNetwork(const IpNetwork& network, Entry entry) {
    AddNetwork(network.address(), network.bits(), FamilyOf(network.IsIpv4()), entry);
  }
  // Matches a whole text: '*' stands for any run of characters. FindText finds it.
  void AddGlob(std::string_view pattern, Entry entry);

  // The first entry that matches, or kNone.
  Entry FindAll() const { return all_; }
  Entry FindName(std::string_view host, std::uint16_t port = 0) const;
  Entry FindAddress(const IpAddress& address, AddressFamily family, std::uint16_t port = 0) const;
  // The first network that has all addresses of this one.
  Entry FindNetwork(const IpAddress& address, unsigned bits, AddressFamily family) const;
  Entry FindNetwork(const IpNetwork& network) const {
    return FindNetwork(network.address(), network.bits(), FamilyOf(network.IsIpv4()));
  }
  Entry FindText(std::string_view text) const;

 private:
  struct PortEntry {
    std::uint16_t port;
    Entry itself;
    Entry below;
  };
  struct Found {
    Entry itself = kNone;
    Entry below = kNone;
    std::vector<PortEntry> ports;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using AddressTable = std::map<IpAddress::Bytes, Found>;

  static void Put(Found& found, bool itself, bool below, Entry entry, const Port& port);
  static Entry Least(const Found& found, bool itself, std::uint16_t port);

  Entry all_ = kNone;
  std::unordered_map<std::string, Found, Hash, std::equal_to<>> names_;
  AddressTable addresses_[2];                                            // by family
  std::map<std::pair<unsigned, AddressFamily>, AddressTable> networks_;  // by length and family
  std::vector<std::pair<std::string, Entry>> globs_;
};

// The texts of entries, by their numbers.
class EntryTexts {
 public:
  PatternSet::Entry Add(std::string_view text) {
    texts_.emplace_back(text);
    return static_cast<PatternSet::Entry>(texts_.size() - 1);
  }
  Bypass Found(PatternSet::Entry entry) const {
    if (entry == PatternSet::kNone) return {};
    return {Bypass::Kind::kEntry, texts_[entry]};
  }

 private:
  std::vector<std::string> texts_;
};

// Parses addresses in the forms of inet_aton: one to four parts, decimal, octal (0…) or hexadecimal (0x…).
std::optional<IpAddress> ParseLooseIpv4(std::string_view text);

// Parses an IPv4 or IPv6 address as inet_pton does, with the family as written: ::ffff:10.0.0.1 is IPv6.
std::optional<std::pair<IpAddress, AddressFamily>> ParseWrittenAddress(std::string_view text);

// Versions whose reading differs from the one before, as far as known.
enum class CurlVersion { k7_88, k8_14, k8_18 };
enum class NodeVersion { k24, k26 };  // 24.15 to 26.10, and 26.12

// Compiles the list as each dialect reads it.
std::unique_ptr<DialectList> CompileGo(const NoProxy& list);
std::unique_ptr<DialectList> CompileCurl(const NoProxy& list, CurlVersion version);
std::unique_ptr<DialectList> CompileDotnet(const NoProxy& list, bool reads_networks);
std::unique_ptr<DialectList> CompileUrllib(const NoProxy& list);
std::unique_ptr<DialectList> CompileRequests(const NoProxy& list);
std::unique_ptr<DialectList> CompileJava(const NoProxy& list);
std::unique_ptr<DialectList> CompileNodeHttp(const NoProxy& list);
std::unique_ptr<DialectList> CompileNodeFetch(const NoProxy& list, NodeVersion version);

}  // namespace prov::egress
