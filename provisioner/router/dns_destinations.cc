// Reads EGRESS_DNS_PROXY_DESTINATION.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "provisioner/base/text.h"
#include "provisioner/router/destination_lines.h"

namespace prov::router {
namespace {

constexpr std::string_view kDnsForms = "write PORT IP, PORT IP PORT, PORT NAME or PORT NAME PORT";

std::string Bad(const DestinationLine& line) { return fmt::format("Bad destination '{}'", Quoted(line.text)); }

// Why the name can't be looked up; "" if it can. One final dot is allowed.
std::string_view FaultOf(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  const auto labels = Split(name, '.');
  if (labels.size() < 2) return "a name must have a dot";
  if (name.size() > 253 ||
      !std::ranges::all_of(labels, [](std::string_view label) { return IsDnsLabel(AsciiLower(label)); }))
    return "it is not a DNS name; write letters, digits and hyphens between dots";
  if (IsDigits(labels.back()))
    return "a name that ends in a number is taken for an address, but is not one; correct it";
  return "";
}

class DnsListReader {
 public:
  DnsListReader(RouterPolicy& out, CappedFindings& findings) : out_(out), findings_(findings) {}

  Result<void> operator()(const DestinationLine& line) {
    const auto words = line.Words();
    const bool form = (words.size() == 2 || (words.size() == 3 && IsDigits(words[2]))) && IsDigits(words[0]);
    if (!form) return line.Refuse(Bad(line), kDnsForms);
    DnsRule rule{.line = line.number, .to = std::string(words[1])};
    rule.is_name = !HasFormOfIpv4(words[1]);
    const std::string_view fault = rule.is_name ? FaultOf(words[1]) : std::string_view();
    if (!fault.empty()) return line.Refuse(Bad(line), fault);
    rule.port = PROV_TRY(ReadPort(words[0], line));
    rule.to_port = words.size() == 3 ? PROV_TRY(ReadPort(words[2], line)) : rule.port;
    if (!rule.is_name) PROV_TRY(ReadTarget(words[1], Bad(line), line, findings_));
    const auto [other, fresh] = used_.emplace(rule.port, line.number);
    if (!fresh) {
      return line.Refuse(fmt::format("Proxy port {} already used, must be unique for each destination", rule.port),
                         fmt::format("line {} has it; choose another port", other->second));
    }
    out_.dns.push_back(std::move(rule));
    return {};
  }

 private:
  RouterPolicy& out_;
  CappedFindings& findings_;
  std::map<std::uint16_t, std::size_t> used_ = {};  // ports, with their lines
};

}  // namespace

LineReader DnsReader(RouterPolicy& out, CappedFindings& findings) { return DnsListReader(out, findings); }

}  // namespace prov::router
