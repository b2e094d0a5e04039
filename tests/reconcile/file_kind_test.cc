// Files that are ours as a whole: the hosts.toml files of a node's containerd, with their CAs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "provisioner/reconcile/items.h"
#include "tests/reconcile/file_items.h"
#include "tests/support/finding_codes.h"
#include "tests/support/result.h"

namespace prov::reconcile {
namespace {

using registries::ForAll;
using registries::Source;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::CodesOf;
using testing_support::MemoryMachine;

TEST(FileKind, FilesAreWrittenOnceAndTakenBackWithTheirFolders) {
  MemoryMachine memory;
  PutContainerd(memory);
  const auto before = memory.content();
  const Plan first = MustApply(memory, DesiredFiles());
  EXPECT_THAT(ChangesOf(first),
              ElementsAre(fmt::format("create file {}", R"(C:\certs.d\m.example\ca.crt)"),
                          fmt::format("create file {}", kQuayCa), fmt::format("create file {}", kQuay)));
  EXPECT_THAT(first.findings, IsEmpty());
  EXPECT_THAT(memory.FileAt(kQuay).value_or(""), HasSubstr(R"([host."https://m.example/v2/quay"])"));
  memory.log.clear();
  EXPECT_FALSE(MustApply(memory, DesiredFiles()).HasWork());
  EXPECT_THAT(memory.log, IsEmpty());
  EXPECT_THAT(DriftOf(memory), IsEmpty());
  MustApply(memory, NothingDesired());
  EXPECT_EQ(memory.content().Text(), before.Text());
}

// Which item made a folder does not matter, nor which one is the last to go.
TEST(FileKind, FoldersOfOursGoWithTheLastFileInThem) {
  const auto files_of = [](const std::vector<std::string>& registries) {
    std::vector<registries::Registry> list;
    for (const std::string& one : registries) list.push_back(Source(one, {ForAll("m.example")}));
    return DesiredFiles(ConfigWith(std::move(list), false), R"(C:\containerd\certs.d)");
  };
  for (const bool foreign : {false, true}) {
    MemoryMachine memory;
    PutContainerd(memory);
    if (foreign) memory.PutFileOf(R"(C:\containerd\certs.d\theirs.example\hosts.toml)", "[host]\n");
    const auto before = memory.content();
    MustApply(memory, files_of({"a.example"}));
    MustApply(memory, files_of({"a.example", "b.example"}));
    MustApply(memory, files_of({"b.example", "c.example"}));
    EXPECT_FALSE(memory.content().folders.contains(R"(c:\containerd\certs.d\a.example)"));
    EXPECT_TRUE(memory.content().folders.contains(R"(c:\containerd\certs.d\b.example)"));
    MustApply(memory, NothingDesired());
    EXPECT_EQ(memory.content().Text(), before.Text()) << "foreign: " << foreign;
  }
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, files_of({"a.example"}));
  memory.PutFileOf(R"(C:\containerd\notes.txt)", "theirs");
  MustApply(memory, NothingDesired());
  EXPECT_TRUE(memory.content().folders.contains(R"(c:\containerd)")) << "somebody uses it now";
  EXPECT_FALSE(memory.content().folders.contains(R"(c:\containerd\certs.d)"));
}

TEST(FileKind, CasAreThereBeforeAndAfterTheFileThatNamesThem) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  const auto at = [&](const std::string& call) {
    const auto found = std::ranges::find(memory.log, call);
    EXPECT_NE(found, memory.log.end()) << call;
    return found - memory.log.begin();
  };
  EXPECT_LT(at(fmt::format("PutFile {}", kQuayCa)), at(fmt::format("PutFile {}", kQuay)));
  memory.log.clear();
  MustApply(memory, NothingDesired());
  EXPECT_LT(at(fmt::format("RemoveFile {}", kQuay)), at(fmt::format("RemoveFile {}", kQuayCa)));
}

TEST(FileKind, AFileOfOthersIsKeptAndComesBack) {
  MemoryMachine memory;
  PutContainerd(memory);
  memory.PutFileOf(kQuay,
                   "server = 'https://theirs.example'\n[host.'https://u:secret@theirs.example'.header]\na='b'\n");
  memory.PutFileOf(R"(C:\certs.d\quay.io\theirs.crt)", "x");
  const auto before = memory.content();
  const Plan plan = MustApply(memory, DesiredFiles());
  EXPECT_THAT(ChangesOf(plan), Contains(fmt::format("update file {}", kQuay)));
  for (const Change& change : plan.changes) EXPECT_THAT(change.before, Not(HasSubstr("secret")));
  MustApply(memory, NothingDesired());
  EXPECT_EQ(memory.content().Text(), before.Text());
}

TEST(FileKind, AFileThatIsAsWantedIsNotOurs) {
  MemoryMachine memory;
  PutContainerd(memory);
  const DesiredState desired = DesiredFiles();
  for (const FileItem& file : desired.files) memory.PutFileOf(file.path, file.bytes);
  EXPECT_FALSE(MustApply(memory, desired).HasWork());
  MustApply(memory, NothingDesired());
  EXPECT_TRUE(memory.FileAt(kQuay)) << "it was there before us";
  MustApply(memory, desired, {.adopt = true});
  MustApply(memory, NothingDesired());
  EXPECT_FALSE(memory.FileAt(kQuay)) << "it was ours, from a payload";
}

TEST(FileKind, ChangedAndMissingFilesAreDriftAndRepaired) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  const auto wanted = memory.content();
  memory.PutFileOf(kQuay, "[host]\n");
  machine::Machine machine = memory.Ports();
  ASSERT_TRUE(machine.files.RemoveFile(kQuayCa));
  EXPECT_THAT(DriftOf(memory),
              ElementsAre(fmt::format("file {} changed", kQuay), fmt::format("file {} missing", kQuayCa)));
  MustApply(memory, DesiredFiles());
  EXPECT_EQ(memory.content().Text(), wanted.Text());
  EXPECT_THAT(DriftOf(memory), IsEmpty());
}

TEST(FileKind, AFileThatOthersChangedStaysWhenOursAreTakenBack) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  memory.PutFileOf(kQuay, "[host]\n");
  EXPECT_THAT(ChangesOf(MustApply(memory, NothingDesired())), Contains(fmt::format("yield file {}", kQuay)));
  EXPECT_EQ(memory.FileAt(kQuay), "[host]\n");
  EXPECT_TRUE(memory.FileAt(kQuayCa)) << "containerd refuses a file whose CAs are not there";
  EXPECT_FALSE(memory.FileAt(R"(C:\certs.d\m.example\ca.crt)")) << "that one has no hosts.toml beside it";
  const auto left = memory.content();
  EXPECT_FALSE(MustApply(memory, NothingDesired()).HasWork()) << "they are not ours any more";
  EXPECT_EQ(memory.content().Text(), left.Text());
}

