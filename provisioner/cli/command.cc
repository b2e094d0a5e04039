#include "provisioner/cli/command.h"

#include <array>
#include <ctime>

#include "provisioner/source/source.h"

namespace prov::cli {

OptionSpec PoolOption() {
  return {"pool", "NAME", "machine config pool whose newest rendered config is taken from a list (default: worker)"};
}
OptionSpec NameOption() { return {"name", "NAME", "exact name of the MachineConfig to take; wins over --pool"}; }
OptionSpec OutputOption() { return {"output", "text|json", "how results and errors are printed (default: text)"}; }
OptionSpec HelpOption() { return {"help", "", "show this text"}; }

Result<egress::EgressConfig> ReadSource(const Arguments& arguments) {
  ignition::Selection selection;
  selection.pool = arguments.Get("pool", selection.pool);
  selection.name = arguments.Get("name");
  return source::Read(arguments.positional(), selection);
}

Result<bool> WantsJson(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> kAllowed = {"text", "json"};
  return PROV_TRY(OneOf(arguments, "output", kAllowed)) == "json";
}

std::int64_t NowUnix() { return static_cast<std::int64_t>(std::time(nullptr)); }

}  // namespace prov::cli
