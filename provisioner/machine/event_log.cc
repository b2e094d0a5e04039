#include "provisioner/machine/event_log.h"

#include "provisioner/base/text.h"

namespace prov::machine {
namespace {

// A text of an event has at most 31,839 characters. Each takes at least one byte.
constexpr std::size_t kMaxEventBytes = 30'000;

}  // namespace

std::string EventText(std::string_view text) {
  std::string out;
  const std::string printable = Printable(Shorten(text, kMaxEventBytes));
  for (std::size_t i = 0; i < printable.size() && out.size() <= kMaxEventBytes; ++i) {
    out += printable[i];
    const char next = i + 1 < printable.size() ? printable[i + 1] : '\0';
    if (printable[i] == '%' && (next == '%' || (next >= '0' && next <= '9'))) out += ' ';
  }
  out.resize(Shorten(out, kMaxEventBytes).size());
  return out;
}

}  // namespace prov::machine