// The mirrors of a registry go, and somebody's change keeps its file: in a round, too, and if ours is not known any
// more.
// The mirrors of a registry go, and somebody's change keeps its file: in a round, too, and if ours is not known any
// more.
TEST(FileKind, CasStayWithAFileThatIsNotOurs) {
  struct Case {
    std::string_view added;
    bool forgotten, stays;
  };
  const Case kCases[] = {{"# by hand\n", false, true},
                         {"# by hand\n", true, true},
                         {"[", true, true},
                         {"", false, false},
                         {"[host]\n", true, false}};
  for (const auto& [added, forgotten, stays] : kCases) {
    SCOPED_TRACE(fmt::format("{} {}", added, forgotten));
    MemoryMachine memory;
    PutContainerd(memory);
    MustApply(memory, DesiredFiles());
    memory.PutFileOf(kQuay, added == "[host]\n" ? std::string(added) : *memory.FileAt(kQuay) + std::string(added));
    machine::Machine machine = memory.Ports();
    if (forgotten) {
      Ledger ledger = LoadLedger(machine.state).value();
      ASSERT_EQ(ledger.erase(ItemKey(kFileItem, AsciiLower(kQuay))), 1U);
      ASSERT_TRUE(machine.state.Commit({{std::string(kLedgerSection), LedgerJson(ledger)}}));
    }
    const Plan plan = MustApply(memory, DesiredFiles(ConfigWith({}, false)), {.leaves_out_refused = true});
    EXPECT_EQ(memory.FileAt(kQuayCa).has_value(), stays);
    const auto ca = std::ranges::find(plan.changes, kQuayCa, &Change::name);
    ASSERT_NE(ca, plan.changes.end());
    EXPECT_EQ(ca->action, stays ? Action::kYield : Action::kDelete);
    EXPECT_THAT(ca->reason, HasSubstr(stays ? "the hosts.toml beside it was changed" : "no longer wanted"));
  }
}

