// OpenSSL's queue of errors, which each thread has.
#pragma once

#include <openssl/err.h>

#include <string>

namespace prov::pki {

// Removes the errors that are added while it lives.
class OpensslErrors {
 public:
  OpensslErrors() { ERR_set_mark(); }
  OpensslErrors(const OpensslErrors&) = delete;
  OpensslErrors& operator=(const OpensslErrors&) = delete;
  ~OpensslErrors() { ERR_pop_to_mark(); }

  // The newest one, for messages.
  static std::string Reason() {
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason != nullptr ? reason : "unknown reason";
  }
};

}  // namespace prov::pki
