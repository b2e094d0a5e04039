// Java's http.nonProxyHosts, assuming that it holds NO_PROXY with '|' in place of ',', which is how users translate it:
// Java itself does not read the environment. Blanks are part of an entry. An empty list also removes Java's own default
// exceptions.
#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/egress/dialect_patterns.h"

namespace prov::egress {
namespace {

class JavaList final : public DialectList {
 public:
  explicit JavaList(std::string text) : has_own_(!text.empty()) {
    for (char& c : text) {
      if (c == ',') c = '|';
    }
    for (const std::string_view entry : Split(text, '|')) {
      if (!entry.empty()) Add(AsciiLower(entry), texts_.Add(TrimBlanks(entry)));
    }
    constexpr std::string_view kOwn[] = {"localhost", "[::1]", "0.0.0.0", "[::0]"};
    for (const std::string_view name : kOwn) own_.AddName(name, true, false, 0);
    own_.AddGlob("127.*", 0);
  }

  Bypass Find(const Destination& to) const override {
    const PatternSet::Entry found =
        std::min({patterns_.FindAll(), patterns_.FindName(to.authority), patterns_.FindGlob(to.authority)});
    if (found != PatternSet::kNone) return texts_.Found(found);
    const bool own = has_own_ && std::min(own_.FindName(to.authority), own_.FindGlob(to.authority)) == 0;
    return {own ? Bypass::Kind::kImplicit : Bypass::Kind::kNo};
  }

 private:
  // A '*' is a wildcard only at the ends.
  void Add(std::string_view pattern, PatternSet::Entry number) {
    if (pattern == "*") {
      patterns_.AddAll(number);
      return;
    }
    const bool front = pattern.starts_with('*');
    const bool back = pattern.ends_with('*');
    const std::string_view literal = pattern.substr(front ? 1 : 0, pattern.size() - (front ? 1 : 0) - (back ? 1 : 0));
    if (literal.find('*') != std::string_view::npos) return;  // no host contains a star
    if (!front && !back) {
      patterns_.AddName(literal, true, false, number);
    } else if (front && !back && literal.starts_with('.')) {
      patterns_.AddName(literal.substr(1), false, true, number);
    } else {
      patterns_.AddGlob(std::string(pattern), number);
    }
  }

  bool has_own_;
  EntryTexts texts_;
  PatternSet patterns_;
  PatternSet own_;
};

}  // namespace

std::unique_ptr<DialectList> CompileJava(const NoProxy& list) { return std::make_unique<JavaList>(list.text()); }

}  // namespace prov::egress
