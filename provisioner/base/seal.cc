#include "provisioner/base/seal.h"

#include <fmt/format.h>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"

namespace prov {
namespace {

// The start of the digest; npos if the document has no place for one.
std::size_t PlaceOfDigest(std::string_view document) {
  const std::string member = fmt::format("\"{}\": \"", kSealMember);
  const std::size_t at = document.find(member);
  if (at == std::string_view::npos) return at;
  const std::size_t digest = at + member.size();
  const std::size_t end = digest + kNoSeal.size();
  return end < document.size() && document[end] == '"' ? digest : std::string_view::npos;
}

}  // namespace

std::string Seal(std::string document) {
  const std::string digest = ToHex(Sha256(document));
  return document.replace(PlaceOfDigest(document), kNoSeal.size(), digest);
}

Result<void> CheckSeal(std::string_view document, std::string_view where) {
  std::string without(document);
  const std::size_t at = PlaceOfDigest(document);
  if (at != std::string_view::npos) {
    without.replace(at, kNoSeal.size(), kNoSeal);
    if (document.substr(at, kNoSeal.size()) == ToHex(Sha256(without))) return {};
  }
  return Fail(Code::kHashMismatch,
              "the file is damaged or was edited: it does not have the SHA-256 that it names. Restore it from a backup",
              std::string(where));
}

}  // namespace prov
