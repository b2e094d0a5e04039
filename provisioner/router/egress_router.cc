#include "provisioner/router/egress_router.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/router/destinations.h"

namespace prov::router {
namespace {

using source::ObjectView;

class EgressRouterReader {
 public:
  EgressRouterReader(const RouterObject& object, RouterPolicy& out) : object_(object), out_(out) {}

  Result<void> Read(const ObjectView& spec) {
    const std::string mode(PROV_TRY(spec.TextOr("mode", "Redirect")));
    if (mode != "Redirect")
      return Refuse(fmt::format("the only mode is Redirect, not '{}'", Shorten(mode)), spec.At("mode"));
    PROV_TRY(Addresses(spec));
    const auto redirect = PROV_TRY(spec.Object("redirect"));
    if (!redirect) return Refuse("redirect is missing, without which the network operator fails", spec.path());
    PROV_TRY(Rules(*redirect));
    const auto fallback = PROV_TRY(redirect->Text("fallbackIP"));
    if (fallback && !fallback->empty()) {
      AddWarning(out_.findings, "router-fallback",
                 "the plugin egress-router-cni ignores fallbackIP: ports that no rule has are not forwarded",
                 object_.At(redirect->At("fallbackIP")));
    }
    if (out_.redirect.empty())
      AddWarning(out_.findings, "router-empty", "no rule is a destination, so the router forwards nothing", out_.where);
    return {};
  }

 private:
  std::unexpected<Error> Refuse(std::string message, std::string_view path) const {
    return Fail(Code::kDestination, std::move(message), object_.At(path));
  }

  Result<void> Addresses(const ObjectView& spec) {
    const auto addresses = PROV_TRY(spec.Objects("addresses"));
    if (addresses.empty())
      return Refuse("router without addresses: give the source address and the gateway", spec.path());
    const ObjectView& first = addresses.front();
    if (addresses.size() > 1)
      AddWarning(out_.findings, "router-ignored", "only the first address is used", object_.At(spec.At("addresses")));
    const std::string ip(PROV_TRY(first.TextOr("ip", "")));
    if (ip.find('/') == std::string::npos) {
      return Refuse(
          fmt::format("the address needs the length of the network's prefix, such as 192.0.2.10/24, not '{}': "
                      "the network operator drops it without an error",
                      Shorten(ip)),
          first.At("ip"));
    }
    PROV_TRY(ReadSource(ip, object_.At(first.At("ip")), out_));
    if (const auto gateway = PROV_TRY(first.Text("gateway")); gateway && !gateway->empty())
      PROV_TRY(ReadGateway(*gateway, object_.At(first.At("gateway")), out_));
    return {};
  }

  Result<void> Rules(const ObjectView& redirect) {
    const auto rules = PROV_TRY(redirect.Objects("redirectRules"));
    for (const ObjectView& rule : rules) {
      RedirectRule read{.line = out_.redirect.size() + 1};
      read.port = PROV_TRY(Port(rule, "port", true));
      read.to_port = PROV_TRY(Port(rule, "targetPort", false));
      read.protocol = PROV_TRY(ProtocolOf(rule));
      const std::string to(PROV_TRY(rule.TextOr("destinationIP", "")));
      const auto address = IpAddress::Parse(to);
      if (!address) {
        return Refuse(
            fmt::format("'{}' is not an IP address; write one address, the plugin takes no networks", Shorten(to)),
            rule.At("destinationIP"));
      }
      if (address->IsIpv4() != out_.source->address.IsIpv4())
        return Refuse(fmt::format("{} is not of the family of the source address", to), rule.At("destinationIP"));
      read.to = *address;
      PROV_TRY(CheckTargetPort(read, rule));
      out_.redirect.push_back(read);
    }
    return {};
  }

  // The plugin writes ADDRESS:PORT without brackets, and nft takes the longest address that it can read. An address
  // that ends in "::", or in which nothing is shortened, leaves the port alone.
  Result<void> CheckTargetPort(RedirectRule& read, const ObjectView& rule) {
    const std::string to = read.to.ToString();
    if (read.to_port == 0 || to.find("::") == std::string::npos || to.ends_with("::")) return {};
    const std::string written = fmt::format("{}:{}", to, read.to_port);
    read.misread = IpAddress::Parse(written);
    if (!read.misread) {
      return Refuse(fmt::format("the plugin egress-router-cni writes {} without brackets, which nft refuses, so the "
                                "router's pod does not start; leave out targetPort",
                                written),
                    rule.At("targetPort"));
    }
    AddWarning(out_.findings, "router-target-port",
               fmt::format("the plugin egress-router-cni writes {} without brackets, so packets go to the port {} of "
                           "that address instead of the port {} of {}; leave out targetPort, and let clients use the "
                           "destination's port",
                           written, read.port, read.to_port, to),
               object_.At(rule.At("targetPort")));
    return {};
  }

  // 0 if the port is optional and absent.
  Result<std::uint16_t> Port(const ObjectView& rule, std::string_view name, bool needed) const {
    const JsonValue* value = rule.Find(name);
    if (value == nullptr && !needed) return std::uint16_t{0};
    if (value != nullptr && !value->IsNumber()) return WrongJsonType(*value, "a number", object_.At(rule.At(name)));
    if (value == nullptr || !value->IsUint() || value->GetUint() < 1 || value->GetUint() > 65535)
      return Refuse(fmt::format("Invalid {}: it must be in the range 1 to 65535", name), rule.At(name));
    return static_cast<std::uint16_t>(value->GetUint());
  }

  Result<Protocol> ProtocolOf(const ObjectView& rule) const {
    const std::string text(PROV_TRY(rule.TextOr("protocol", "")));
    constexpr std::array<std::pair<std::string_view, Protocol>, 3> kProtocols = {
        std::pair<std::string_view, Protocol>{"TCP", Protocol::kTcp},
        {"UDP", Protocol::kUdp},
        {"SCTP", Protocol::kSctp}};
    for (const auto& [name, protocol] : kProtocols) {
      if (text == name) return protocol;
    }
    return Refuse(fmt::format("the protocol is TCP, UDP or SCTP, not '{}'", Shorten(text)), rule.At("protocol"));
  }

  const RouterObject& object_;
  RouterPolicy& out_;
};

}  // namespace

Result<RouterPolicy> ReadEgressRouter(const RouterObject& object) {
  RouterPolicy out{.kind = RouterKind::kRedirect, .is_cni = true};
  out.name = PROV_TRY(object.Metadata("name"));
  out.name_space = PROV_TRY(object.Metadata("namespace"));
  const auto spec = PROV_TRY(object.object.Object("spec"));
  if (!spec) return Fail(Code::kDestination, "spec is missing", object.At(object.object.path()));
  out.where = object.At(spec->path() + ".redirect.redirectRules");
  PROV_TRY(EgressRouterReader(object, out).Read(*spec));
  return out;
}

}  // namespace prov::router
