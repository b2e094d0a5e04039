#include "provisioner/base/command_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "provisioner/base/text.h"

namespace prov {
namespace {

constexpr std::size_t kMostRead = 1024;  // even, for UTF-16
constexpr std::size_t kMostShown = 120;

constexpr std::array<std::string_view, 6> kErrors = {
    "Error from server", "error: ", "Error: ", "Unable to connect to the server", "The connection to the server",
    "No resources found"};

// The heading of a table, such as "NAME   TYPE   DATA   AGE".
bool IsHeading(std::string_view line) {
  if (!line.starts_with("NAME ") && !line.starts_with("NAMESPACE ")) return false;
  return line.find("  ") != std::string_view::npos &&
         std::ranges::all_of(line, [](char c) { return (c >= 'A' && c <= 'Z') || c == ' ' || c == '-'; });
}

}  // namespace

std::optional<std::string> DescribeCommandOutput(std::string_view text) {
  std::string head(text.substr(0, kMostRead));
  if (!DecodeMarked(head)) return std::nullopt;
  std::string_view line = TrimBlanks(head);
  line = TrimBlanks(line.substr(0, line.find_first_of("\r\n")));
  const auto begins = [line](std::string_view error) { return line.starts_with(error); };
  if (std::ranges::any_of(kErrors, begins)) {
    // Any URL may hold a password, also one whose '@' is on another line.
    const bool is_harmless = line.find('@') == std::string_view::npos && line.find("://") == std::string_view::npos;
    const std::string_view shown = is_harmless ? Shorten(line, kMostShown) : "";
    return fmt::format("is an error message and no output of a command{}; correct that, and run the command again",
                       shown.empty() ? "" : fmt::format(" ({})", shown));
  }
  if (IsHeading(line)) return "is the table that oc get prints for people; run it again with -o yaml";
  return std::nullopt;
}

}  // namespace prov
