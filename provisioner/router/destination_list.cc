#include "provisioner/router/destination_list.h"

#include <fmt/format.h>

#include <string_view>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/text.h"
#include "provisioner/router/destinations.h"

namespace prov::router {
namespace {

std::string_view WithoutComment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  }
  return line;
}

}  // namespace

Result<std::vector<ListedDestination>> ReadDestinationList(std::string bytes, const std::string& where) {
  if (!DecodeMarked(bytes) || bytes.find('\0') != std::string::npos)
    return Fail(Code::kRow, "is not text, or damaged UTF-16; save it as UTF-8", where);
  std::vector<ListedDestination> out;
  std::size_t number = 0;
  for (const std::string_view line : Split(bytes, '\n')) {
    ++number;
    const std::string_view text = TrimBlanks(WithoutComment(line));
    if (text.empty()) continue;
    if (out.size() == kMostDestinations)
      return Fail(Code::kTooLarge, fmt::format("holds more than {} destinations; split it", kMostDestinations), where);
    out.push_back({std::string(text), fmt::format("{}, line {}", where, number), number});
  }
  return out;
}

Result<egress::Destination> ParseListed(std::string_view text, const std::string& place) {
  const std::size_t slash = text.find('/');
  const bool is_network = slash != std::string_view::npos && slash + 1 < text.size() &&
                          IpAddress::Parse(text.substr(0, slash)).has_value() && AreDigits(text.substr(slash + 1));
  if (is_network)
    return Fail(
        Code::kRow,
        "is a network, and one request goes to one address; write an address that is meant, or a URL for a path",
        place);
  auto to = egress::ParseRequest(egress::RequestUrlOf(text));
  if (!to) return Fail(Code::kRow, to.error().message, place);
  return *std::move(to);
}

}  // namespace prov::router
