// IP addresses and networks as values, by the rules of Go's net.ParseIP and net.ParseCIDR, because NO_PROXY has the
// meaning that Go clients give it. Pure text and bytes: resolves nothing and makes no system calls.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prov {

// An IPv4 or IPv6 address without zone. An IPv4-mapped IPv6 address (::ffff:a.b.c.d) is the IPv4 address, as in Go.
class IpAddress {
 public:
  using Bytes = std::array<std::uint8_t, 16>;

  // nullopt for anything but a plain address. Refuses leading zeros and fewer than four parts in IPv4, zone ids,
  // brackets, blanks, and more than four digits in an IPv6 group.
  static std::optional<IpAddress> Parse(std::string_view text);
  // 16 bytes in network order; IPv4 in its mapped form.
  explicit IpAddress(const Bytes& bytes) : bytes_(bytes) {}

  bool IsIpv4() const;
  bool IsLoopback() const;  // 127.0.0.0/8 or ::1
  const Bytes& bytes() const { return bytes_; }
  IpAddress Masked(unsigned bits) const;  // all but the first `bits` (0-128) of the 128 bits cleared
  // "10.1.2.3" or RFC 5952's form ("2001:db8::1"), without brackets.
  std::string ToString() const;

  bool operator==(const IpAddress&) const = default;

 private:
  Bytes bytes_{};
};

// A network in CIDR notation. ::ffff:a.b.c.d/96+n is the IPv4 network a.b.c.d/n, as in Go.
class IpNetwork {
 public:
  // Parses "address/bits" and clears host bits. nullopt if it is malformed.
  static std::optional<IpNetwork> Parse(std::string_view text);

  bool IsIpv4() const { return ipv4_; }
  const IpAddress& address() const { return address_; }             // host bits cleared
  unsigned prefix() const { return prefix_; }                       // 0-32 for IPv4, 0-128 for IPv6
  unsigned bits() const { return ipv4_ ? prefix_ + 96 : prefix_; }  // of the 16 bytes of its address
  // An IPv6 network contains no IPv4 address, not even ::/0.
  bool Contains(const IpAddress& address) const;
  bool Contains(const IpNetwork& other) const;  // every address of `other`
  std::string ToString() const;                 // "10.0.0.0/8"

  bool operator==(const IpNetwork&) const = default;

 private:
  IpNetwork(const IpAddress& address, unsigned prefix, bool ipv4) : address_(address), prefix_(prefix), ipv4_(ipv4) {}

  IpAddress address_;
  unsigned prefix_;
  bool ipv4_;
};

// The kind of an address that no single machine can have, in any network, as a noun such as "a multicast address"; ""
// for others.
std::string_view ReservedKind(const IpAddress& address);

// The same for an address in its network. In a network of one or two addresses all are hosts (RFC 3021, RFC 6164). IPv6
// has no broadcast; its first address belongs to the routers.
std::string_view ReservedKind(const IpAddress& address, const IpNetwork& network);

}  // namespace prov
