#include "provisioner/base/command_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "provisioner/base/text.h"

namespace prov {
namespace {

constexpr std::size_t kMostRead = 1024;  // even, for UTF-16
constexpr std::size_t kMostShown = 240;

constexpr std::array<std::string_view, 7> kErrors = {"Error from server",
                                                     "error: ",
                                                     "Error: ",
                                                     "ERROR: ",
                                                     "Unable to connect to the server",
                                                     "The connection to the server",
                                                     "No resources found"};

// The heading of a table, such as "NAME   TYPE   DATA   AGE".
bool IsHeading(std::string_view line) {
  if (!line.starts_with("NAME ") && !line.starts_with("NAMESPACE ")) return false;
  return line.find("  ") != std::string_view::npos &&
         std::ranges::all_of(line, [](char c) { return (c >= 'A' && c <= 'Z') || c == ' ' || c == '-'; });
}

// The line below the heading of a table of az: "------  ----------".
bool IsRule(std::string_view line) {
  return line.find("-  -") != std::string_view::npos && line.find_first_not_of("- ") == std::string_view::npos;
}

}  // namespace

std::string DescribeErrorMessage(std::string_view message) {
  // Any URL may hold a password, also one whose '@' is on another line.
  const bool is_harmless = message.find('@') == std::string_view::npos && message.find("://") == std::string_view::npos;
  const std::string_view shown = is_harmless ? Shorten(message, kMostShown) : "";
  return fmt::format("is an error message and no output of a command{}; correct that, and run the command again",
                     shown.empty() ? "" : fmt::format(" ({})", shown));
}

std::optional<std::string> DescribeCommandOutput(std::string_view text) {
  std::string head(text.substr(0, kMostRead));
  if (!DecodeMarked(head)) return std::nullopt;
  const std::string_view trimmed = TrimBlanks(head);
  const std::size_t end = std::min(trimmed.find_first_of("\r\n"), trimmed.size());
  const std::string_view line = TrimBlanks(trimmed.substr(0, end));
  const auto begins = [line](std::string_view error) { return line.starts_with(error); };
  if (std::ranges::any_of(kErrors, begins)) return DescribeErrorMessage(line);
  if (IsHeading(line)) return "is the table that oc get prints for people; run it again with -o yaml";
  const std::string_view rest = TrimBlanks(trimmed.substr(end));
  if (IsRule(TrimBlanks(rest.substr(0, rest.find_first_of("\r\n")))))
    return "is the table that az prints for people; run it again with -o json";
  return std::nullopt;
}

}  // namespace prov
