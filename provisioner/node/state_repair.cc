#include "provisioner/node/state_repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/seal.h"
#include "provisioner/node/events.h"
#include "provisioner/node/records.h"
#include "provisioner/node/upgrade.h"

namespace prov::node {
namespace {

using machine::kJournalFile;
using machine::kJournalPreviousFile;
using machine::kStateFile;
using machine::kStatePreviousFile;
using machine::StateFolder;

constexpr std::ptrdiff_t kMostRepairs = 16;

constexpr std::string_view kSourceLost =
    "the source of its settings is not known any more: store it with provisioner service install --source SOURCE";

constexpr std::string_view kRecordLost =
    "the items of provisioner on this machine and the source of its settings are not known any more";
constexpr std::string_view kRunLost =
    "the changes of an interrupted run or a trial are not known any more; the next apply takes over items that equal "
    "its settings";

// Whether a newer program wrote the file. If the file has a seal and the seal is broken, the file is damaged, whatever
// its version member says.
bool IsOfNewerProgram(std::string_view text, const Error& error) {
  if (error.code != Code::kVersion) return false;
  return text.find(fmt::format("\"{}\"", kSealMember)) == std::string_view::npos || CheckSeal(text, "").has_value();
}

std::string ProblemOf(const std::optional<std::string>& text, const std::optional<Error>& error) {
  if (!text) return "is missing";
  if (text->empty()) return "is empty";
  if (!error || error->code == Code::kHashMismatch) return "was damaged or edited: its SHA-256 does not match";
  if (error->code != Code::kJson) return fmt::format("is damaged ({})", error->message);
  const std::size_t place = error->where.find(": ");
  return fmt::format("is cut short or garbled{}",
                     place == std::string::npos ? "" : fmt::format(" ({})", error->where.substr(place + 2)));
}

// "state.damaged-20260101-120000.json"
std::string KeptName(std::string_view file, std::int64_t now) {
  std::string time = FormatUtc(now);
  std::erase_if(time, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  std::ranges::replace(time, 'T', '-');
  const std::string_view stem = file.substr(0, file.rfind('.'));
  return fmt::format("{}.damaged-{}.json", stem, time);
}

template <class T>
struct Found {
  std::string_view file;
  std::optional<std::string> text;
  std::optional<T> content;    // nullopt: it is damaged or absent
  std::optional<Error> error;  // why it is damaged
  bool newer = false;
};

// `original`: the file that this is a copy of. A copy is mostly identical and is then not parsed again.
template <class T, class Parse>
Result<Found<T>> ReadStateFile(StateFolder& folder, std::string_view file, Parse parse, const Found<T>& original = {}) {
  Found<T> out = original;
  out.file = file;
  out.text = PROV_TRY(folder.Read(file));
  if (out.text == original.text) return out;
  out = {.file = file, .text = std::move(out.text), .content = {}, .error = {}};
  if (!out.text) return out;
  if (Result<T> content = parse(*out.text, file)) {
    out.content = *std::move(content);
  } else {
    out.newer = IsOfNewerProgram(*out.text, content.error());
    out.error = std::move(content).error();
  }
  return out;
}

void PutSection(machine::StateContent& content, std::string_view name, const std::string& json) {
  auto node = ParseJsonDocument(json, name);
  if (node) content.insert_or_assign(std::string(name), *std::move(node));
}

std::string LostJson(std::int64_t now) {
  JsonWriter json;
  return json.BeginObject().Member("since", now).EndObject().Text();
}

void WriteRepair(JsonWriter& json, const PastRepair& repair) {
  json.BeginObject().Member("at", repair.at).Member("file", repair.file.file).Member("problem", repair.file.problem);
  json.Member("from", repair.file.from).Member("kept", repair.file.kept).Member("effect", repair.file.effect);
  json.EndObject();
}

Result<std::vector<PastRepair>> ReadRepairs(const JsonNode& section) {
  std::vector<PastRepair> out;
  for (const JsonNode& node : PROV_TRY(section.Get("files", &JsonNode::Items))) {
    const auto text = [&](std::string_view name) { return node.Get(name, &JsonNode::Text); };
    out.push_back({PROV_TRY(node.Get("at", &JsonNode::Integer)),
                   {PROV_TRY(text("file")), PROV_TRY(text("problem")), PROV_TRY(text("from")), PROV_TRY(text("kept")),
                    PROV_TRY(text("effect"))}});
  }
  return out;
}

class Repairer {
 public:
  Repairer(StateFolder& folder, std::int64_t now) : folder_(folder), now_(now) {}

  Result<std::vector<DamagedFile>> Run() && {
    state_ = PROV_TRY(ReadStateFile<machine::StateContent>(folder_, kStateFile, machine::ParseState));
    state_copy_ = PROV_TRY(ReadStateFile(folder_, kStatePreviousFile, machine::ParseState, state_));
    journal_ = PROV_TRY(ReadStateFile<reconcile::Transaction>(folder_, kJournalFile, reconcile::ParseTransaction));
    journal_copy_ = PROV_TRY(ReadStateFile(folder_, kJournalPreviousFile, reconcile::ParseTransaction, journal_));
    if (state_.newer || state_copy_.newer || journal_.newer || journal_copy_.newer) return std::vector<DamagedFile>();
    ChooseRecord();
    ChooseJournal();
    PROV_TRY(Write());
    return std::move(damage_);
  }

 private:
  struct Kept {
    std::string name, text;
  };

  // `kept`: keep what was in the file.
  template <class T>
  void Report(const Found<T>& found, std::string_view from, std::string_view effect, bool kept) {
    DamagedFile damaged{
        folder_.PathOf(found.file), ProblemOf(found.text, found.error), std::string(from), {}, std::string(effect)};
    if (kept && found.text && !found.text->empty()) {
      const std::string name = KeptName(found.file, now_);
      damaged.kept = folder_.PathOf(name);
      kept_.push_back({name, *found.text});
    }
    damage_.push_back(std::move(damaged));
  }

  void ChooseRecord() {
    if (state_.content) {
      content_ = *state_.content;
      if (state_copy_.error) Report(state_copy_, kStateFile, "", false);
      return;
    }
    if (state_copy_.content) {
      content_ = *state_copy_.content;
      Report(state_, kStatePreviousFile, "", true);
      return;
    }
    RecordFromJournal();
  }

  // Without the record and its copy, what is ours is known only from an open journal.
  void RecordFromJournal() {
    const Found<reconcile::Transaction>& open = journal_.content ? journal_ : journal_copy_;
    const bool known = open.content && !open.content->ledger_before.empty();
    if (known) PutSection(content_, reconcile::kLedgerSection, reconcile::LedgerJson(open.content->ledger_before));
    lost_ = state_.error || state_copy_.error || known;
    if (lost_) Report(state_, known ? open.file : "", known ? kSourceLost : kRecordLost, true);
    if (state_copy_.error) Report(state_copy_, "", "", true);
  }

  void ChooseJournal() {
    if (journal_.content) {
      if (journal_copy_.error) Report(journal_copy_, kJournalFile, "", false);
      return;
    }
    if (journal_copy_.content) {
      Report(journal_, kJournalPreviousFile, "", true);
      return;
    }
    if (!journal_.error && !journal_copy_.error) return;
    lost_ = true;
    Report(journal_.error ? journal_ : journal_copy_, "", kRunLost, true);
  }

  // Writes in this order: the kept files; the record, which says what happened; last the journal, which says what is
  // still to be done.
  Result<void> Write() {
    for (std::size_t at = 0; at < kept_.size(); ++at) {
      if (Result<void> written = folder_.Write(kept_[at].name, kept_[at].text); !written) return GiveUp(at, written);
    }
    if (!damage_.empty()) AddNotes();
    const bool healthy = damage_.empty() && !state_.text;
    if (!healthy) {
      if (Result<void> written = WriteRecord(); !written) return GiveUp(kept_.size(), written);
    }
    return WriteJournal();
  }

  // Removes what this try has kept, so that retries do not fill a disk that stays full.
  Result<void> GiveUp(std::size_t written, const Result<void>& error) {
    for (std::size_t at = 0; at < written; ++at) (void)folder_.Remove(kept_[at].name);
    return error;
  }

  void AddNotes() {
    std::vector<PastRepair> all;
    if (const auto found = content_.find(kRepairsSection); found != content_.end()) {
      all = ReadRepairs(found->second).value_or(std::vector<PastRepair>());
    }
    for (const DamagedFile& file : damage_) all.push_back({now_, file});
    if (std::ssize(all) > kMostRepairs) all.erase(all.begin(), all.end() - kMostRepairs);
    JsonWriter json;
    json.BeginObject().Key("files").BeginArray();
    for (const PastRepair& repair : all) WriteRepair(json, repair);
    PutSection(content_, kRepairsSection, json.EndArray().EndObject().Text());
    if (!lost_) return;
    PutSection(content_, kLostSection, LostJson(now_));
  }

  Result<void> WriteRecord() {
    const std::string text = damage_.empty() ? *state_.text : machine::StateText(content_);
    if (!state_.text) PROV_TRY(folder_.Write(kStateFile, text));  // a copy alone says that the record was deleted
    if (state_copy_.text != text) PROV_TRY(folder_.Write(kStatePreviousFile, text));
    return state_.text && state_.text != text ? folder_.Write(kStateFile, text) : Result<void>();
  }

  Result<void> WriteJournal() {
    if (journal_.content) {
      if (journal_copy_.text != journal_.text) PROV_TRY(folder_.Write(kJournalPreviousFile, *journal_.text));
      return {};
    }
    if (journal_copy_.content) return folder_.Write(kJournalFile, *journal_copy_.text);
    if (journal_copy_.text) PROV_TRY(folder_.Remove(kJournalPreviousFile));
    return journal_.text ? folder_.Remove(kJournalFile) : Result<void>();
  }

  StateFolder& folder_;
  std::int64_t now_;
  Found<machine::StateContent> state_, state_copy_;
  Found<reconcile::Transaction> journal_, journal_copy_;
  machine::StateContent content_;
  std::vector<Kept> kept_;
  bool lost_ = false;
  std::vector<DamagedFile> damage_;
};

// A folder whose writes stay in memory, so that readers see what it would hold.
class FolderView final : public StateFolder {
 public:
  explicit FolderView(StateFolder& folder) : folder_(folder) {}

  Result<std::optional<std::string>> Read(std::string_view name) override {
    const auto found = changed_.find(name);
    return found == changed_.end() ? folder_.Read(name) : found->second;
  }
  Result<void> Write(std::string_view name, std::string_view bytes) override {
    changed_.insert_or_assign(std::string(name), std::string(bytes));
    return {};
  }
  Result<void> Remove(std::string_view name) override {
    changed_.insert_or_assign(std::string(name), std::nullopt);
    return {};
  }
  std::string PathOf(std::string_view name) const override { return folder_.PathOf(name); }

 private:
  StateFolder& folder_;
  std::map<std::string, std::optional<std::string>, std::less<>> changed_;
};

}  // namespace

Result<std::vector<DamagedFile>> RepairFolder(StateFolder& folder, std::int64_t now) {
  return Repairer(folder, now).Run();
}

Result<void> RepairState(OpenNode& node, Findings& findings) {
  for (const DamagedFile& file : PROV_TRY(RepairFolder(node.machine.state.folder(), node.host.clock().NowUnix()))) {
    const std::string text = Describe(file, Moment::kRepaired);
    LogEvent(node.host, machine::Event::kRecovered, Severity::kWarning, fmt::format("{} ({})", text, file.file));
    AddWarning(findings, "state-damaged", text, file.file);
  }
  return {};
}

RepairedView::RepairedView(OpenNode& node)
    : node_(node), folder_(std::make_unique<FolderView>(node.machine.state.folder())), record_(*folder_) {}

RepairedView::~RepairedView() = default;

Result<OpenNode> RepairedView::Open() {
  damage_ = PROV_TRY(RepairFolder(*folder_, node_.host.clock().NowUnix()));
  // Applies the sections of an interrupted run to the view: the next command that writes finishes that run.
  if (const auto open = PROV_TRY(reconcile::LoadJournal(record_))) PROV_TRY(record_.Commit(open->sections));
  const machine::Machine& whole = node_.machine;
  return OpenNode{
      node_.host,
      {whole.registry, whole.certificates, record_, whole.system, whole.network, whole.programs, whole.files}};
}

Result<bool> HasNoRecord(StateFolder& folder) {
  for (const std::string_view file : {kStateFile, kStatePreviousFile, kJournalFile, kJournalPreviousFile}) {
    if (PROV_TRY(folder.Read(file))) return false;
  }
  return true;
}

bool HasLog(StateFolder& folder) {
  const auto log = folder.Read("provisioner.log");
  return !log || log->has_value();  // one that is too large is there, too
}

Result<bool> RecordIsLost(OpenNode& node) {
  if (PROV_TRY(node.machine.state.Read(kLostSection))) return true;
  if (!PROV_TRY(HasNoRecord(node.machine.state.folder()))) return false;
  return PROV_TRY(node.host.services().Query(kServiceName)).has_value();
}

Result<void> WarnOfLoss(OpenNode& node, Findings& findings) {
  if (HasFinding(findings, "state-lost") || !PROV_TRY(RecordIsLost(node))) return {};
  AddWarning(findings, "state-lost", DescribeLoss(), node.machine.state.folder().PathOf(kStateFile));
  return {};
}

Result<void> AddLoss(OpenNode& node, reconcile::Sections& sections) {
  if (PROV_TRY(RecordIsLost(node))) sections[std::string(kLostSection)] = LostJson(node.host.clock().NowUnix());
  return {};
}

std::string Describe(const DamagedFile& file, Moment moment) {
  const bool found = moment == Moment::kFound;
  std::string out = fmt::format("this file of the state {}", file.problem);
  if (file.from.empty()) {
    out += found ? "; the next apply or reconcile goes on without it" : "; nothing could stand in for it";
  } else {
    out +=
        fmt::format("; {} from {}", found ? "the next apply or reconcile restores it" : "it was restored", file.from);
    if (file.effect.empty()) out += ", and nothing is lost";
  }
  if (!file.effect.empty()) out += "; " + file.effect;
  if (!found && !file.kept.empty()) {
    out += fmt::format("; what was in it is kept as {}: delete that once you know what damaged it", file.kept);
  }
  return out;
}

std::string DescribeLoss() {
  return "the record of what provisioner set on this machine was lost: the next apply adopts values that equal its "
         "settings, and remove later deletes them; it does not adopt certificates that are already in the stores, "
         "which then stay when the settings drop them; run provisioner apply SOURCE, or store the source with "
         "provisioner service install --source SOURCE";
}

Result<std::vector<PastRepair>> LoadRepairs(machine::StateRecord& state) {
  const auto section = PROV_TRY(state.Read(kRepairsSection));
  return section ? ReadRepairs(*section) : std::vector<PastRepair>();
}

Result<void> RemoveKeptFiles(machine::StateRecord& state) {
  for (const PastRepair& repair : PROV_TRY(LoadRepairs(state))) {
    const std::size_t name = repair.file.kept.find_last_of("\\/");
    if (!repair.file.kept.empty()) PROV_TRY(state.folder().Remove(std::string_view(repair.file.kept).substr(name + 1)));
  }
  return {};
}

}  // namespace prov::node
