#include "provisioner/base/sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace prov {
namespace {

// The verbs that begin a message. No message begins with one of these words as a noun.
constexpr auto kVerbs = std::to_array<std::string_view>(
    {"already",      "answered", "are",   "asks",   "begins", "belongs", "can",   "can't",  "changes",  "counts",
     "decompresses", "does",     "ends",  "exists", "gets",   "had",     "has",   "have",   "holds",    "is",
     "leads",        "leaves",   "makes", "may",    "must",   "names",   "needs", "prints", "rewrites", "runs",
     "says",         "shows",    "stays", "takes",  "tells",  "turns",   "uses",  "wants",  "was",      "were"});
constexpr std::string_view kNot = "not";

bool SpeaksOfItsPlace(std::string_view first_word) {
  return first_word == kNot || std::ranges::find(kVerbs, first_word) != kVerbs.end();
}

}  // namespace

std::string PlaceOf(const Error& error) {
  if (error.file.empty() || error.where.find(error.file) != std::string::npos) return error.where;
  return error.where.empty() ? error.file : fmt::format("{}: {}", error.file, error.where);
}

std::string Sentence(std::string_view message, std::string_view place) {
  const std::string_view first = message.substr(0, message.find_first_of(" :,"));
  if (place.empty() || !SpeaksOfItsPlace(first)) return std::string(message);
  return fmt::format("{} {}{}", place, first == kNot ? "is " : "", message);
}

std::string SentenceWithPlace(std::string_view message, std::string_view place) {
  std::string out = Sentence(message, place);
  if (!place.empty() && out == message) out += fmt::format(" ({})", place);
  return out;
}

}  // namespace prov
