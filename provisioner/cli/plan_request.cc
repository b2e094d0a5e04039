#include "provisioner/cli/plan_request.h"

#include <string>
#include <string_view>

#include "provisioner/cli/apply_options.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/settings_spec.h"
#include "provisioner/cli/signer_options.h"
#include "provisioner/node/source_reader.h"

namespace prov::cli {
namespace {

Result<node::ImageOptions> ParseImageOptions(const Arguments& arguments) {
  const bool image = arguments.Has("root") || arguments.Has("wim");
  for (const std::string_view option : {"install", "exe"}) {
    if (arguments.Has(option) && !image) {
      return Fail(Code::kUsage, "needs --root or --wim, because it acts on images", "--" + std::string(option));
    }
  }
  for (const std::string_view option : {"try", "reboot", "restart-services", "exit-style", "node"}) {
    if (arguments.Has(option) && image) {
      return Fail(Code::kUsage, "needs a running machine, so it can't be used with an image; leave it out",
                  "--" + std::string(option));
    }
  }
  if (arguments.Has("exe") && !arguments.Has("install")) {
    return Fail(Code::kUsage, "needs --install", "--exe");
  }
  node::ImageOptions out{arguments.Has("install"), {}, PROV_TRY(GivenPin(arguments))};
  if (arguments.Has("exe")) out.exe = PROV_TRY(payload::LoadProgramFile(arguments.Get("exe")));
  return out;
}

}  // namespace

OptionGroup ImageOptionSpecs() {
  return {
      {"install", "",
       "with --root or --wim: also install the payload, its service and the commands that start them into the image",
       Group::kTarget},
      {"exe", "FILE", "with --install: the provisioner.exe that keeps the settings in place when the image runs",
       Group::kTarget}};
}

Result<node::DerivedSettings> PlanRequest::Derive(machine::Host& live, const std::vector<machine::Host*>& hosts) const {
  if (!target.NamesImage()) PROV_TRY(live.Open(machine::Access::kRead));
  const node::ReadOptions read{.pin = PROV_TRY(WantedPin(image.pin, hosts))};
  return node::Derive(PROV_TRY(node::ReadSettings(live, settings, read)));
}

Result<PlanRequest> ParsePlanRequest(const Arguments& arguments) {
  PlanRequest out;
  out.json = PROV_TRY(WantsJson(arguments));
  out.apply = PROV_TRY(ParseApplyOptions(arguments));
  out.image = PROV_TRY(ParseImageOptions(arguments));
  out.target = ParseTargetOptions(arguments);
  out.settings = PROV_TRY(ParseSettingsSpec(arguments));
  return out;
}

}  // namespace prov::cli
