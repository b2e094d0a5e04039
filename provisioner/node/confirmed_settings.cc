#include "provisioner/node/confirmed_settings.h"

#include <fmt/format.h>

#include <utility>

namespace prov::node {

Result<std::optional<Settings>> ConfirmedSettings(machine::Host& host, Approver& approver, const SettingsSpec& spec) {
  auto confirmed = PROV_TRY(approver.Confirmed());
  if (!confirmed) return std::nullopt;
  return PROV_TRY(SettingsOfConfirmed(host, *std::move(confirmed), spec, {.is_followed = true}));
}

Result<Settings> SettingsOfConfirmed(machine::Host& host, ConfirmedConfig confirmed, const SettingsSpec& spec,
                                     const ReadOptions& options) {
  SourceContent content{.config = std::move(confirmed.config), .options = {}, .secret_files = {}};
  Settings out = PROV_TRY(SettingsOf(host, std::move(content), spec, options));
  out.source_digest = std::move(confirmed.digest);
  PROV_TRY(Derive(out));
  return out;
}

void BeginWithConfirmed(machine::Host& host, Approver& approver, const SettingsSpec& spec, Settings& fresh,
                        Findings& findings) {
  auto confirmed = ConfirmedSettings(host, approver, spec);
  if (!confirmed) {
    AddWarning(findings, "approval-first",
               fmt::format("the settings that the fleet has confirmed can't be read ({}), so those of the source are "
                           "taken",
                           confirmed.error().message),
               confirmed.error().where);
  } else if (*confirmed && (**confirmed).source_digest != fresh.source_digest) {
    fresh = **std::move(confirmed);
    AddInfo(findings, "approval-first",
            "no rollout has confirmed the source's settings, so this node begins with those that the fleet has "
            "confirmed last");
  }
}

}  // namespace prov::node
