#include "provisioner/cli/command.h"

#include <array>
#include <ctime>

#include "provisioner/bake/payload_reader.h"
#include "provisioner/base/folder.h"
#include "provisioner/source/source.h"

namespace prov::cli {

OptionSpec PoolOption() {
  return {"pool", "NAME", "machine config pool whose newest rendered config is taken from a list (default: worker)"};
}
OptionSpec NameOption() { return {"name", "NAME", "exact name of the MachineConfig to take; wins over --pool"}; }
OptionSpec OutputOption() { return {"output", "text|json", "how results and errors are printed (default: text)"}; }
OptionSpec HelpOption() { return {"help", "", "show this text"}; }

Result<Source> ReadSource(const Arguments& arguments) {
  const std::string& name = arguments.positional();
  if (IsFolder(name)) {
    bake::EgressDocument document = PROV_TRY(bake::ReadPayload(PROV_TRY(bake::LoadPayloadFolder(name)), name));
    return Source{std::move(document.config), std::move(document.options), document.generation};
  }
  ignition::Selection selection;
  selection.pool = arguments.Get("pool", selection.pool);
  selection.name = arguments.Get("name");
  return Source{.config = PROV_TRY(source::Read(name, selection)), .choices = {}};
}

Result<bool> WantsJson(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> kAllowed = {"text", "json"};
  return PROV_TRY(OneOf(arguments, "output", kAllowed)) == "json";
}

std::int64_t NowUnix() { return static_cast<std::int64_t>(std::time(nullptr)); }

}  // namespace prov::cli
