// The watch of the Kubernetes API: wherever the bytes are cut, the same events come out, nothing comes after the end,
// and errors are those of an input. The first byte says how they are cut. The same bytes are read as a list, too.
#include "provisioner/source/kube_watch.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using source::KubeEvent;
using source::KubeKind;
using source::KubeWatchReader;

constexpr std::size_t kMostLine = 4096;

std::vector<KubeEvent> Cut(std::string_view bytes, std::size_t step, KubeKind kind) {
  KubeWatchReader reader(kind, "worker", kMostLine);
  std::vector<KubeEvent> out;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, step);
    bytes.remove_prefix(piece.size());
    const bool had_ended = reader.ended();
    for (KubeEvent& event : reader.Feed(piece)) {
      FUZZ_CHECK(!had_ended);
      out.push_back(std::move(event));
    }
  }
  return out;
}

void CheckEvents(const std::vector<KubeEvent>& events) {
  for (const KubeEvent& event : events) {
    const bool last = &event == &events.back();
    switch (event.kind) {
      case KubeEvent::Kind::kState:
        FUZZ_CHECK(!event.state.resource_version.empty());
        break;
      case KubeEvent::Kind::kBookmark:
        FUZZ_CHECK(!event.state.resource_version.empty() && event.state.fingerprint.empty());
        break;
      case KubeEvent::Kind::kError:
        CheckError(event.error);
        FUZZ_CHECK(last);
        break;
      case KubeEvent::Kind::kGone:
        FUZZ_CHECK(last);
        break;
    }
  }
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov;
  if (size == 0) return 0;
  const std::string_view bytes = fuzz::TextOf(data + 1, size - 1);
  for (const source::KubeKind kind : {source::KubeKind::kPool, source::KubeKind::kProxy}) {
    const auto whole = fuzz::Cut(bytes, bytes.size(), kind);
    fuzz::CheckEvents(whole);
    FUZZ_CHECK(fuzz::Cut(bytes, std::size_t{1} + data[0], kind) == whole);
    const auto list = source::ParseKubeList(std::string(bytes), kind, "worker");
    if (!list) fuzz::CheckError(list.error());
    FUZZ_CHECK(!list || !list->resource_version.empty());
  }
  return 0;
}
