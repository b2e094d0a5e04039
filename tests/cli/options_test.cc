// The command line: what --help shows of an option table.
#include "provisioner/cli/options.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/main.h"
#include "provisioner/machine/host.h"
#include "tests/support/result.h"

namespace prov::cli {
namespace {

using testing::HasSubstr;

// The headings of --help, each with the names of the options beneath it.
std::string Groups(const CommandSpec& spec) {
  std::string out;
  const std::string help = HelpText(spec, true);
  for (const std::string_view line : Split(help, '\n')) {
    if (!line.starts_with(' ') && line.ends_with(':') && line != "Example:") {
      out += fmt::format("{}{}", out.empty() ? "" : "\n", line);
    } else if (line.starts_with("  --")) {
      out += fmt::format(" {}", line.substr(4, line.find(' ', 4) - 4));
    }
  }
  return out;
}

TEST(Help, HasEachOptionOnceUnderAHeading) {
  for (const CommandSpec& spec : CommandSpecs()) {
    std::string groups = Groups(spec);
    EXPECT_FALSE(groups.starts_with(' ')) << spec.name << ": an option stands before the first heading";
    std::ranges::replace(groups, '\n', ' ');
    const std::vector<std::string_view> words = Split(groups, ' ');
    for (const OptionSpec& option : spec.options)
      EXPECT_EQ(std::ranges::count(words, option.name), 1) << spec.name << " --" << option.name;
  }
}

TEST(ParseArguments, AnOptionIsNoValueOfTheOneBeforeIt) {
  const CommandSpec spec = ExtractCommand().spec;
  const auto parse = [&](std::vector<std::string> words) { return ParseArguments(spec, words); };
  const Error refused = ErrorIn(parse({"a.json", "--pool", "--output", "json"}));
  EXPECT_EQ(refused.code, Code::kUsage);
  EXPECT_THAT(refused.message, HasSubstr("the value of --pool is missing: --output behind it is an option"));
  const auto taken = parse({"a.json", "--pool=--output", "--output", "json"});
  ASSERT_TRUE(taken) << "somebody who means it can say so";
  EXPECT_EQ(taken->Get("pool"), "--output");
}

TEST(Help, SetsNamesAndTextsInColumns) {
  constexpr std::string_view kColumns =
      "\n"
      "Target:\n"
      "  --root DIR           act on a mounted or extracted image instead of this machine: the folder that\n"
      "                       contains Windows\n"
      "  --wim FILE:INDEX     act on images of a WIM file (Linux), e.g. install.wim:2 or install.wim:1,2\n"
      "\n"
      "Run:\n"
      "  --wait-lock SECONDS  how long to wait for another run to end, instead of exit code 15 at once\n"
      "                       (default: 0; first-boot: 60)\n"
      "\n"
      "Output:\n"
      "  --output text|json   how results and errors are printed (default: text)\n"
      "  --verbose            print each finding; otherwise text has one line for all known limits\n"
      "  --help               show this text; --help all shows every option\n";
  EXPECT_THAT(HelpText(RollbackCommand().spec, false), HasSubstr(std::string(kColumns)));
}

TEST(Help, HasTheCommonOptionsOfALongCommandFirst) {
  constexpr std::size_t kMostLines = 70;
  for (const CommandSpec& spec : CommandSpecs()) {
    if (spec.common.empty()) continue;
    const std::string help = HelpText(spec, false);
    EXPECT_THAT(help, HasSubstr(fmt::format("more options: provisioner {} --help all\n", spec.name)));
    EXPECT_LT(std::ranges::count(help, '\n'), kMostLines) << spec.name;
    for (const std::string_view name : Split(spec.common, ' ')) {
      EXPECT_EQ(std::ranges::count(spec.options, name, &OptionSpec::name), 1) << spec.name << " --" << name;
      EXPECT_THAT(help, HasSubstr(fmt::format("\n  --{} ", name)));
    }
  }
}

TEST(ParseArguments, NamesWhatWasMeant) {
  struct Slip {
    Command (*command)();
    std::vector<std::string> words;
    std::string_view meant;
  };
  const std::vector<Slip> slips = {
      {ExplainCommand, {"a.json", "https://quay.io/"}, "did you mean --url https://quay.io/?"},
      {ApplyCommand, {"a.json", "--image", "x"}, "--root DIR or --wim FILE:INDEX"},
      {BakeCommand, {"a.json", "--output", "payload"}, "did you mean --out?"},
      {ExplainCommand, {"https://quay.io/", "a.json"}, "did you mean --url https://quay.io/?"},
      {BakeCommand, {"a.json", "payload"}, "did you mean --out payload?"},
      {BakeCommand, {"a.json", "-o", "payload"}, "did you mean --out?"},
      {CheckCommand, {"a.json", "-o", "json"}, "did you mean --output?"},
      {CheckCommand, {"-f", "a.json"}, "SOURCE needs no option"},
      {ApplyCommand, {"a.json", "--dry-run"}, "provisioner plan shows what would change"},
      {DoctorCommand, {"a.json"}, "doctor reads the machine, or the image of --root DIR, and takes no SOURCE"},
      {RemoveCommand, {"--al"}, "did you mean --all?"},
      {FleetCommand, {"status"}, "kube://[CONTEXT] is missing; kube:// alone takes the current context"},
  };
  for (const Slip& slip : slips) {
    const auto arguments = ParseArguments(slip.command().spec, slip.words);
    const auto json = arguments ? WantsJson(*arguments) : Result<bool>(std::unexpected(arguments.error()));
    ASSERT_FALSE(json) << slip.meant;
    EXPECT_EQ(json.error().code, Code::kUsage);
    EXPECT_THAT(json.error().message, HasSubstr(std::string(slip.meant)));
  }
}

TEST(ParseArguments, TakesAWordOfHelpBehindAnEqualsSign) {
  const auto arguments = Must(ParseArguments(CheckCommand().spec, std::vector<std::string>{"--help=all"}));
  EXPECT_TRUE(arguments.Has("help"));
  EXPECT_EQ(arguments.words(), std::vector<std::string>{"all"});
}

TEST(Options, AnEmptyNumberIsRefused) {
  for (const char* word : {"--wait-lock=", "--source-timeout="}) {
    for (const auto make : {ApplyCommand, FirstBootCommand}) {
      const std::vector<std::string> words = {"worker.json", word};
      const auto arguments = ParseArguments(make().spec, words);
      ASSERT_FALSE(arguments) << word;
      EXPECT_EQ(arguments.error().code, Code::kUsage) << word;
      EXPECT_THAT(arguments.error().message, HasSubstr(std::string(word).substr(0, std::string(word).size() - 1)));
    }
  }
}

// Options are parsed as a whole, before anything is read or written.
TEST(Options, AWrongValueIsFoundBeforeTheSourceIsRead) {
  struct Case {
    Command (*make)();
    std::vector<std::string> words;
    std::string where;
  };
  const std::vector<Case> cases = {
      {ExtractCommand, {"--source-timeout", "0"}, "--source-timeout"},
      {CheckCommand, {"--probe-timeout", "0"}, "--probe-timeout"},
      {ExplainCommand, {"--url", "http://a/", "--source-timeout", "0"}, "--source-timeout"},
      {BakeCommand, {"--out", "x", "--scope", "everything"}, "--scope"},
      {PlanCommand, {"--credentials", "everywhere"}, "--credentials"},
      {ApplyCommand, {"--try", "0"}, "--try"},
      {ApplyCommand, {"--wait-lock=-1"}, "--wait-lock"},
      {ApplyCommand, {"--wait-lock", "soon"}, "--wait-lock"},
      {ApplyCommand, {"--wait-lock", "86401"}, "--wait-lock"},
      {ApplyCommand, {"--source-timeout", "3601"}, "--source-timeout"},
      {ApplyCommand, {"--source-timeout=-1"}, "--source-timeout"},
      {ApplyCommand, {"--source-timeout", "x"}, "--source-timeout"},
  };
  for (const Case& c : cases) {
    const Command command = c.make();
    std::vector<std::string> words = {"no-such-source"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    const auto arguments = ParseArguments(command.spec, words);
    ASSERT_TRUE(arguments) << command.spec.name;
    const auto run = command.run(*arguments, machine::LiveHost());
    ASSERT_FALSE(run) << command.spec.name;
    EXPECT_EQ(run.error().code, Code::kUsage) << command.spec.name << ": " << run.error().message;
    EXPECT_EQ(run.error().where, c.where) << command.spec.name;
  }
}

// Standard input stands for a file where an option takes one, and for the source anywhere else.
TEST(Options, ALoneDashIsTheValueOfTheOptionBeforeIt) {
  const CommandSpec spec = HnsProxyCommand().spec;
  const auto parse = [&spec](const std::vector<std::string>& words) { return ParseArguments(spec, words).value(); };
  const Arguments value = parse({"lookup", "--crictl", "-", "ccaae3"});
  EXPECT_EQ(value.Get("crictl"), "-");
  EXPECT_EQ(value.words(), (std::vector<std::string>{"lookup", "ccaae3"}));
  const Arguments source = parse({"add", "--dry-run", "-"});
  EXPECT_TRUE(source.Has("dry-run"));
  EXPECT_EQ(source.words(), (std::vector<std::string>{"add", "-"}));
  EXPECT_EQ(parse({"check", "-"}).words(), (std::vector<std::string>{"check", "-"}));
  EXPECT_EQ(parse({"check", "--policy=-"}).Get("policy"), "-");
}

TEST(Options, AServiceIsNamedOnce) {
  const std::pair<const char*, const char*> refused[] = {
      {"", "is empty"},
      {" ", "is empty"},
      {" kubelet", "write --service \"kubelet\""},
      {"containerd kubelet", "repeat the option: --service containerd --service kubelet"},
      {"docker,kubelet  CSI-proxy", "repeat the option: --service kubelet --service CSI-proxy"}};
  const auto parse = [](const char* name) {
    return ParseChoices(*ParseArguments(ApplyCommand().spec, std::vector<std::string>{"a.json", "--service", name}));
  };
  for (const auto& [name, message] : refused) {
    const auto choices = parse(name);
    ASSERT_FALSE(choices) << name;
    EXPECT_THAT(choices.error().message, HasSubstr(message));
  }
  for (const char* name : {"two  blanks", "my kubelet", "υπηρεσία α", "containerd, kubelet"}) {
    EXPECT_TRUE(parse(name)) << name;
  }
}

}  // namespace
}  // namespace prov::cli
