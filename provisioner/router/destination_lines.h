// What the three lists of destinations share: lines, comments, ports. For destinations.cc and *_destinations.cc only.
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

// A line that is neither blank nor a comment, without blanks at its ends.
struct DestinationLine {
  std::size_t number = 0;
  std::string_view text = {};
  std::string where = {};  // "WHERE: line N"

  std::vector<std::string_view> Words() const;  // between spaces; tabs are none
  // "SCRIPT'S WORDS: what a line is", followed by a common mistake if the line contains one.
  std::unexpected<Error> Refuse(std::string script_words, std::string_view forms) const;
};

// Calls `read` for each of them, until one fails; with `faults` to the end, and what fails is added there. Errors:
// too-large, and without `faults` those of `read`.
Result<void> ForEachLine(std::string_view text, const std::string& where,
                         const std::function<Result<void>(const DestinationLine&)>& read, Faults* faults);

// An excerpt of a list for a message: short, and without what may be a password, in case a proxy.env was given by
// mistake.
std::string Quoted(std::string_view text);

bool IsDigits(std::string_view text);
// Four runs of digits, as the scripts see an address; its numbers may be too large.
bool HasFormOfIpv4(std::string_view text);
// 1 to 65535 without leading zeros. `text` holds digits only. Errors: destination.
Result<std::uint16_t> ReadPort(std::string_view text, const DestinationLine& line);
// An IPv4 address of the form above. Errors: destination, with `script_words` first.
Result<IpAddress> ReadTarget(std::string_view text, std::string script_words, const DestinationLine& line,
                             CappedFindings& findings);

// The three lists.
Result<void> ReadRedirectRules(std::string_view text, RouterPolicy& out, Faults* faults);
Result<void> ReadHttpRules(std::string_view text, RouterPolicy& out, Faults* faults);
Result<void> ReadDnsRules(std::string_view text, RouterPolicy& out, Faults* faults);

}  // namespace prov::router