TEST(FileKind, AFileThatOthersMayChangeIsDriftAndKeepsNobodyFromTheRest) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  memory.unsafe_files.insert(AsciiLower(kQuay));
  EXPECT_THAT(DriftOf(memory), ElementsAre(fmt::format("file {} changed", kQuay)));
  for (const bool round : {false, true}) {
    MemoryMachine copy = memory;
    const auto run = Must(ApplyTo(copy, WithProxy(DesiredFiles()), {.leaves_out_refused = round}));
    ASSERT_THAT(CodesOf(run.findings), ElementsAre("registry-file"));
    EXPECT_EQ(run.findings.front().severity, Severity::kWarning);
    EXPECT_EQ(run.findings.front().where, kQuay);
    EXPECT_THAT(run.findings.front().message,
                AllOf(HasSubstr("can be changed by Users"), HasSubstr("let administrators alone change it")));
    EXPECT_THAT(ChangesOf(run), Contains("create env HTTP_PROXY"));
    EXPECT_THAT(ChangesOf(run), Contains(fmt::format("yield file {}", kQuay)));
  }
  const DesiredState other = DesiredFiles(ConfigWith({Source("new.example", {ForAll("b.example")})}, false));
  MustApply(memory, other, {.leaves_out_refused = true});
  EXPECT_THAT(DriftOf(memory), Contains(fmt::format("file {} changed", kQuay))) << "a round tries again";
  const Plan removal = MustApply(memory, NothingDesired());
  EXPECT_THAT(ChangesOf(removal), Contains(fmt::format("yield file {}", kQuay)));
  EXPECT_TRUE(memory.FileAt(kQuay));
  EXPECT_TRUE(memory.FileAt(kQuayCa)) << "the file names it";
  EXPECT_FALSE(memory.FileAt(R"(C:\certs.d\new.example\hosts.toml)"));
  memory.unsafe_files.clear();
  MustApply(memory, NothingDesired());
  EXPECT_FALSE(memory.FileAt(kQuay)) << "it was ours all the time";
  EXPECT_FALSE(memory.FileAt(kQuayCa));
}

TEST(FileKind, AFileThatNamesACaThatCantBeWrittenIsLeft) {
  MemoryMachine memory;
  PutContainerd(memory);
  const auto before = memory.content();
  memory.unsafe_files.insert(AsciiLower(kQuayCa));
  const Plan plan = MustApply(memory, DesiredFiles());
  EXPECT_THAT(ChangesOf(plan), ElementsAre(R"(create file C:\certs.d\m.example\ca.crt)",
                                           fmt::format("yield file {}", kQuayCa), fmt::format("yield file {}", kQuay)));
  EXPECT_FALSE(memory.FileAt(kQuay));
  memory.unsafe_files.clear();
  MustApply(memory, DesiredFiles());
  EXPECT_TRUE(memory.FileAt(kQuay));
  MustApply(memory, NothingDesired());
  EXPECT_EQ(memory.content().Text(), before.Text());
}

TEST(FileKind, ARecordThatNamesAnotherFileIsRefused) {
  for (const char* path : {R"(C:\windows\x)", R"(c:\certs.d\..\x)", R"(C:\k\x)", R"(C:\certs.d\x)",
                           R"(C:\certs.d\quay.io\x.exe)", R"(C:\quay.io\hosts.toml)", "", "x"}) {
    MemoryMachine memory;
    PutContainerd(memory);
    memory.PutFileOf(path, "x");
    LedgerEntry entry;
    entry.ours = images::RegValue{path, images::RegType::kBinary, "x"};
    for (const std::string& item : {ItemKey(kFileItem, R"(c:\certs.d\x)"), ItemKey(kFileItem, R"(c:\k\x)"),
                                    ItemKey(kFileItem, AsciiLower(path))}) {
      machine::Machine machine = memory.Ports();
      EXPECT_FALSE(MakePlan(machine, NothingDesired(), {{item, entry}}, {})) << path;
      EXPECT_FALSE(FindDrift(machine, {{item, entry}})) << path;
    }
  }
}

