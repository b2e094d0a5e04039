// Reads EGRESS_DESTINATION.
#include <fmt/format.h>

#include <map>

#include "provisioner/base/text.h"
#include "provisioner/router/destination_lines.h"

namespace prov::router {
namespace {

constexpr std::string_view kRedirectForms =
    "write PORT tcp|udp IP or PORT tcp|udp IP PORT, or as the last line an IP alone";

std::string Invalid(const DestinationLine& line) {
  return fmt::format("EGRESS_DESTINATION value '{}' is invalid", Quoted(line.text));
}

class RedirectListReader {
 public:
  RedirectListReader(RouterPolicy& out, CappedFindings& findings) : out_(out), findings_(findings) {}

  Result<void> operator()(const DestinationLine& line) {
    if (fallback_) {
      return line.Refuse("EGRESS_DESTINATION fallback IP must be the last line",
                         fmt::format("line {} is an IP alone and takes every port", fallback_));
    }
    const auto words = line.Words();
    if (words.size() == 1 && HasFormOfIpv4(words[0])) return Fallback(words[0], line);
    const bool ports = (words.size() == 3 || (words.size() == 4 && IsDigits(words[3]))) && IsDigits(words[0]);
    if (!ports || (words[1] != "tcp" && words[1] != "udp") || !HasFormOfIpv4(words[2])) return RefuseForm(words, line);
    RedirectRule rule{.line = line.number};
    rule.protocol = words[1] == "udp" ? Protocol::kUdp : Protocol::kTcp;
    if (words.size() == 4) rule.to_port = PROV_TRY(ReadPort(words[3], line));
    rule.port = PROV_TRY(ReadPort(words[0], line));
    rule.to = PROV_TRY(ReadTarget(words[2], Invalid(line), line, findings_));
    const auto [other, fresh] = used_.emplace(rule.port, line.number);
    if (!fresh) {
      return line.Refuse(
          fmt::format("EGRESS_DESTINATION localport {} is already used, must be unique for each destination",
                      rule.port),
          fmt::format("line {} has it, and tcp and udp count as one: remove one of the two", other->second));
    }
    out_.redirect.push_back(rule);
    return {};
  }

 private:
  Result<void> Fallback(std::string_view text, const DestinationLine& line) {
    fallback_ = line.number;
    RedirectRule rule{.line = line.number, .fallback = true};
    rule.to = PROV_TRY(ReadTarget(text, Invalid(line), line, findings_));
    out_.redirect.push_back(rule);
    return {};
  }

  static Result<void> RefuseForm(const std::vector<std::string_view>& words, const DestinationLine& line) {
    const std::string lower = words.size() > 1 ? AsciiLower(words[1]) : "";
    if ((lower == "tcp" || lower == "udp") && words[1] != lower)
      return line.Refuse(Invalid(line), fmt::format("write the protocol in lower case, {}", lower));
    return line.Refuse(Invalid(line), kRedirectForms);
  }

  RouterPolicy& out_;
  CappedFindings& findings_;
  std::size_t fallback_ = 0;                        // its line
  std::map<std::uint16_t, std::size_t> used_ = {};  // ports, with their lines
};

}  // namespace

LineReader RedirectReader(RouterPolicy& out, CappedFindings& findings) { return RedirectListReader(out, findings); }

}  // namespace prov::router
