#include "provisioner/cli/wim_commit.h"

#include <fmt/format.h>

#include <algorithm>

namespace prov::cli {
namespace {

using reconcile::Action;
using reconcile::Change;
using reconcile::ItemKind;

bool MayHaveTakenPassword(const Change& change) {
  if (change.action != Action::kUpdate && change.action != Action::kDelete) return false;
  switch (change.kind) {
    case ItemKind::kEnvironment:
    case ItemKind::kWinInet:
      return change.before.find('@') != std::string::npos;  // redacted, but a user part leaves an '@'
    case ItemKind::kServiceEnvironment:                     // shows names only
      return true;
    case ItemKind::kFile:
      // A hosts.toml of somebody else may have a login in a header.
      return change.name.ends_with("egress.json") || change.name.ends_with("hosts.toml");
    case ItemKind::kWinHttp:
    case ItemKind::kCertificate:
    case ItemKind::kService:
    case ItemKind::kHns:
      break;
  }
  return false;
}

}  // namespace

bool MayHaveTakenPassword(const std::vector<Change>& changes) {
  return std::ranges::any_of(changes, [](const Change& change) { return MayHaveTakenPassword(change); });
}

Result<void> CommitTargets(const TargetOptions& options, Targets& targets, std::vector<TargetReport>& reports) {
  PROV_TRY(targets.Commit());
  images::WimFile* const wim = targets.wim();
  if (wim == nullptr) return {};
  const std::uint64_t unused = PROV_TRY(wim->UnusedBytes());
  if (unused == 0) return {};
  if (reports.empty() ||
      std::ranges::none_of(reports, [](const TargetReport& one) { return MayHaveTakenPassword(one.report.changes); })) {
    return {};
  }
  AddWarning(reports.front().report.findings, "wim-freed-blobs",
             fmt::format("the file holds {} bytes that no image in it uses any more, perhaps with a password that was "
                         "removed; rewrite the file without them with `wimlib-imagex optimize FILE`",
                         unused),
             options.wim.value_or(""));
  return {};
}

}  // namespace prov::cli
