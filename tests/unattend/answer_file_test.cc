#include "provisioner/unattend/answer_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "provisioner/base/file.h"
#include "provisioner/unattend/xml_reader.h"
#include "tests/support/amount.h"
#include "tests/support/paths.h"
#include "tests/support/replaced.h"
#include "tests/support/result.h"
#include "tests/unattend/answer_files.h"

namespace prov::unattend {
namespace {

using answer_files::Component;
using answer_files::kCommandLine;
using answer_files::kWhere;
using answer_files::OurCommand;
using answer_files::Specialize;
using answer_files::Unattend;
using testing::HasSubstr;
using testing::Not;
using testing_support::Replaced;

AnswerFileEdit Add(std::string_view file, const AnswerFileCommand& command = OurCommand()) {
  return Must(AddCommand(file, command, kWhere));
}

AnswerFileEdit Remove(std::string_view file, std::string_view record) {
  return Must(RemoveCommand(file, OurCommand(), record, kWhere));
}

// --- Golden files, in every encoding and with both line ends.

struct Golden {
  std::string name;
  std::string before;
  std::string after;
};

std::string ReadText(const std::filesystem::path& path) { return ReadFile(path.string(), 1U << 20U).value(); }

std::vector<Golden> GoldenFiles() {
  constexpr std::string_view kBefore = ".before.xml";
  const std::filesystem::path folder = std::filesystem::path(testing_support::TestsFolder()) / "golden" / "unattend";
  std::vector<Golden> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(kBefore)) continue;
    name.resize(name.size() - kBefore.size());
    out.push_back({name, ReadText(entry.path()), ReadText(folder / (name + ".after.xml"))});
  }
  return out;
}

std::string Encoded(std::string text, XmlEncoding encoding, bool crlf) {
  if (crlf) text = Replaced(text, "\n", "\r\n");
  if (encoding == XmlEncoding::kUtf16Le) text = Replaced(Replaced(text, "utf-8", "utf-16"), "UTF-8", "UTF-16");
  return EncodeXml({encoding, text});
}

TEST(AnswerFile, GoldenFilesInEveryEncodingWithBothLineEnds) {
  const std::vector<Golden> all = GoldenFiles();
  ASSERT_EQ(all.size(), 13U);
  for (const Golden& golden : all) {
    for (const XmlEncoding encoding : {XmlEncoding::kUtf8, XmlEncoding::kUtf8Bom, XmlEncoding::kUtf16Le}) {
      for (const bool crlf : {false, true}) {
        SCOPED_TRACE(fmt::format("{}, encoding {}, CRLF {}", golden.name, static_cast<int>(encoding), crlf));
        const std::string before = Encoded(golden.before, encoding, crlf);
        const AnswerFileEdit added = Add(before);
        EXPECT_EQ(added.bytes, Encoded(golden.after, encoding, crlf));
        EXPECT_TRUE(added.changed);
        const AnswerFileEdit again = Add(added.bytes);
        EXPECT_EQ(again.bytes, added.bytes);
        EXPECT_FALSE(again.changed);
        EXPECT_EQ(again.record, "");
        const AnswerFileEdit removed = Remove(added.bytes, added.record);
        EXPECT_EQ(removed.bytes, before);
        EXPECT_TRUE(removed.changed);
        EXPECT_FALSE(Remove(before, added.record).changed) << "removing twice";
      }
    }
  }
}

// --- What counts as ours.

TEST(AnswerFile, ACommandOfTheUserWithOurCommandLineIsKnownAndStays) {
  const std::string path(kCommandLine);
  for (const std::string& written :
       {"<Order>9</Order><Path>" + path + "</Path>", "<Path>\r\n  " + Replaced(path, " ", "\n\t ") + " </Path>",
        "<Path><![CDATA[" + path + "]]></Path>", "<Path>" + Replaced(path, "%", "&#37;") + "</Path>",
        "<Path>" + path.substr(0, 20) + "<!-- cut -->" + path.substr(20) + "</Path>"}) {
    SCOPED_TRACE(written);
    const std::string file = Unattend(Specialize("<RunSynchronousCommand>" + written + "</RunSynchronousCommand>"));
    const AnswerFileEdit added = Add(file);
    EXPECT_EQ(added.bytes, file);
    EXPECT_FALSE(added.changed);
    EXPECT_FALSE(Remove(added.bytes, added.record).changed) << "nothing was added, so nothing goes";
  }
}

