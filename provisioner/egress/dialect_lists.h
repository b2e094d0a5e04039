// The makers of the single dialects' lists, and what they share. For dialect*.cc only.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/egress/dialect.h"
#include "provisioner/egress/dialect_patterns.h"

namespace prov::egress {

// The texts of entries, by number.
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

// Addresses in the forms of inet_aton: one to four parts, decimal, octal (0…) or hexadecimal (0x…).
std::optional<IpAddress> ParseLooseIpv4(std::string_view text);

// Whether `text` is an IPv4 or IPv6 address by inet_pton, and of which family as written: ::ffff:10.0.0.1 is IPv6.
std::optional<std::pair<IpAddress, AddressFamily>> ParseWrittenAddress(std::string_view text);

std::unique_ptr<DialectList> CompileGo(const NoProxy& list);
std::unique_ptr<DialectList> CompileCurl(const NoProxy& list, bool is_7_88);
std::unique_ptr<DialectList> CompileDotnet(const NoProxy& list, bool reads_networks);
std::unique_ptr<DialectList> CompileUrllib(const NoProxy& list);
std::unique_ptr<DialectList> CompileRequests(const NoProxy& list);
std::unique_ptr<DialectList> CompileJava(const NoProxy& list);

}  // namespace prov::egress
