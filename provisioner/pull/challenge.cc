#include "provisioner/pull/challenge.h"

#include <cctype>
#include <utility>

#include "provisioner/base/text.h"

namespace prov::pull {
namespace {

bool IsTokenCharacter(char c) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || kOthers.find(c) != std::string_view::npos;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : left_(text) {}

  bool done() const { return left_.empty(); }
  bool Take(char c) {
    if (!left_.starts_with(c)) return false;
    left_.remove_prefix(1);
    return true;
  }
  // Returns whether there was any.
  bool SkipBlanks() {
    const std::size_t before = left_.size();
    while (left_.starts_with(' ') || left_.starts_with('\t')) left_.remove_prefix(1);
    return left_.size() != before;
  }
  void SkipSeparators() {
    while (SkipBlanks() || Take(',')) {
    }
  }
  std::string Token() {
    std::size_t end = 0;
    while (end < left_.size() && IsTokenCharacter(left_[end])) ++end;
    std::string out(left_.substr(0, end));
    left_.remove_prefix(end);
    return out;
  }
  std::string Value() {
    if (!Take('"')) return Token();
    std::string out;
    while (!done() && !Take('"')) {
      if (left_.size() > 1) Take('\\');
      out += left_.front();
      left_.remove_prefix(1);
    }
    return out;
  }

 private:
  std::string_view left_;
};

}  // namespace

std::string Challenge::Get(const std::string& name) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string() : found->second;
}

std::vector<Challenge> ParseChallenges(std::string_view value) {
  std::vector<Challenge> out;
  Scanner scanner(value);
  scanner.SkipSeparators();
  while (!scanner.done()) {
    std::string word = AsciiLower(scanner.Token());
    if (word.empty()) break;
    scanner.SkipBlanks();
    if (scanner.Take('=')) {  // a parameter of the challenge before
      scanner.SkipBlanks();
      std::string text = scanner.Value();
      if (out.empty()) break;
      out.back().parameters.insert_or_assign(std::move(word), std::move(text));
    } else {
      out.push_back({std::move(word), {}});
    }
    scanner.SkipSeparators();
  }
  return out;
}

}  // namespace prov::pull