TEST(AnswerFile, ACommandOfOursElsewhereIsNotTheOne) {
  const std::string item = fmt::format("<RunSynchronousCommand><Path>{}</Path></RunSynchronousCommand>", kCommandLine);
  for (const std::string& file :
       {Unattend(Replaced(Specialize(item), "pass=\"specialize\"", "pass=\"auditUser\"")),
        Unattend(Replaced(Specialize(item), "Microsoft-Windows-Deployment", "Microsoft-Windows-Setup")),
        Unattend(Replaced(Specialize(item), "amd64", "wow64")), Unattend("<!--" + Specialize(item) + "-->"),
        Unattend(Replaced(Specialize(item), "Path>", "Description>")),
        Unattend(Specialize("<x xmlns=\"urn:x\">" + item + "</x>"))}) {
    SCOPED_TRACE(file);
    const AnswerFileEdit added = Add(file);
    EXPECT_TRUE(added.changed);
    EXPECT_EQ(Remove(added.bytes, added.record).bytes, file);
  }
}

TEST(AnswerFile, TheCommandIsEscaped) {
  AnswerFileCommand command = OurCommand();
  command.command_line = "cmd.exe /c \"a && b > c < d\" ]]>";
  command.description = "<&>";
  const AnswerFileEdit added = Add(Unattend(""), command);
  EXPECT_THAT(added.bytes, HasSubstr("<Path>cmd.exe /c \"a &amp;&amp; b &gt; c &lt; d\" ]]&gt;</Path>"));
  EXPECT_THAT(added.bytes, HasSubstr("<Description>&lt;&amp;&gt;</Description>"));
  EXPECT_FALSE(Add(added.bytes, command).changed);
  command.description.clear();
  EXPECT_THAT(Add(Unattend(""), command).bytes, Not(HasSubstr("Description"))) << "no element may be empty";
}

TEST(AnswerFile, TheArchitectureIsThatOfTheFile) {
  const auto architecture = [](const std::string& contents) {
    const AnswerFileEdit edit = Add(Unattend(contents));
    EXPECT_EQ(Remove(edit.bytes, edit.record).bytes, Unattend(contents));
    for (const std::string& one : edit.architectures) {
      EXPECT_THAT(edit.bytes, HasSubstr("Windows-Deployment\" processorArchitecture=\"" + one + "\""));
    }
    return fmt::format("{}", fmt::join(edit.architectures, " "));
  };
  const auto shell = [](std::string_view architecture) {
    return "<settings pass=\"oobeSystem\">" + Component("Microsoft-Windows-Shell-Setup", architecture, "") +
           "</settings>";
  };
  EXPECT_EQ(architecture(""), "amd64");
  EXPECT_EQ(architecture(shell("amd64")), "amd64");
  EXPECT_EQ(architecture(shell("x86")), "x86");
  EXPECT_EQ(architecture(shell("ARM64") + shell("wow64")), "arm64");
  EXPECT_EQ(architecture(shell("wow64")), "amd64");
  EXPECT_EQ(architecture(shell("x86") + shell("amd64")), "amd64 x86") << "setup reads those of the machine only";
  EXPECT_EQ(architecture(shell("x86") + shell("ARM64") + shell("x86")), "arm64 x86");
  EXPECT_EQ(architecture(shell("\">")), "amd64");
}

TEST(AnswerFile, OrdersUpTo500) {
  const auto with_order = [](std::string_view order) {
    return Unattend(Specialize(fmt::format("<RunSynchronousCommand><Order>{}</Order></RunSynchronousCommand>", order)));
  };
  EXPECT_THAT(Add(with_order("0499")).bytes, HasSubstr("<Order>500</Order>"));
  EXPECT_THAT(Add(with_order("-7")).bytes, HasSubstr("<Order>1</Order>"));
  for (const char* order : {"500", "501", "4294967295", "99999999999999999999999"}) {
    const auto edit = AddCommand(with_order(order), OurCommand(), kWhere);
    ASSERT_FALSE(edit) << order;
    EXPECT_EQ(edit.error().code, Code::kXml);
    EXPECT_THAT(edit.error().message, HasSubstr("up to 500"));
    EXPECT_THAT(edit.error().where, testing::StartsWith("unattend.xml: line 1, column "));
  }
}

// --- Edits between adding and removing: what is left is the same edit of the file as it was.

struct UserEdit {
  const char* name;
  std::function<std::string(const std::string&)> edit;
};