TEST(FileKind, ARollbackAndATrialGiveBackWhatWasThere) {
  for (const bool trial : {false, true}) {
    MemoryMachine memory;
    PutContainerd(memory);
    memory.PutFileOf(kQuay, "server = 'https://theirs.example'\n");
    const auto before = memory.content();
    ASSERT_TRUE(ApplyTo(memory, DesiredFiles(), {}, trial));
    ASSERT_NE(memory.content().Text(), before.Text());
    EXPECT_THAT(MustRollBack(memory), IsEmpty());
    EXPECT_EQ(memory.content().Text(), before.Text()) << (trial ? "trial" : "run");
  }
}

TEST(FileKind, ARollbackLeavesWhatOthersChangedSince) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  memory.PutFileOf(kQuay, *memory.FileAt(kQuay) + "# by hand\n");
  EXPECT_THAT(CodesOf(MustRollBack(memory)), ElementsAre("changed-since"));
  EXPECT_THAT(memory.FileAt(kQuay).value_or(""), HasSubstr("by hand"));
  EXPECT_TRUE(memory.FileAt(kQuayCa)) << "containerd refuses a file whose CAs are not there";
  MustApply(memory, NothingDesired());
  EXPECT_TRUE(memory.FileAt(kQuayCa));
}

TEST(FileKind, WhatOthersWroteAsWantedIsNoDrift) {
  MemoryMachine memory;
  PutContainerd(memory);
  const auto before = memory.content();
  MustApply(memory, DesiredFiles());
  const DesiredState other = DesiredFiles(ConfigWith({Source("quay.io", {ForAll("m.example/other")})}));
  for (const FileItem& file : other.files) memory.PutFileOf(file.path, file.bytes);
  EXPECT_THAT(DriftOf(memory), Not(IsEmpty()));
  MustApply(memory, other);
  EXPECT_THAT(DriftOf(memory), IsEmpty());
  EXPECT_FALSE(MustApply(memory, other).HasWork());
  MustApply(memory, NothingDesired());
  EXPECT_EQ(memory.content().Text(), before.Text());
}

// A login in a header, for administrators alone, is not for others after the file was away for a while.
TEST(FileKind, ALoginOfOthersComesBackClosed) {
  constexpr std::string_view kTheirs = "[host.'https://t.example'.header]\nauthorization='Basic c2VjcmV0'\n";
  for (const bool closed : {false, true}) {
    MemoryMachine memory;
    PutContainerd(memory);
    memory.PutFileOf(kQuay, kTheirs);
    if (closed) memory.CloseFileOf(kQuay);
    const auto before = memory.content();
    MustApply(memory, DesiredFiles());
    machine::Machine machine = memory.Ports();
    ASSERT_TRUE(machine.files.RemoveFile(kQuay));
    MustApply(memory, DesiredFiles());
    MemoryMachine rolled_back = memory;
    MustApply(memory, NothingDesired());
    EXPECT_EQ(memory.content().Text(), before.Text()) << "closed: " << closed;
    MustRollBack(rolled_back);
    MustApply(rolled_back, NothingDesired());
    EXPECT_EQ(rolled_back.FileAt(kQuay), std::nullopt) << "as it was before that run, which is not ours to mend";
  }
  MemoryMachine memory;
  PutContainerd(memory);
  memory.PutFileOf(kQuay, kTheirs);
  memory.CloseFileOf(kQuay);
  const auto before = memory.content();
  MustApply(memory, DesiredFiles());
  memory.PutFileOf(kQuay, memory.FileAt(kQuay).value());  // another program makes it anew, for everybody to read
  MustRollBack(memory);
  EXPECT_EQ(memory.content().Text(), before.Text());
}

