#include "provisioner/cli/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "images/tree/folder_tree.h"
#include "images/tree/windows_tree.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/lock_wait.h"
#include "provisioner/cli/terminal.h"

namespace prov::cli {
namespace {

using images::TreeAccess;
using machine::ImageHost;

std::unexpected<Error> BadWim(std::string_view given) {
  return Fail(
      Code::kUsage,
      fmt::format("takes FILE:INDEX[,INDEX...] with indices from 1, as in install.wim:2; not \"{}\". wiminfo FILE (or "
                  "wimlib-imagex info FILE) lists the images",
                  given),
      "--wim");
}

struct WimWords {
  std::string file;
  std::vector<int> indices;
};

// Splits at the last colon, because a path may begin with a drive letter.
Result<WimWords> ParseWim(const std::string& given) {
  const std::size_t colon = given.rfind(':');
  if (colon == std::string::npos || colon == 0) return BadWim(given);
  WimWords out{given.substr(0, colon), {}};
  for (const std::string_view word : Split(std::string_view(given).substr(colon + 1), ',')) {
    const int index = static_cast<int>(ParseDecimal(word, std::numeric_limits<int>::max()).value_or(0));
    if (index < 1 || std::ranges::find(out.indices, index) != out.indices.end()) return BadWim(given);
    out.indices.push_back(index);
  }
  return out;
}

Result<std::unique_ptr<ImageHost>> MakeHost(std::unique_ptr<images::ImageTree> tree, machine::Host& live,
                                            TreeAccess access) {
  if (access != TreeAccess::kRead) PROV_TRY(images::RefuseHibernated(*tree));
  return std::make_unique<ImageHost>(std::move(tree), live.clock(), FileTimeOf(live.clock().NowUnix()));
}

}  // namespace

OptionGroup TargetOptionSpecs() {
  return {
      {"root", "DIR", "act on a mounted or extracted image instead of this machine: the folder that contains Windows",
       Group::kTarget},
      {"wim", "FILE:INDEX", "act on images of a WIM file (Linux), e.g. install.wim:2 or install.wim:1,2",
       Group::kTarget}};
}

TargetOptions ParseTargetOptions(const Arguments& arguments) {
  TargetOptions out;
  if (arguments.Has("root")) out.root = arguments.Get("root");
  if (arguments.Has("wim")) out.wim = arguments.Get("wim");
  return out;
}

Result<Targets> Targets::Open(const TargetOptions& options, machine::Host& live, TreeAccess access) {
  Targets out;
  if (options.root && options.wim) return Fail(Code::kUsage, "give one of --root and --wim", "--root");
  if (options.root) {
    auto tree = PROV_TRY(images::OpenFolderTree(*options.root, access));
    out.images_.push_back(PROV_TRY(MakeHost(std::move(tree), live, access)));
  } else if (options.wim) {
    const WimWords words = PROV_TRY(ParseWim(*options.wim));
    out.wim_ = PROV_TRY(images::WimFile::Open(words.file, access, live.clock().NowUnix()));
    out.stop_check_ = [&live, file = words.file] { return FailIfStopped(live.clock(), file); };
    for (const int index : words.indices) {
      out.images_.push_back(PROV_TRY(MakeHost(PROV_TRY(out.wim_->Tree(index)), live, access)));
    }
  } else {
    out.live_ = &live;
  }
  return out;
}

std::vector<Targets::One> Targets::All() {
  std::vector<One> out;
  if (live_ != nullptr) out.push_back({live_});
  for (const auto& image : images_) out.push_back({image.get(), image.get()});
  return out;
}

std::vector<machine::Host*> Targets::Hosts() {
  std::vector<machine::Host*> out;
  for (const One& target : All()) out.push_back(target.host);
  return out;
}

Result<void> Targets::CheckCommit() { return wim_ ? wim_->CheckIntegrity() : Result<void>(); }

Result<void> Targets::Commit() {
  for (const auto& image : images_) PROV_TRY(image->Commit());
  if (!wim_) return {};
  Progress shown("bytes of the WIM file");
  return wim_->Commit([&](std::uint64_t done, std::uint64_t total) {
    shown.Show(done, total);
    return CheckStop(stop_check_);
  });
}

Result<Target> OpenTarget(machine::Host& host, machine::Access access, std::int64_t wait_seconds) {
  auto opened = PROV_TRY(WhenFree(host.clock(), wait_seconds, [&] { return host.Open(access); }));
  return Target{host.Name(), std::move(opened)};
}

}  // namespace prov::cli
