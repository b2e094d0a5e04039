#include "provisioner/base/hash.h"

#include <openssl/evp.h>

#include <cstdlib>

namespace prov {
namespace {

// Fetching an algorithm and making a context take as long as the digest of a certificate, so this is done once per
// thread.
class Algorithm {
 public:
  explicit Algorithm(const char* name) : type_(EVP_MD_fetch(nullptr, name, nullptr)), context_(EVP_MD_CTX_new()) {}
  Algorithm(const Algorithm&) = delete;
  Algorithm& operator=(const Algorithm&) = delete;
  ~Algorithm() {
    EVP_MD_CTX_free(context_);
    EVP_MD_free(type_);
  }

  std::string Digest(std::string_view bytes) const {
    unsigned char out[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    const bool done = EVP_DigestInit_ex(context_, type_, nullptr) == 1 &&
                      EVP_DigestUpdate(context_, bytes.data(), bytes.size()) == 1 &&
                      EVP_DigestFinal_ex(context_, out, &size) == 1;
    // Fails only if the library is broken or out of memory; a caller could do nothing about it.
    if (!done) std::abort();
    return {reinterpret_cast<const char*>(out), size};
  }

 private:
  EVP_MD* type_;
  EVP_MD_CTX* context_;
};

}  // namespace

std::string Sha1(std::string_view bytes) {
  thread_local const Algorithm algorithm("SHA1");
  return algorithm.Digest(bytes);
}
std::string Sha256(std::string_view bytes) {
  thread_local const Algorithm algorithm("SHA256");
  return algorithm.Digest(bytes);
}
std::string Sha512(std::string_view bytes) {
  thread_local const Algorithm algorithm("SHA512");
  return algorithm.Digest(bytes);
}

std::string Pbkdf2Sha256(std::string_view secret, std::string_view salt, unsigned rounds) {
  constexpr int kBytes = 32;
  std::string out(kBytes, '\0');
  const int done =
      PKCS5_PBKDF2_HMAC(secret.data(), static_cast<int>(secret.size()),
                        reinterpret_cast<const unsigned char*>(salt.data()), static_cast<int>(salt.size()),
                        static_cast<int>(rounds), EVP_sha256(), kBytes, reinterpret_cast<unsigned char*>(out.data()));
  if (done != 1) std::abort();  // as above
  return out;
}

}  // namespace prov
