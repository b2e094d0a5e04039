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

bool IsHostLabel(std::string_view label) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::ranges::all_of(label, letter);
}

// Why the name can't be looked up; "" if it can. One final dot is allowed.
std::string_view FaultOf(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  const auto labels = Split(name, '.');
  if (labels.size() < 2) return "a name must have a dot";
  if (name.size() > 253 || !std::ranges::all_of(labels, IsHostLabel))
    return "it is not a DNS name; write letters, digits and hyphens between dots";
  if (IsDigits(labels.back()))
    return "a name that ends in a number is taken for an address, but is not one; correct it";
  return "";
}

class DnsListReader {
 public:
  explicit DnsListReader(RouterPolicy& out) : out_(out), findings_(out.findings, out.where) {}

  Result<void> Line(const DestinationLine& line) {
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
  CappedFindings findings_;
  std::map<std::uint16_t, std::size_t> used_ = {};  // ports, with their lines
};

}  // namespace

Result<void> ReadDnsRules(std::string_view text, RouterPolicy& out, Faults* faults) {
  if (text.empty()) {
    return Fail(Code::kDestination,
                "Must specify EGRESS_DNS_PROXY_DESTINATION: the list of destinations is empty; add one", out.where);
  }
  {
    DnsListReader reader(out);
    PROV_TRY(ForEachLine(text, out.where, [&](const DestinationLine& line) { return reader.Line(line); }, faults));
  }
  if (out.dns.empty() && (faults == nullptr || faults->empty()))
    AddWarning(out.findings, "router-empty", "no line is a destination, so the router forwards nothing", out.where);
  return {};
}

}  // namespace prov::router