TEST(AnswerFile, RemovalAfterEditsElsewhere) {
  const std::vector<UserEdit> edits = {
      {"a value", [](const std::string& s) { return Replaced(s, "UTC", "W. Europe Standard Time"); }},
      {"a comment behind", [](const std::string& s) { return s + "<!-- mine -->"; }},
      {"a pass behind",
       [](const std::string& s) { return Replaced(s, "</unattend>", "<settings pass=\"generalize\"/></unattend>"); }},
      {"other line ends", [](const std::string& s) { return Replaced(s, "\n", "\r\n"); }},
  };
  for (const Golden& golden : GoldenFiles()) {
    for (const UserEdit& edit : edits) {
      SCOPED_TRACE(golden.name + ": " + edit.name);
      const AnswerFileEdit added = Add(golden.before);
      const AnswerFileEdit removed = Remove(edit.edit(added.bytes), added.record);
      EXPECT_TRUE(removed.changed);
      EXPECT_THAT(removed.bytes, Not(HasSubstr("Provisioner")));
      // There, that edit of the original is another one.
      if (golden.name == "nothing" && std::string_view(edit.name) == "a pass behind") continue;
      EXPECT_EQ(removed.bytes, edit.edit(golden.before));
    }
  }
}

TEST(AnswerFile, WhatTheUserPutIntoOurContainersStays) {
  const std::string before = "<unattend xmlns=\"urn:schemas-microsoft-com:unattend\">\n</unattend>\n";
  const AnswerFileEdit added = Add(before);
  const std::string theirs = "<RunSynchronousCommand><Order>2</Order><Path>a.exe</Path></RunSynchronousCommand>";
  struct Row {
    const char* name;
    std::string at;    // where it is put
    std::string text;  // what is put there
    std::string left;  // what removal must leave
    std::string gone;
  };
  const std::vector<Row> rows = {
      {"a command behind ours", "\n      </RunSynchronous>", "\n        " + theirs,
       "<RunSynchronous>\n        " + theirs + "\n      </RunSynchronous>", "SetupComplete"},
      {"a command before ours", "\n        <RunSynchronousCommand ", "\n        " + theirs,
       "<RunSynchronous>\n        " + theirs + "\n      </RunSynchronous>", "SetupComplete"},
      {"a list", "\n    </component>", "\n      <RunAsynchronous/>", ">\n      <RunAsynchronous/>\n    </component>",
       "RunSynchronous"},
      {"a comment in the component", "\n    </component>", "\n      <!-- mine -->",
       ">\n      <!-- mine -->\n    </component>", "RunSynchronous"},
      {"a component", "\n  </settings>", "\n    <component/>",
       "\n  <settings pass=\"specialize\">\n    <component/>\n  </settings>", "Deployment"},
      {"a pass", "\n</unattend>", "\n  <settings pass=\"generalize\"/>",
       ">\n  <settings pass=\"generalize\"/>\n</unattend>\n", "specialize"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const std::size_t at = added.bytes.find(row.at);
    ASSERT_NE(at, std::string::npos) << added.bytes;
    const AnswerFileEdit removed = Remove(std::string(added.bytes).insert(at, row.text), added.record);
    EXPECT_THAT(removed.bytes, HasSubstr(row.left));
    EXPECT_THAT(removed.bytes, Not(HasSubstr(row.gone)));
    EXPECT_TRUE(AddCommand(removed.bytes, OurCommand(), kWhere)) << "still an answer file";
  }
}

TEST(AnswerFile, ALineEndOfTheUsersBehindOursStays) {
  const std::string before = Unattend("\n  <settings pass=\"specialize\"/>\n");
  const AnswerFileEdit added = Add(before);
  const std::string edited = Replaced(added.bytes, "</component>", "</component>\n    <component/>");
  EXPECT_EQ(Remove(edited, added.record).bytes,
            Unattend("\n  <settings pass=\"specialize\">\n    <component/>\n  </settings>\n"));
}

TEST(AnswerFile, WhatTheUserTookOutIsNotMissed) {
  const AnswerFileEdit added = Add(Unattend(""));
  const std::string file = Unattend(Specialize(""));
  const AnswerFileEdit removed = Remove(file, added.record);
  EXPECT_EQ(removed.bytes, file);
  EXPECT_FALSE(removed.changed);
}

TEST(AnswerFile, ARenumberedAndReindentedCommandIsTakenOut) {
  const AnswerFileEdit added = Add(Unattend(Specialize("\n")));
  std::string edited = Replaced(added.bytes, "<Order>1<", "<Order>44<");
  edited = Replaced(edited, "<RunSynchronousCommand ", "\n\n\t<RunSynchronousCommand ");
  EXPECT_THAT(Remove(edited, added.record).bytes, Not(HasSubstr("RunSynchronousCommand")));
}

TEST(AnswerFile, ADamagedRecordIsRefused) {
  const AnswerFileEdit added = Add(Unattend(""));
  for (const std::string record :
       {"2 item amd64 open bare", "1 item amd64 open", "1  amd64 open bare", "1 root amd64 open bare",
        "1 item amd64 maybe bare", "1 item amd64 open stuffed", "1 item amd64 open bare x", "\n"}) {
    const auto edit = RemoveCommand(added.bytes, OurCommand(), record, kWhere);
    ASSERT_FALSE(edit) << record;
    EXPECT_EQ(edit.error().code, Code::kManifest);
    EXPECT_THAT(edit.error().message, HasSubstr("by hand"));
  }
}

TEST(AnswerFile, APassThatWasProcessedTakesNoCommand) {
  const auto marked = [](std::string_view mark) {
    return fmt::format("<unattend xmlns=\"{}\">\n  <settings pass=\"specialize\"{}/>\n</unattend>\n",
                       "urn:schemas-microsoft-com:unattend", mark);
  };
  const std::string processed = marked(" wasPassProcessed=\"true\""), open = marked(" wasPassProcessed=\"false\"");
  EXPECT_TRUE(WasPassProcessed(processed, kWhere).value());
  EXPECT_FALSE(WasPassProcessed(open, kWhere).value());
  EXPECT_FALSE(WasPassProcessed("<unattend xmlns=\"urn:schemas-microsoft-com:unattend\"/>", kWhere).value());
  const Error refused = ErrorIn(AddCommand(processed, OurCommand(), kWhere));
  EXPECT_EQ(refused.code, Code::kXml);
  EXPECT_EQ(refused.where, "unattend.xml: line 2, column 3");
  EXPECT_THAT(refused.message, HasSubstr("wasPassProcessed"));
  EXPECT_TRUE(Add(open).changed);
  // Another pass's mark is none of ours.
  EXPECT_TRUE(Add(Replaced(processed, "specialize", "generalize")).changed);
  // What was added before setup ran is known, and goes again.
  const AnswerFileEdit added = Add(open);
  const std::string ran = Replaced(added.bytes, "\"false\"", "\"true\"");
  EXPECT_FALSE(Add(ran).changed);
  EXPECT_EQ(Remove(ran, added.record).bytes, processed);
}

// --- Hostile sizes: each of these would take minutes if anything in it took quadratic time.

std::string Repeated(std::string_view piece, std::size_t bytes) {
  std::string out;
  while (out.size() + piece.size() <= bytes) out += piece;
  return out;
}

TEST(AnswerFile, LargeFilesTakeLinearTime) {
  const std::size_t size = testing_support::RunsSome() ? 64U << 10U : 4U << 20U;
  const std::string long_blank = Repeated("\n ", size / 2);
  const std::string declarations = Repeated("<a xmlns:p=\"" + std::string(100'000, 'u') + "\"/>", size);
  for (const std::string& contents :
       {Repeated("<settings pass=\"specialize\"/>", size), Repeated("<a/>", size), Repeated("<a b='' c=''/>\n", size),
        "<settings pass=\"specialize\">" + long_blank + Repeated("\n<b/>", size / 2) + "</settings>", declarations,
        Specialize(Repeated("<RunSynchronousCommand><Order>1</Order></RunSynchronousCommand>", size)),
        Specialize("<RunSynchronousCommand><Path>" + Repeated(" &#32;", size) + "</Path></RunSynchronousCommand>")}) {
    const std::string file = Unattend(contents);
    const AnswerFileEdit added = Add(file);
    EXPECT_TRUE(added.changed) << contents.substr(0, 60);
    EXPECT_TRUE(Remove(added.bytes, added.record).bytes == file) << contents.substr(0, 60);
  }
  EXPECT_EQ(ErrorIn(AddCommand(Unattend(Repeated(" ", 16U << 20U)), OurCommand(), kWhere)).code, Code::kTooLarge);
}

}  // namespace
}  // namespace prov::unattend
