// The manual page of tables made for the test. tests/e2e/completion_e2e.py reads the program's own.
#include "provisioner/cli/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace prov::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kProse =
    ".\\\" a remark\r\n.TH P 1 \"\" \"p @VERSION@\"\r\n.\\\" @COMMANDS@\r\n.SH FILES\r\n";

CommandSpec Named(std::string_view name, std::vector<OptionSpec> options) {
  return {name, "Do it.", "FILE", "First line\nsecond line.\n\n  a  table\n.hidden", "  $ p x 'y'", std::move(options)};
}

const OptionSpec kOwn{"own", "N", "how many (a-b)", Group::kRun};
const OptionSpec kHelp{"help", "", "show this text", Group::kOutput};

TEST(RoffText, TakesNoLetterForRoffsOwn) {
  EXPECT_EQ(RoffText("a-b\\c'd`e^f~g\"h"), "a\\-b\\ec\\(aqd\\(gae\\(haf\\(tig\"h");
}

TEST(ManPage, PutsTheCommandsInThePlaceOfTheMark) {
  const std::vector<CommandSpec> commands = {Named("one", {kOwn, kHelp})};
  EXPECT_EQ(ManPage(kProse, commands, "1.2.3"),
            ".TH P 1 \"\" \"p 1.2.3\"\n"
            ".SH COMMANDS\n"
            ".SS one\n\\fBprovisioner one\\fR \\fIFILE\\fR [\\fIOPTION\\fR]...\n"
            ".PP\nDo it.\n"
            ".PP\nFirst line\nsecond line.\n.PP\n.nf\n  a  table\n.fi\n\\&.hidden\n"
            ".TP\n\\fB\\-\\-own\\fR \\fIN\\fR\nhow many (a\\-b)\n"
            ".TP\n\\fB\\-\\-help\\fR\nshow this text\n"
            ".PP\nExample:\n.nf\n  $ p x \\(aqy\\(aq\n.fi\n"
            ".SH OPTIONS OF SEVERAL COMMANDS\n"
            ".SH FILES\n");
}

TEST(ManPage, DescribesAnOptionOfManyCommandsOnce) {
  const OptionSpec shared{"pool", "NAME", "which pool", Group::kSource};
  const OptionSpec other{"pool", "NAME", "another pool", Group::kSource};
  const std::vector<CommandSpec> commands = {Named("one", {shared, kHelp}), Named("two", {shared, kHelp}),
                                             Named("three", {shared, kHelp}), Named("four", {other, kHelp})};
  const std::string page = ManPage(kProse, commands, "1.2.3");
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-\\-pool\\fR \\fINAME\\fR\nwhich pool\n.br\nWith: one, two, three\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-\\-help\\fR\nshow this text\n.br\nWith: every command\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-\\-pool\\fR \\fINAME\\fR\nanother pool\n.PP\n"))
      << "the same name, other words";
  EXPECT_THAT(page, HasSubstr("under OPTIONS OF SEVERAL COMMANDS:\n\\fB\\-\\-pool\\fR,\n\\fB\\-\\-help\\fR.\n"));
  EXPECT_EQ(page.find("which pool"), page.rfind("which pool"));
}

TEST(ManPage, SaysWhereASecretMayStand) {
  OptionSpec secret{"source-proxy", "URL", "a proxy", Group::kSource};
  secret.secret = true;
  EXPECT_THAT(ManPage(kProse, std::vector<CommandSpec>{Named("one", {secret})}, "1"), HasSubstr("env:NAME"));
  EXPECT_THAT(ManPage(kProse, std::vector<CommandSpec>{Named("one", {kHelp})}, "1"), Not(HasSubstr("env:NAME")));
}

}  // namespace
}  // namespace prov::cli
