#include "provisioner/source/controller_config_source.h"

#include <optional>

namespace prov::source {
namespace {

Result<void> ReadProxy(const ObjectView& spec, egress::EgressConfig& out) {
  const auto proxy = PROV_TRY(spec.Object("proxy"));
  if (!proxy && !spec.IsNull("proxy")) {
    AddWarning(out.findings, "no-proxy-file",
               "the ControllerConfig has no spec.proxy, not even null: it makes no statement about the proxy, so proxy "
               "settings stay as they are",
               spec.At("proxy"));
    return {};
  }
  if (proxy) PROV_TRY(TakeProxyMembers(*proxy, out));
  StateProxy(out, spec.At("proxy"));
  return {};
}

Result<std::optional<TrustText>> ReadTrust(const ObjectView& spec) {
  constexpr std::string_view kBundle = "additionalTrustBundle";
  const auto text = PROV_TRY(spec.Text(kBundle));
  if (!text && !spec.IsNull(kBundle)) return std::nullopt;
  TrustText out{spec.At(kBundle), ""};
  if (text) out.bytes = PROV_TRY(DecodeTrustBase64(*text, "", out.where));
  return out;
}

}  // namespace

Result<Reading> ReadControllerConfig(const ObjectView& object) {
  Reading out;
  const auto metadata = PROV_TRY(object.Object("metadata"));
  const std::string_view name = metadata ? PROV_TRY(metadata->TextOr("name", "")) : "";
  out.config.source = {"ControllerConfig", std::string(name), ""};
  const auto spec = PROV_TRY(object.Object("spec"));
  if (!spec) return Fail(Code::kNoConfig, "the ControllerConfig has no spec", object.At("spec"));
  PROV_TRY(ReadProxy(*spec, out.config));
  out.trust = PROV_TRY(ReadTrust(*spec));
  return out;
}

}  // namespace prov::source
