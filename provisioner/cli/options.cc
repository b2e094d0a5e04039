#include "provisioner/cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <limits>
#include <utility>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/suggestion.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/completion.h"
#include "provisioner/cli/secret_argument.h"

namespace prov::cli {
namespace {

namespace po = boost::program_options;

constexpr std::size_t kHelpWidth = 100;

struct Heading {
  Group group;
  std::string_view text;
};
constexpr std::array kHeadings = {
    Heading{Group::kSource, "Source"},
    Heading{Group::kTarget, "Target"},
    Heading{Group::kPayload, "Payload"},
    Heading{Group::kUserData, "User data"},
    Heading{Group::kRequests, "Requests"},
    Heading{Group::kScope, "Scope"},
    Heading{Group::kCredentials, "Credentials"},
    Heading{Group::kTrust, "Trust"},
    Heading{Group::kChecks, "Checks"},
    Heading{Group::kGuards, "Guards"},
    Heading{Group::kRun, "Run"},
    Heading{Group::kOutput, "Output"},
};

po::options_description DescribeForBoost(const CommandSpec& command) {
  po::options_description out;
  for (const OptionSpec& option : command.options) {
    if (option.value.empty()) {
      const bool help = option.name == "help";
      out.add_options()(help ? "help,h" : std::string(option.name).c_str(), "");
    } else {
      auto* value = po::value<std::vector<std::string>>()->composing();
      if (option.value.ends_with("...")) value->multitoken();
      out.add_options()(std::string(option.name).c_str(), value, "");
    }
  }
  out.add_options()("positional", po::value<std::vector<std::string>>());
  return out;
}

std::string Hint(const CommandSpec& command) {
  return fmt::format("provisioner {} --help lists the options", command.name);
}

// The option that `word` names, with its dashes; nullptr if there is none.
const OptionSpec* FindOption(const CommandSpec& command, std::string_view word) {
  if (!word.starts_with("--")) return nullptr;
  const auto found = std::ranges::find(command.options, word.substr(2), &OptionSpec::name);
  return found == command.options.end() ? nullptr : &*found;
}

// Joins "-" (standard input) to the option before it that takes a value: --crictl - becomes --crictl=-. Any other lone
// "-" is an argument.
void JoinStandardInput(const CommandSpec& command, std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const OptionSpec* const before = FindOption(command, words[i - 1]);
    if (words[i] != "-" || before == nullptr || before->value.empty() || before->value.ends_with("...")) continue;
    words[i - 1] += "=-";
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

po::variables_map Parse(const CommandSpec& command, const std::vector<std::string>& words) {
  const po::options_description options = DescribeForBoost(command);
  po::positional_options_description positional;
  positional.add("positional", -1);
  namespace style = po::command_line_style;
  // No abbreviations: --show would silently mean --show-secrets.
  const int unix_style = style::unix_style & ~style::allow_guessing;
  po::variables_map values;
  po::store(po::command_line_parser(words).options(options).positional(positional).style(unix_style).run(), values);
  return values;
}

std::string UsageLine(const CommandSpec& command) {
  return fmt::format("usage: provisioner {}{}{} [OPTION]...\n", command.name, command.positional.empty() ? "" : " ",
                     command.positional);
}

// An option as --help shows it; its help text begins after `width` characters.
std::string HelpLine(const OptionSpec& option, std::size_t width) {
  const std::string left = fmt::format("--{}{}{}", option.name, option.value.empty() ? "" : " ", option.value);
  const std::string help = fmt::format("{}{}", option.help, option.secret ? SecretArgumentHelp() : "");
  return fmt::format("  {:<{}}  {}\n", left, width, Wrap(help, width + 4, kHelpWidth));
}

OptionGroup CommonOptions(const CommandSpec& command) {
  OptionGroup out;
  for (const std::string_view name : Split(command.common, ' ')) {
    out.push_back(*std::ranges::find(command.options, name, &OptionSpec::name));
  }
  return out;
}

// Other names of an option's values. PowerShell 7 reads the environment as .NET does; Windows PowerShell asks WinINET.
constexpr std::array<std::pair<std::string_view, std::string_view>, 23> kOtherNames = {{{"golang", "go"},
                                                                                        {"cri-o", "go"},
                                                                                        {"crio", "go"},
                                                                                        {"podman", "go"},
                                                                                        {"docker", "go"},
                                                                                        {"libcurl", "curl"},
                                                                                        {".net", "dotnet"},
                                                                                        {"pwsh", "dotnet"},
                                                                                        {"powershell", "dotnet"},
                                                                                        {"powershell", "wininet"},
                                                                                        {"urllib", "python"},
                                                                                        {"jvm", "java"},
                                                                                        {"nodejs", "node"},
                                                                                        {"node.js", "node"},
                                                                                        {"undici", "nodefetch"},
                                                                                        {"tar.gz", "tgz"},
                                                                                        {"folder", "dir"},
                                                                                        {"amazon", "aws"},
                                                                                        {"ec2", "aws"},
                                                                                        {"google", "gcp"},
                                                                                        {"vmware", "vsphere"},
                                                                                        {"certificates", "certs"},
                                                                                        {"environment", "machine"}}};

// What was meant by a value that is not allowed, as DidYouMean() says it.
std::string DescribeMeant(std::string_view value, std::span<const std::string_view> allowed) {
  std::vector<std::string_view> meant;
  for (const auto& [other, name] : kOtherNames) {
    if (EqualsIgnoreAsciiCase(other, value) && std::ranges::find(allowed, name) != allowed.end()) meant.push_back(name);
  }
  return meant.empty() ? DidYouMean(value, allowed) : fmt::format("did you mean {}?", fmt::join(meant, " or "));
}

// An option that other programs have, and what this one has for it.
struct Habit {
  std::string_view option;
  std::string_view needs;  // what the commands have that the hint is for: an option, or SOURCE; "": all commands
  std::string_view hint;
};
constexpr std::array kHabits = {
    Habit{"--image", "--root", "an image is named by --root DIR or --wim FILE:INDEX;"},
    Habit{"--dry-run", "--credentials", "provisioner plan shows what would change, and writes nothing;"},
    Habit{"--format", "--required", "provisioner check SOURCE --image REF has it;"},
    Habit{"-f", "SOURCE", "SOURCE needs no option;"},
    Habit{"--file", "SOURCE", "SOURCE needs no option;"},
    Habit{"--source", "SOURCE", "SOURCE needs no option;"},
    Habit{"-v", "", "did you mean --verbose?"},
    Habit{"--version", "", "did you mean provisioner --version?"},
};

// `word`: the option as given, perhaps with a value.
std::unexpected<Error> RefuseOption(const CommandSpec& command, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  std::vector<std::string> dashed;
  dashed.reserve(command.options.size());
  for (const OptionSpec& option : command.options) dashed.push_back(fmt::format("--{}", option.name));
  const std::string_view meant = name == "-o" ? "--out" : name;  // also begins --output
  std::string closest = DidYouMean(meant, std::vector<std::string_view>(dashed.begin(), dashed.end()));
  for (const Habit& habit : kHabits) {
    const bool fits =
        habit.needs.empty() || command.positional == habit.needs || FindOption(command, habit.needs) != nullptr;
    if (habit.option == name && fits) closest = habit.hint;
  }
  return Fail(Code::kUsage,
              fmt::format("there is no option \"{}\"; {}{}", name, closest.empty() ? "" : closest + " ", Hint(command)),
              fmt::format("provisioner {}", command.name));
}

// Refuses "--format --output json": the value of an option is never another option.
Result<void> CheckValues(const CommandSpec& command, std::span<const std::string> words) {
  for (std::size_t at = 0; at + 1 < words.size() && words[at] != "--"; ++at) {
    const OptionSpec* const one = FindOption(command, words[at]);
    if (one == nullptr || one->value.empty() || FindOption(command, words[at + 1]) == nullptr) continue;
    return Fail(Code::kUsage,
                fmt::format("the value of {} is missing: {} behind it is an option; {}", words[at], words[at + 1],
                            Hint(command)),
                fmt::format("provisioner {}", command.name));
  }
  return {};
}

bool StandsInstead(const CommandSpec& command, const Arguments& given) {
  return std::ranges::any_of(Split(command.instead, ' '), [&](std::string_view one) {
    const std::string_view name = one.substr(0, one.find('='));
    return given.Has(name) && (name.size() == one.size() || given.Get(name) == one.substr(name.size() + 1));
  });
}

// What was meant by `words`, of which the command takes the first `wanted` only.
std::string MeantBy(const CommandSpec& command, const Arguments& given, std::span<const std::string> words,
                    std::size_t wanted) {
  const auto url = std::find_if(words.rbegin(), words.rend(), [](std::string_view word) {
    return word.starts_with("http://") || word.starts_with("https://");
  });
  if (url != words.rend() && FindOption(command, "--url") != nullptr)
    return fmt::format("did you mean --url {}?", *url);
  if (wanted == 0 && FindOption(command, "--root") != nullptr) {
    return fmt::format(
        "{} reads the machine, or the image of --root DIR, and takes no SOURCE; provisioner check SOURCE "
        "reads a source",
        command.name);
  }
  const bool out = FindOption(command, "--out") != nullptr && !given.Has("out") && words.size() == wanted + 1;
  return out ? fmt::format("did you mean --out {}?", words.back()) : Hint(command);
}

// Says that an option with several words may have taken the missing one.
std::string TakenByOption(const CommandSpec& command, const Arguments& given) {
  for (const OptionSpec& option : command.options) {
    if (option.value.ends_with("...") && given.All(option.name).size() > 1)
      return fmt::format("--{} takes all words behind it, so write {} before it; ", option.name, command.positional);
  }
  return {};
}

// Checks that the number of positional words is the one that the command takes.
Result<std::vector<std::string>> CheckCount(const CommandSpec& command, const Arguments& given,
                                            std::vector<std::string> words) {
  if (command.positional.ends_with("...")) return words;
  const std::string where = fmt::format("provisioner {}", command.name);
  std::vector<std::string_view> names = Split(command.positional, ' ');
  const std::size_t wanted = command.positional.empty() ? 0 : names.size();
  if (words.size() < wanted) {
    names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(words.size()));
    const bool cluster = names.front().starts_with("kube://");
    return Fail(
        Code::kUsage,
        fmt::format("{} is missing; {}{}{}", fmt::join(names, " "), TakenByOption(command, given),
                    cluster ? "kube:// alone takes the current context of your kubeconfig; " : "", Hint(command)),
        where);
  }
  if (words.size() > wanted) {
    return Fail(Code::kUsage,
                fmt::format("takes {} argument{}, got {} ({}); {}", wanted, wanted == 1 ? "" : "s", words.size(),
                            fmt::join(words, ", "), MeantBy(command, given, words, wanted)),
                where);
  }
  if (std::ranges::find(words, "") != words.end()) {
    return Fail(Code::kUsage, fmt::format("{} is empty (an unset variable?); {}", command.positional, Hint(command)),
                where);
  }
  return words;
}

}  // namespace

OptionGroup JoinOptions(std::initializer_list<OptionGroup> groups) {
  OptionGroup out;
  for (const OptionGroup& group : groups) out.insert(out.end(), group.begin(), group.end());
  return out;
}

std::string Wrap(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  for (const std::string_view word : Split(text, ' ')) {
    if (column > indent && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string Arguments::Get(std::string_view name, std::string_view fallback) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.empty() ? std::string(fallback) : found->second.back();
}

bool Arguments::Knows(std::string_view name) const {
  return std::ranges::find(options_, name, &OptionSpec::name) != options_.end();
}

std::vector<std::string> Arguments::Names() const {
  std::vector<std::string> out;
  out.reserve(values_.size());
  for (const auto& [name, values] : values_) out.push_back(name);
  return out;
}

std::vector<std::string> Arguments::All(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

std::vector<std::string> Arguments::List(std::string_view name) const {
  std::vector<std::string> out;
  for (const std::string& value : All(name)) {
    for (const std::string_view item : Split(value, ',')) {
      if (!TrimBlanks(item).empty()) out.emplace_back(TrimBlanks(item));
    }
  }
  return out;
}

Result<Arguments> ParseArguments(const CommandSpec& command, std::span<const std::string> words) {
  Arguments out;
  out.options_ = command.options;
  PROV_TRY(CheckValues(command, words));
  // Boost would reject a lone "-".
  std::vector<std::string> rest(words.begin(), words.end());
  JoinStandardInput(command, rest);
  // As some other programs have it.
  if (const auto help = std::ranges::find(rest, "--help=all"); help != rest.end()) {
    *help = "--help";
    rest.insert(help + 1, "all");
  }
  const auto dash = std::ranges::find(rest, "-");
  const bool standard_input = dash != rest.end();
  if (standard_input) rest.erase(dash);
  try {
    const po::variables_map values = Parse(command, rest);
    for (const auto& [name, value] : values) {
      const auto* texts = boost::any_cast<std::vector<std::string>>(&value.value());
      out.values_[name] = texts != nullptr ? *texts : std::vector<std::string>();
    }
  } catch (const po::unknown_option& error) {
    return RefuseOption(command, error.get_option_name());
  } catch (const po::error& error) {
    return Fail(Code::kUsage, fmt::format("{}; {}", error.what(), Hint(command)),
                fmt::format("provisioner {}", command.name));
  }
  std::vector<std::string> positional = out.values_["positional"];
  out.values_.erase("positional");
  if (standard_input) positional.emplace_back("-");
  if (out.Has("help")) {
    out.words_ = std::move(positional);
    return out;
  }
  if (positional.empty() && StandsInstead(command, out)) return out;
  out.words_ = PROV_TRY(CheckCount(command, out, std::move(positional)));
  if (!command.positional.empty() && !out.words_.empty()) out.positional_ = out.words_.front();
  return out;
}

std::string HelpText(const CommandSpec& command, bool all) {
  std::string out = UsageLine(command);
  out += fmt::format("\n{}\n", command.summary);
  if (!command.details.empty()) out += fmt::format("\n{}\n", command.details);
  const bool common = !all && !command.common.empty();
  const OptionGroup shown = common ? CommonOptions(command) : command.options;
  std::size_t width = 0;
  for (const OptionSpec& option : shown) width = std::max(width, option.name.size() + option.value.size() + 3);
  if (common) {
    out += "\nCommon options:\n";
    for (const OptionSpec& option : shown) out += HelpLine(option, width);
    out += fmt::format("\n{} more options: provisioner {} --help all\n", command.options.size() - shown.size(),
                       command.name);
  }
  for (const Heading& heading : kHeadings) {
    std::string lines;
    for (const OptionSpec& option : shown) {
      if (option.group == heading.group && !common) lines += HelpLine(option, width);
    }
    if (!lines.empty()) out += fmt::format("\n{}:\n{}", heading.text, lines);
  }
  out += fmt::format("\nExample:\n{}\n", command.example);
  return out;
}

std::string HelpDocument(const CommandSpec& command) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("command", command.name).Member("summary", command.summary);
  json.Member("positional", command.positional).Member("details", command.details).Key("options").BeginArray();
  for (const OptionSpec& option : command.options) {
    const auto heading = std::ranges::find(kHeadings, option.group, &Heading::group);
    json.BeginObject().Member("name", fmt::format("--{}", option.name)).Member("value", option.value);
    json.Member("help", option.help).Member("group", heading == kHeadings.end() ? "" : heading->text).EndObject();
  }
  return json.EndArray().Member("example", command.example).EndObject().Text();
}

Result<std::string> OneOf(const Arguments& arguments, std::string_view name) {
  const auto option = std::ranges::find(arguments.options_, name, &OptionSpec::name);
  if (option == arguments.options_.end()) return std::string();  // a command without it
  const std::vector<std::string_view> allowed = CompletedValueOf(*option).words;
  std::string value = arguments.Get(name, allowed.front());
  if (std::ranges::find(allowed, value) != allowed.end()) return value;
  if (!value.empty()) return RefuseValue(fmt::format("--{}", name), "one of", value, allowed);
  return Fail(Code::kUsage, fmt::format("is empty (an unset variable?); it takes one of {}", fmt::join(allowed, ", ")),
              fmt::format("--{}", name));
}

std::unexpected<Error> RefuseValue(std::string place, std::string_view how_many, std::string_view value,
                                   std::span<const std::string_view> allowed) {
  const std::string closest = DescribeMeant(value, allowed);
  return Fail(Code::kUsage,
              fmt::format("takes {} {}, not \"{}\"{}{}", how_many, fmt::join(allowed, ", "), value,
                          closest.empty() ? "" : "; ", closest),
              std::move(place));
}

Result<std::int64_t> Number(const Arguments& arguments, std::string_view name, std::int64_t fallback) {
  if (!arguments.Has(name)) return fallback;
  const std::string text = arguments.Get(name);
  const auto value = ParseDecimal(text, std::numeric_limits<std::int64_t>::max());
  if (value) return static_cast<std::int64_t>(*value);
  return Fail(Code::kUsage, fmt::format("takes a whole number of at least 0, not \"{}\"", text),
              fmt::format("--{}", name));
}

}  // namespace prov::cli
