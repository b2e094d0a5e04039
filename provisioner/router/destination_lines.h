// What the three lists of destinations share: lines, comments, ports. Only for destinations.cc and *_destinations.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/router/destinations.h"
#include "provisioner/router/router_policy.h"

namespace prov::router {

// A line that is neither blank nor a comment, trimmed.
struct DestinationLine {
  std::size_t number = 0;
  std::string_view text = {};
  std::string where = {};  // "WHERE: line N"

  std::vector<std::string_view> Words() const;  // separated by spaces, not by tabs
  // The error "SCRIPT'S WORDS: forms of a line", with a common mistake if the line contains one.
  std::unexpected<Error> Refuse(std::string script_words, std::string_view forms) const;
};

using LineReader = std::function<Result<void>(const DestinationLine&)>;

// Calls `read` for each line. Without `faults`, stops at the first error; with `faults`, continues and adds the errors
// there. Errors: too-large, and without `faults` those of `read`.
Result<void> ForEachLine(std::string_view text, const std::string& where, const LineReader& read, Faults* faults);

// An excerpt of a list for a message: short, and redacted in case the list is a proxy.env by mistake.
std::string Quoted(std::string_view text);

bool IsDigits(std::string_view text);
// Whether the text is four runs of digits, which the scripts take as an address; its numbers may be too large.
bool HasFormOfIpv4(std::string_view text);
// 1 to 65535 without leading zeros. `text` holds digits only. Errors: destination.
Result<std::uint16_t> ReadPort(std::string_view text, const DestinationLine& line);
// Parses an IPv4 address of the form above. Errors: destination, with `script_words` first.
Result<IpAddress> ReadTarget(std::string_view text, std::string script_words, const DestinationLine& line,
                             CappedFindings& findings);

// Readers of the lines of the three lists, which add rules to `out`.
LineReader RedirectReader(RouterPolicy& out, CappedFindings& findings);
LineReader HttpReader(RouterPolicy& out, CappedFindings& findings);
LineReader DnsReader(RouterPolicy& out, CappedFindings& findings);

}  // namespace prov::router
