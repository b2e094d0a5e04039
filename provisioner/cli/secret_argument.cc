#include "provisioner/cli/secret_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "provisioner/base/file.h"
#include "provisioner/source/source.h"

namespace prov::cli {
namespace {

constexpr std::uint64_t kLimit = 65536;
constexpr std::string_view kFileMark = "@";
constexpr std::string_view kVariableMark = "env:";
constexpr std::string_view kStandardInput = "@-";

bool NamesAnother(std::string_view text) { return text.starts_with(kFileMark) || text.starts_with(kVariableMark); }

bool IsVariableName(std::string_view name) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name, fits);
}

Result<std::string> CheckedSecret(std::string bytes, const std::string& where) {
  if (bytes.ends_with('\n')) bytes.pop_back();
  if (bytes.ends_with('\r')) bytes.pop_back();
  if (bytes.empty()) return Fail(Code::kUsage, "is empty; the value belongs there, on one line", where);
  if (bytes.find('\0') != std::string::npos) {
    return Fail(Code::kUsage, "holds a NUL character: write it as UTF-8, not UTF-16", where);
  }
  if (bytes.find_first_of("\r\n") != std::string::npos) {
    return Fail(Code::kUsage, "has more than one line; the value alone belongs there", where);
  }
  return bytes;
}

Result<std::string> FromFile(const std::string& path, std::string_view option, const SecretPlaces& places) {
  const std::string where = fmt::format("{} @{}", option, path);
  if (path.empty()) return Fail(Code::kUsage, "names no file: give @FILE, or @- for standard input", where);
  auto bytes = places.file(path, kLimit);
  if (bytes) return CheckedSecret(*std::move(bytes), where);
  bytes.error().where = where;
  return bytes;
}

Result<std::string> FromVariable(const std::string& name, std::string_view option, const SecretPlaces& places) {
  // An invalid name may be a password, so do not quote it.
  if (!IsVariableName(name)) {
    return Fail(Code::kUsage,
                "env: is followed by the name of an environment variable: letters, digits and _; a URL begins with its "
                "scheme",
                std::string(option));
  }
  const std::string where = fmt::format("{} env:{}", option, name);
  const auto value = places.variable(name);
  if (!value) return Fail(Code::kUsage, "there is no such environment variable; set it for this program", where);
  return CheckedSecret(*value, where);
}

Result<std::string> ReadSecretSource(const std::string& text, std::string_view where, const SecretPlaces& places) {
  std::string out = PROV_TRY(ReadSecretArgument(text, where, places));
  if (source::IsRemote(out)) return out;
  return Fail(Code::kUsage, fmt::format("is not the URL of a source; write ./{} for a file of this name", text),
              std::string(where));
}

// The argument that reads a whole document from standard input, if any.
std::string ReaderOfDocuments(const CommandSpec& command, const Arguments& arguments) {
  if (arguments.positional() == "-") return std::string(command.positional);
  for (const OptionSpec& option : command.options) {
    const std::vector<std::string> values = arguments.All(option.name);
    if (std::ranges::find(values, "-") != values.end()) return fmt::format("--{}", option.name);
  }
  return {};
}

}  // namespace

SecretPlaces PlacesOfThisProcess() {
  return {ReadFile, [](const std::string& name) -> std::optional<std::string> {
            const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): before any thread
            return value == nullptr ? std::nullopt : std::optional<std::string>(value);
          }};
}

std::string_view SecretArgumentHelp() { return "; or where it stands: @FILE, @- (standard input), env:NAME"; }

Result<std::string> ReadSecretArgument(const std::string& text, std::string_view where, const SecretPlaces& places) {
  if (text.starts_with(kFileMark)) return FromFile(text.substr(kFileMark.size()), where, places);
  if (text.starts_with(kVariableMark)) return FromVariable(text.substr(kVariableMark.size()), where, places);
  return text;
}

Result<std::vector<std::string>> ReadSecretArguments(const CommandSpec& command, const SecretPlaces& places,
                                                     Arguments& arguments) {
  std::vector<std::string> out;
  std::string reader = ReaderOfDocuments(command, arguments);
  const auto read = [&](std::string& value, const std::string& where, auto function) -> Result<void> {
    if (!NamesAnother(value)) return {};
    if (value == kStandardInput && !reader.empty()) {
      return Fail(Code::kUsage, fmt::format("standard input can be read once, and {} reads it", reader), where);
    }
    if (value == kStandardInput) reader = where;
    value = PROV_TRY(function(value, where, places));
    out.push_back(value);
    return {};
  };
  if (command.positional == "SOURCE") PROV_TRY(read(arguments.positional_, "SOURCE", ReadSecretSource));
  for (const OptionSpec& option : command.options) {
    const auto values = arguments.values_.find(option.name);
    if (values == arguments.values_.end()) continue;
    for (std::string& value : values->second) {
      const std::string where = fmt::format("--{}", option.name);
      if (option.secret) PROV_TRY(read(value, where, option.name == "source" ? ReadSecretSource : ReadSecretArgument));
    }
  }
  return out;
}

}  // namespace prov::cli
