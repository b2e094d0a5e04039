#include "provisioner/base/hash.h"

#include <openssl/evp.h>

#include <cstdlib>

namespace prov {
namespace {

std::string Digest(std::string_view bytes, const EVP_MD* type) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  // Fails only when the library itself is broken or out of memory: nothing a caller could do.
  if (EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(out.data()), &size, type, nullptr) != 1)
    std::abort();
  out.resize(size);
  return out;
}

}  // namespace

std::string Sha1(std::string_view bytes) { return Digest(bytes, EVP_sha1()); }
std::string Sha256(std::string_view bytes) { return Digest(bytes, EVP_sha256()); }
std::string Sha512(std::string_view bytes) { return Digest(bytes, EVP_sha512()); }

}  // namespace prov
