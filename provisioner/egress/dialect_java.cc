// Java's http.nonProxyHosts, assuming that it holds NO_PROXY with '|' in place of ',', which is how users translate it:
// Java itself does not read the environment. Blanks are part of an entry. An empty list also removes Java's own default
// exceptions.
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
    for (const std::string_view own : {"localhost", "[::1]", "0.0.0.0", "[::0]", "127.*"}) own_.AddGlob(own, 0);
  }

  Bypass Find(const Destination& to) const override {
    const PatternSet::Entry found = patterns_.FindText(to.authority);
    if (found != PatternSet::kNone) return texts_.Found(found);
    const bool own = has_own_ && own_.FindText(to.authority) == 0;
    return {own ? Bypass::Kind::kImplicit : Bypass::Kind::kNo};
  }

 private:
  // A '*' is a wildcard only at the ends, and no host contains a star.
  void Add(std::string_view pattern, PatternSet::Entry number) {
    const bool inside = pattern.size() > 2 && pattern.substr(1, pattern.size() - 2).find('*') != std::string_view::npos;
    if (!inside) patterns_.AddGlob(pattern, number);
  }

  bool has_own_;
  EntryTexts texts_;
  PatternSet patterns_;
  PatternSet own_;
};

}  // namespace

std::unique_ptr<DialectList> CompileJava(const NoProxy& list) { return std::make_unique<JavaList>(list.text()); }

}  // namespace prov::egress
