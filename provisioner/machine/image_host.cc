#include "provisioner/machine/image_host.h"

#include <fmt/format.h>

#include "images/tree/windows_tree.h"

namespace prov::machine {
namespace {

class ImagePorts final : public OpenMachine {
 public:
  explicit ImagePorts(Machine machine) : machine_(machine) {}
  Machine Ports() override { return machine_; }

 private:
  Machine machine_;
};

}  // namespace

std::unexpected<Error> NothingRuns(std::string_view what) {
  return Fail(Code::kTarget, fmt::format("{} is for a running node, and this is an image", what));
}

ImageHost::ImageHost(std::unique_ptr<images::ImageTree> tree, Clock& clock, std::uint64_t filetime)
    : tree_(std::move(tree)), clock_(clock), registry_(*tree_, filetime) {}

Result<Findings> ImageHost::Notes() {
  Findings out;
  if (PROV_TRY(images::IsHibernated(*tree_))) {
    AddWarning(
        out, "hibernated",
        "this Windows is hibernated, or was shut down with fast startup: its newest registry is in hiberfil.sys, "
        "which is not read, so this report may be outdated; plan, apply, rollback and remove refuse such an image",
        tree_->Name());
  }
  const std::string edited = PROV_TRY(registry_.ControlSet());
  if (const auto last = PROV_TRY(registry_.LastControlSet())) {
    AddWarning(out, "control-set",
               fmt::format("Windows ran with {} last and starts with {} next: {} is edited", *last, edited, edited),
               tree_->Name());
  }
  for (Finding& replay : PROV_TRY(registry_.Replays())) out.push_back(std::move(replay));
  return out;
}

Result<std::unique_ptr<OpenMachine>> ImageHost::Open(Access /*access*/) {
  return std::make_unique<ImagePorts>(Machine{
      .registry = registry_, .certificates = certificates_, .state = state_, .system = system_, .files = files_});
}

Result<void> ImageHost::Reboot(std::string_view /*reason*/) { return NothingRuns("a reboot"); }
Result<void> ImageHost::RunAsService(std::string_view /*name*/, const std::function<void()>& /*body*/) {
  return NothingRuns("a service");
}

Result<void> ImageHost::Commit() {
  PROV_TRY(registry_.Flush());
  return tree_->WritesTogether() ? Result<void>() : tree_->Commit();
}

}  // namespace prov::machine
