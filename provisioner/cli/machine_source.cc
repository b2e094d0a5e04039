#include "provisioner/cli/machine_source.h"

#include <utility>

#include "provisioner/cli/targets.h"
#include "provisioner/node/present_settings.h"

namespace prov::cli {

OptionGroup MachineSourceOptionSpecs() {
  return {
      {"this-machine", "", "instead of SOURCE: what is really set on this machine, for containerd where it is there",
       Group::kSource},
      {"root", "DIR", "instead of SOURCE: the same of an image, in the folder that contains Windows", Group::kSource}};
}

Result<node::SourceContent> ReadSourceOrMachine(const Arguments& arguments, const source::SourceSpec& spec,
                                                machine::Host& host) {
  const bool image = arguments.Has("root");
  if (!image && !arguments.Has("this-machine")) return node::ReadSource(host, spec);
  if (!spec.source.empty() || (image && arguments.Has("this-machine"))) {
    return Fail(Code::kUsage, "give one of SOURCE, --this-machine and --root DIR", image ? "--root" : "--this-machine");
  }
  Targets targets = PROV_TRY(Targets::Open(ParseTargetOptions(arguments), host, images::TreeAccess::kRead));
  machine::Host& one = *targets.Hosts().front();
  const Target target = PROV_TRY(OpenTarget(one, machine::Access::kRead));
  node::OpenNode node = target.Node(one);
  node::SourceContent out;
  out.config = PROV_TRY(node::ReadPresentSettings(node));
  for (const pki::Certificate& certificate : out.config.certificates) out.options.trusted.insert(certificate.sha256);
  return out;
}

}  // namespace prov::cli
