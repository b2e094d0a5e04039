// The HTTP status codes that this program distinguishes (RFC 9110, section 15).
#pragma once

namespace prov::net::http_status {

inline constexpr int kOk = 200;
inline constexpr int kCreated = 201;
inline constexpr int kMultipleChoices = 300;  // the first status above success
inline constexpr int kMovedPermanently = 301;
inline constexpr int kFound = 302;
inline constexpr int kSeeOther = 303;
inline constexpr int kNotModified = 304;
inline constexpr int kTemporaryRedirect = 307;
inline constexpr int kPermanentRedirect = 308;
inline constexpr int kBadRequest = 400;  // the first error
inline constexpr int kUnauthorized = 401;
inline constexpr int kForbidden = 403;
inline constexpr int kNotFound = 404;
inline constexpr int kMethodNotAllowed = 405;
inline constexpr int kProxyAuthenticationRequired = 407;
inline constexpr int kRequestTimeout = 408;
inline constexpr int kConflict = 409;  // an object to create exists already
inline constexpr int kGone = 410;
inline constexpr int kUnprocessableContent = 422;
inline constexpr int kTooManyRequests = 429;
inline constexpr int kInternalServerError = 500;  // the first server error

// A redirection with a new address that clients follow.
constexpr bool IsRedirect(int status) {
  return status == kMovedPermanently || status == kFound || status == kSeeOther || status == kTemporaryRedirect ||
         status == kPermanentRedirect;
}

}  // namespace prov::net::http_status