TEST(FileKind, WhatNoLongerCountsOfAReplacedFileIsSaid) {
  MemoryMachine memory;
  PutContainerd(memory);
  memory.PutFileOf(kQuay,
                   "[host.'https://u:secret@theirs.example']\nclient='c4nary.pem'\nca='theirs.crt'\n"
                   "[host.'https://u:secret@theirs.example'.header]\nauthorization='Basic c2VjcmV0'\n");
  memory.PutFileOf(kQuayCa, "x");
  const Plan plan = MustApply(memory, DesiredFiles());
  ASSERT_THAT(CodesOf(plan.findings), ElementsAre("registry-file-replaced", "registry-file-replaced"));
  EXPECT_EQ(plan.findings.front().where, kQuayCa);
  const std::string& text = plan.findings.back().message;
  EXPECT_THAT(text, AllOf(HasSubstr("is another program's"), HasSubstr("host https://theirs.example"),
                          HasSubstr("authorization of https://theirs.example"), HasSubstr("client certificate of"),
                          HasSubstr("CA theirs.crt of")));
  EXPECT_THAT(text, Not(AnyOf(HasSubstr("secret"), HasSubstr("c2VjcmV0"), HasSubstr("c4nary"))));
  EXPECT_THAT(MustApply(memory, DesiredFiles()).findings, IsEmpty()) << "said once";
  memory.PutFileOf(kQuay, *memory.FileAt(kQuay) + "# by hand\n");
  EXPECT_THAT(MustApply(memory, DesiredFiles()).findings, IsEmpty()) << "a note is no loss";
  memory.PutFileOf(kQuay, *memory.FileAt(kQuay) + "[host.'https://new.example']\n");
  const Plan repair = MustApply(memory, DesiredFiles());
  ASSERT_THAT(CodesOf(repair.findings), ElementsAre("registry-file-replaced"));
  EXPECT_THAT(repair.findings.front().message,
              AllOf(HasSubstr("changed by hand"), HasSubstr("host https://new.example")));
}

TEST(FileKind, AnOperationIsReadBackAndOnePlaceOfAnotherIsRefused) {
  const FileWrite write{
      std::string(kQuay), std::nullopt, "a\0\xFF", {std::string(kFolder)}, R"(file:c:\certs.d\quay.io\hosts.toml)"};
  JsonWriter json;
  WriteOperation(json, write);
  const auto read = Must(ReadOperation(*ParseJsonDocument(json.Text(), "journal")));
  EXPECT_EQ(std::get<FileWrite>(read), write);
  EXPECT_EQ(Inverse(Inverse(write)), Operation(write));
  for (const auto& [item, path] : {std::pair(R"(file:c:\certs.d\x)", kQuay),
                                   {"env:HTTP_PROXY", kQuay},
                                   {R"(file:c:\k\x\hosts.toml)", R"(C:\k\x\hosts.toml)"},
                                   {R"(file:c:\a\..\x\y\hosts.toml)", R"(C:\a\..\x\y\hosts.toml)"},
                                   {R"(file:c:\x\hosts.toml)", R"(C:\x\hosts.toml)"},
                                   {R"(file:c:\windows\system32\x.exe)", R"(C:\Windows\System32\x.exe)"},
                                   {R"(file:c:\a\b\hosts.toml)", R"(C:\a/b\hosts.toml)"}}) {
    FileWrite other = write;
    other.item = item;
    other.path = path;
    other.own_folders.clear();
    JsonWriter text;
    WriteOperation(text, other);
    EXPECT_FALSE(ReadOperation(*ParseJsonDocument(text.Text(), "journal"))) << item;
  }
  for (const char* folder : {R"(C:\other)", R"(C:\certs.d\quay.io\hosts.toml)", R"(C:\certs)", "C:/certs.d", ""}) {
    FileWrite other = write;
    other.own_folders = {folder};
    JsonWriter text;
    WriteOperation(text, other);
    EXPECT_FALSE(ReadOperation(*ParseJsonDocument(text.Text(), "journal"))) << folder;
  }
}

}  // namespace
}  // namespace prov::reconcile
