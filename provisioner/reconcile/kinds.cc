// The list of all kinds of items.
#include <algorithm>

#include "provisioner/reconcile/kind.h"

namespace prov::reconcile {

// Certificates come first: a proxy that intercepts TLS must be trusted before clients use it. Pods come last: they are
// not the node's own settings.
const std::vector<const Kind*>& Kinds() {
  static const std::vector<const Kind*> kinds = {&CertificateKind(), &EnvironmentKind(), &WinHttpKind(), &WinInetKind(),
                                                 &ServiceKind(),     &FileKind(),        &HnsKind()};
  return kinds;
}

std::unexpected<Error> UnknownItem(std::string_view item) {
  return Fail(Code::kType, "the ledger holds an item of a kind that this version does not know; use a newer one",
              std::string(item));
}

Result<const Kind*> KindOf(std::string_view item) {
  const auto found = std::ranges::find_if(Kinds(), [&](const Kind* kind) { return kind->Owns(item); });
  if (found == Kinds().end()) return UnknownItem(item);
  return *found;
}

}  // namespace prov::reconcile
