#include "provisioner/node/image_install.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "images/tree/folder_tree.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/machine/image_ports.h"
#include "provisioner/node/events.h"
#include "provisioner/node/first_boot.h"
#include "provisioner/node/search_path.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/node/upgrade.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/unattend/answer_file.h"
#include "provisioner/unattend/setup_complete.h"
#include "templates/templates.h"

namespace prov::node {
namespace {

using images::FileUse;
using images::ImageTree;
using reconcile::Action;
using reconcile::Change;
using reconcile::ItemKind;

constexpr std::string_view kSetupFolder = "Windows/Setup/Scripts";
constexpr std::string_view kSetupComplete = "Windows/Setup/Scripts/SetupComplete.cmd";
constexpr std::string_view kProgramFolder = machine::kImageProgram.substr(0, machine::kImageProgram.rfind('/'));
constexpr std::string_view kExe = "provisioner.exe";
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;
constexpr std::uint64_t kMostTextBytes = std::uint64_t{16} << 20U;

// The places on the system's volume where Windows setup looks for an answer file, in its order. A new file goes to the
// last one, so that a file that a platform puts elsewhere still takes precedence.
constexpr auto kAnswerFiles = std::to_array<std::string_view>(
    {"Windows/Panther/Unattend/Unattend.xml", "Windows/Panther/unattend.xml", "Windows/System32/Sysprep/unattend.xml"});

constexpr std::string_view kTakenOver = "gets the owner and the rights of what is ours";

bool IsInPayload(std::string_view path) {
  return path.starts_with(kPayloadFolder) && path.substr(kPayloadFolder.size()).starts_with('/');
}

bool IsOwnFolder(std::string_view path) {
  return path == kProgramFolder || path == kPayloadFolder || IsInPayload(path);
}

std::string Where(ImageTree& tree, std::string_view path) { return fmt::format("{}, {}", tree.Name(), path); }

// The folders that we make, innermost first.
std::vector<std::string> OwnFolders() {
  std::vector<std::string> out;
  for (const std::string_view folder : {"trust/CA", "trust/ROOT", "trust", "scripts", "registry"}) {
    out.push_back(fmt::format("{}/{}", kPayloadFolder, folder));
  }
  out.emplace_back(kPayloadFolder);
  out.emplace_back(kProgramFolder);
  return out;
}

// Where an interrupted run may have left files: every folder that runs write into, and its parents, because a missing
// folder is also made under a temporary name first.
std::vector<std::string> Places() {
  std::vector<std::string> out = {"",
                                  "Windows",
                                  "Windows/System32",
                                  "Windows/System32/config",
                                  "Windows/System32/Sysprep",
                                  "Windows/Panther",
                                  "Windows/Panther/Unattend",
                                  "Windows/Setup",
                                  "Windows/Setup/Scripts",
                                  "Program Files",
                                  "ProgramData",
                                  std::string(machine::kImageStateFolder)};
  const std::vector<std::string> own = OwnFolders();
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

class FilePlanner {
 public:
  FilePlanner(ImageTree& tree, std::optional<ImageRecord> before) : tree_(tree) {
    if (before) before_ = *std::move(before);
  }

  Result<void> Want(const std::string& path, const std::string& bytes, FileUse use) {
    PROV_TRY(WantFolders(path));
    const auto now = PROV_TRY(tree_.Read(path, kMostBytes));
    PROV_TRY(Put(path, now, bytes, use));
    plan_.record->files.push_back({path, ToHex(Sha256(bytes))});
    return {};
  }

  Result<void> WantSetupComplete() {
    const auto now = PROV_TRY(tree_.Read(kSetupComplete, kMostTextBytes));
    const std::string wanted =
        PROV_TRY(unattend::AddSetupCompleteLine(now.value_or(""), plan_.findings, Where(tree_, kSetupComplete)));
    plan_.record->setup_folder_made = before_.setup_folder_made || !PROV_TRY(tree_.IsFolder(kSetupFolder));
    const std::string_view added = std::string_view(wanted).substr(now ? now->size() : 0);
    plan_.record->setup_complete_added = added.empty() ? before_.setup_complete_added.value_or("") : std::string(added);
    return Put(std::string(kSetupComplete), now, wanted, FileUse::kEdited);
  }

  Result<void> WantAnswerFiles() {
    bool any = false;
    for (const std::string_view path : kAnswerFiles) {
      const auto now = PROV_TRY(tree_.Read(path, kMostTextBytes));
      if (!now) continue;
      const auto known = std::ranges::find(before_.answer_files, path, &ImageRecord::AnswerFile::path);
      if (PROV_TRY(unattend::WasPassProcessed(*now, Where(tree_, path)))) {
        AddInfo(
            plan_.findings, "answer-file-processed",
            "its specialize pass is marked as processed, so Windows setup takes the next answer file for it: left as "
            "it is",
            Where(tree_, path));
        // What we added before setup ran is still ours to remove.
        if (known != before_.answer_files.end()) plan_.record->answer_files.push_back(*known);
        continue;
      }
      any = true;
      const bool made = known != before_.answer_files.end() && known->made;
      unattend::AnswerFileEdit edit =
          PROV_TRY(unattend::AddCommand(*now, payload::PayloadCommand(), Where(tree_, path)));
      std::string record = edit.changed || known == before_.answer_files.end() ? edit.record : known->record;
      // A command that was there before us is not ours to remove.
      if (edit.changed || known != before_.answer_files.end()) {
        plan_.record->answer_files.push_back({std::string(path), made, std::move(record)});
      }
      PROV_TRY(Put(std::string(path), now, edit.bytes, FileUse::kEdited));
    }
    if (any) return {};
    const std::string path(kAnswerFiles.back());
    PROV_TRY(Put(path, std::nullopt, std::string(templates::UnattendXml()), FileUse::kEdited));
    // If the file is edited later, removal takes out what would have been added to an empty file.
    constexpr std::string_view kEmpty = "<unattend xmlns=\"urn:schemas-microsoft-com:unattend\">\n</unattend>\n";
    const auto added = PROV_TRY(unattend::AddCommand(kEmpty, payload::PayloadCommand(), path));
    plan_.record->answer_files.push_back({path, true, added.record});
    return {};
  }

  // Removes what an earlier installation wrote and this one does not want.
  Result<void> LetGo() {
    for (const ImageRecord::File& file : before_.files) {
      if (std::ranges::find(plan_.record->files, file.path, &ImageRecord::File::path) != plan_.record->files.end()) {
        continue;
      }
      const auto now = PROV_TRY(tree_.Read(file.path, kMostBytes));
      if (!now) continue;
      // These files are ours even if their contents differ: a newer version of ours is removed, too.
      if (file.path != machine::kImageProgram && file.path != machine::kImagePin &&
          ToHex(Sha256(*now)) != file.sha256) {
        AddWarning(plan_.findings, "file-changed", "was changed since it was put there; left as it is",
                   Where(tree_, file.path));
        Report(Action::kYield, file.path, "was changed since we set it; left as it is");
        continue;
      }
      Delete(file.path);
    }
    return {};
  }

  Result<void> LetSetupCompleteGo() {
    if (!before_.setup_complete_added) return {};
    const auto now = PROV_TRY(tree_.Read(kSetupComplete, kMostTextBytes));
    if (!now) return {};
    const std::string wanted = unattend::RemoveSetupCompleteLine(*now, *before_.setup_complete_added);
    if (wanted.empty()) {
      Delete(std::string(kSetupComplete));
    } else {
      PROV_TRY(Put(std::string(kSetupComplete), now, wanted, FileUse::kEdited));
    }
    return {};
  }

  Result<void> LetAnswerFilesGo() {
    for (const ImageRecord::AnswerFile& file : before_.answer_files) {
      const auto now = PROV_TRY(tree_.Read(file.path, kMostTextBytes));
      if (!now) continue;
      if (file.made && *now == templates::UnattendXml()) {
        Delete(file.path);
        continue;
      }
      const unattend::AnswerFileEdit edit =
          PROV_TRY(unattend::RemoveCommand(*now, payload::PayloadCommand(), file.record, Where(tree_, file.path)));
      PROV_TRY(Put(file.path, now, edit.bytes, FileUse::kEdited));
    }
    return {};
  }

  FilePlan& plan() { return plan_; }

 private:
  void Report(Action action, const std::string& path, std::string reason = {}) {
    plan_.changes.push_back(
        {ItemKind::kFile, action, path, {}, {}, std::move(reason), reconcile::ItemKey(reconcile::kFileItem, path)});
  }

  // Equal contents are not enough: a user of the captured machine may have put the file there, so check its
  // permissions.
  Result<void> Put(const std::string& path, const std::optional<std::string>& now, const std::string& wanted,
                   FileUse use) {
    const bool same = now == wanted;
    if (same && PROV_TRY(tree_.IsMadeFor(path, use))) {
      Report(Action::kNone, path);
      return {};
    }
    plan_.steps.push_back({path, wanted, use});
    Report(now ? Action::kUpdate : Action::kCreate, path, same ? std::string(kTakenOver) : std::string());
    return {};
  }

  // Takes over folders of ours that others can change, because they could add files. A folder closed to Users needs
  // nothing.
  Result<void> WantFolders(std::string_view path) {
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
      std::string folder(path.substr(0, slash));
      if (!IsOwnFolder(folder) || !folders_.insert(folder).second || !PROV_TRY(tree_.IsFolder(folder))) continue;
      if (PROV_TRY(tree_.IsMadeFor(folder, FileUse::kPlain)) || PROV_TRY(tree_.IsMadeFor(folder, FileUse::kSecret))) {
        continue;
      }
      Report(Action::kUpdate, folder, std::string(kTakenOver));
      plan_.taken_over.push_back(std::move(folder));
    }
    return {};
  }

  void Delete(const std::string& path) {
    plan_.steps.push_back({path, std::nullopt});
    Report(Action::kDelete, path);
  }

  ImageTree& tree_;
  ImageRecord before_;
  std::set<std::string> folders_;  // already checked
  FilePlan plan_{{}, {}, {}, ImageRecord{.complete = true, .files = {}, .setup_complete_added = {}, .answer_files = {}},
                 {}, {}};
};

std::string CannotBeRead(const Error& error) { return "can't be read: " + error.message; }

// "": none. `judge` has the contents of a file that is there.
template <class Judge>
std::string ProblemOfFile(const Result<std::optional<std::string>>& now, Judge judge) {
  if (!now) return CannotBeRead(now.error());
  return *now ? judge(**now) : "is missing";
}

std::string ProblemOfPayloadFolder(ImageTree& tree) {
  const auto is_folder = tree.IsFolder(kPayloadFolder);
  if (!is_folder) return CannotBeRead(is_folder.error());
  if (*is_folder) return {};
  return tree.IsFile(kPayloadFolder).value_or(false) ? "is a file, and the folder of the payload has to be there"
                                                     : "is missing";
}

}  // namespace

Result<void> RemoveLeftovers(ImageTree& tree, Findings& findings) {
  for (const std::string& folder : Places()) {
    if (!PROV_TRY(tree.RemoveLeftover(folder))) continue;
    AddInfo(findings, "leftover-removed", fmt::format("a run that was cut short left {} there", images::kTemporaryName),
            Where(tree, folder.empty() ? "/" : folder));
  }
  return {};
}

// Orders the steps so that nothing starts before what it needs is there: first what the program must know, then the
// program, last what starts it.
Result<FilePlan> PlanImageFiles(ImageTree& tree, machine::StateRecord& state, const payload::Payload& payload,
                                const payload::Pin& pin) {
  FilePlanner planner(tree, PROV_TRY(LoadImageRecord(state)));
  if (!pin.empty()) PROV_TRY(planner.Want(std::string(machine::kImagePin), PinJson(pin), FileUse::kPlain));
  for (const payload::PayloadFile& file : payload.files) {
    if (file.path == kExe) PROV_TRY(planner.Want(std::string(machine::kImageProgram), file.bytes, FileUse::kPlain));
  }
  for (const payload::PayloadFile& file : payload.files) {
    PROV_TRY(planner.Want(fmt::format("{}/{}", kPayloadFolder, file.path), file.bytes,
                          file.secret ? FileUse::kSecret : FileUse::kPlain));
  }
  PROV_TRY(planner.WantSetupComplete());
  PROV_TRY(planner.WantAnswerFiles());
  PROV_TRY(planner.LetGo());
  return std::move(planner.plan());
}

Result<FilePlan> PlanImageFileRemoval(ImageTree& tree, machine::StateRecord& state) {
  const auto before = PROV_TRY(LoadImageRecord(state));
  FilePlanner planner(tree, before);
  PROV_TRY(planner.LetAnswerFilesGo());
  PROV_TRY(planner.LetSetupCompleteGo());
  PROV_TRY(planner.LetGo());
  FilePlan plan = std::move(planner.plan());
  plan.record.reset();
  plan.folders = OwnFolders();
  if (before && before->setup_folder_made) plan.folders.emplace_back(kSetupFolder);
  return plan;
}

Result<void> WriteFiles(ImageTree& tree, machine::StateRecord& state, const FilePlan& plan) {
  const auto before = PROV_TRY(LoadImageRecord(state));
  const bool nothing_left =
      plan.taken_over.empty() && plan.steps.empty() && plan.record == before && (!before || before->complete);
  if (nothing_left) return {};
  // Until the run is done, files of either version may be there.
  ImageRecord both = plan.record.value_or(ImageRecord{});
  if (before) {
    for (const ImageRecord::File& file : before->files) {
      if (std::ranges::find(both.files, file) == both.files.end()) both.files.push_back(file);
    }
    for (const ImageRecord::AnswerFile& file : before->answer_files) {
      const bool known =
          std::ranges::find(both.answer_files, file.path, &ImageRecord::AnswerFile::path) != both.answer_files.end();
      if (!known) both.answer_files.push_back(file);
    }
    if (!both.setup_complete_added) both.setup_complete_added = before->setup_complete_added;
    both.setup_folder_made = both.setup_folder_made || before->setup_folder_made;
  }
  both.complete = false;
  PROV_TRY(SaveImageRecord(state, both));
  for (const std::string& folder : plan.taken_over) PROV_TRY(tree.SecureFolder(folder, FileUse::kPlain));
  for (const FileStep& step : plan.steps) {
    if (step.bytes) {
      PROV_TRY(tree.Write(step.path, *step.bytes, step.use));
    } else {
      PROV_TRY(tree.Remove(step.path));
    }
  }
  for (const std::string& folder : plan.folders) PROV_TRY(tree.RemoveFolderIfEmpty(folder));
  return {};
}

Result<void> EndInstallation(machine::StateRecord& state, const FilePlan& plan) {
  return plan.record ? SaveImageRecord(state, *plan.record) : Forget(state, kImageSection);
}

Result<bool> IsInstalledPayload(machine::StateRecord& state, std::string_view manifest) {
  const auto record = PROV_TRY(LoadImageRecord(state));
  if (!record || !record->complete) return false;
  const ImageRecord::File wanted{fmt::format("{}/manifest.json", kPayloadFolder), ToHex(Sha256(manifest))};
  return std::ranges::find(record->files, wanted) != record->files.end();
}

Result<std::vector<LostFile>> FindLostFiles(ImageTree& tree, machine::StateRecord& state) {
  std::vector<LostFile> out;
  const auto record = PROV_TRY(LoadImageRecord(state));
  if (!record || !record->complete) return out;
  const auto add = [&out](std::string_view path, std::string problem) {
    if (!problem.empty()) out.push_back({std::string(path), std::move(problem)});
  };
  const bool has_run = HasLog(state.folder());
  const std::string folder = has_run ? std::string() : ProblemOfPayloadFolder(tree);
  add(kPayloadFolder, folder);
  for (const ImageRecord::File& file : record->files) {
    if (IsInPayload(file.path) && (has_run || !folder.empty())) continue;
    add(file.path, ProblemOfFile(tree.Read(file.path, kMostBytes), [&](const std::string& bytes) {
          return has_run || ToHex(Sha256(bytes)) == file.sha256 ? "" : "was changed";
        }));
  }
  if (has_run || !record->setup_complete_added) return out;
  add(kSetupComplete, ProblemOfFile(tree.Read(kSetupComplete, kMostTextBytes), [](const std::string& bytes) {
        Findings notes;
        const bool starts = unattend::AddSetupCompleteLine(bytes, notes, kSetupComplete) == bytes;
        return starts ? "" : "does not start the payload any more";
      }));
  return out;
}

Result<std::vector<Change>> PlanDeliveredPayload(OpenNode& node, bool with_service) {
  Change service{ItemKind::kService,
                 Action::kNone,
                 std::string(kServiceName),
                 {},
                 {},
                 {},
                 reconcile::ItemKey(reconcile::kBootServiceItem, kServiceName)};
  if (!with_service) {
    service.reason = "without provisioner.exe (--exe) nothing reconciles at later boots";
    return std::vector{std::move(service)};
  }
  if (!PROV_TRY(node.host.services().Query(kServiceName))) service.action = Action::kCreate;
  service.after = "starts at each boot";
  machine::ServiceDefinition definition = PROV_TRY(BootServiceDefinition(node.host));
  service.is = {{"commandLine", Secret(std::move(definition.command_line)), reconcile::ValuePart::Form::kData},
                {"start", Secret("automatic"), reconcile::ValuePart::Form::kData}};
  std::vector out{std::move(service), PROV_TRY(PlanEventSource(node))};
  if (auto path = PROV_TRY(PlanSearchPath(node))) out.push_back(*std::move(path));
  return out;
}

Result<reconcile::Sections> DeliveredPayloadRecords(OpenNode& node, const DerivedSettings& derived,
                                                    const payload::Payload& payload) {
  const std::string folder = PROV_TRY(node.host.installation().SetupScriptsFolder()) + R"(\Provisioner)";
  Delivery delivery{{.source = {.source = folder}}, false, {}};
  for (const payload::PayloadFile& file : payload.files) {
    if (!file.secret) continue;
    std::string path = file.path;
    std::ranges::replace(path, '/', '\\');
    delivery.secret_files.push_back(fmt::format("{}\\{}", folder, path));
  }
  return SourceRecords(derived, delivery, false);
}

Result<std::vector<Change>> InstallDeliveredService(OpenNode& node, bool with_service) {
  std::vector<Change> out = PROV_TRY(PlanDeliveredPayload(node, with_service));
  if (!with_service) return out;
  const ProgramReport program = PROV_TRY(InstallProgramAndService(node));
  const bool planned = std::ranges::any_of(out, [](const Change& one) { return one.action != Action::kNone; });
  if (program.wrote && !planned) out.front().action = Action::kUpdate;
  return out;
}

}  // namespace prov::node
