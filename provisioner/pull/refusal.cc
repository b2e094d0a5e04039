#include "provisioner/pull/refusal.h"

#include <fmt/format.h>

#include "provisioner/net/http_status.h"

namespace prov::pull {
namespace {

namespace http_status = net::http_status;

std::string_view What(const RefusedObject& refused) {
  switch (refused.purpose) {
    case Purpose::kIndex:
      return refused.image;
    case Purpose::kManifest:
      return "the manifest for this platform";
    case Purpose::kConfig:
      return "the image's config";
    case Purpose::kLayer:
      return "a layer";
    default:
      return "this";
  }
}

std::string_view SentOn(const RefusedObject& refused) {
  if (!refused.login_sent_on) return {};
  return "; containerd sends the registry's login on to a name below the registry's, so it may get the object";
}

std::string Unauthorized(const RefusedObject& refused) {
  const std::string& host = refused.host;
  if (refused.redirected) {
    return fmt::format("{} asks for a login (status 401), and where a redirect leads gets none{}", host,
                       SentOn(refused));
  }
  if (refused.scheme == "bearer") {
    if (refused.has_login)
      return fmt::format("{} refuses the token that its own token service gave (status 401)", host);
    return fmt::format(
        "{} gives nothing to a token without a login (status 401), and none is given for {}: add --pull-secret FILE, "
        "or check the name of the image",
        host, refused.login_name);
  }
  if (!refused.has_login) {
    return fmt::format(
        "{} asks for a login (status 401), and none is given for {}: add --pull-secret FILE, or check the name of the "
        "image, which registries also answer so",
        host, refused.login_name);
  }
  if (refused.scheme.empty()) {
    return fmt::format(
        "{} answers with status 401 and names no way to log in that containerd knows (WWW-Authenticate): look at the "
        "registry, or at what stands before it",
        host);
  }
  return fmt::format("{} refuses the login for {} (status 401): check the entry of the pull secret", host,
                     refused.login_name);
}

std::string Forbidden(const RefusedObject& refused) {
  if (refused.redirected) {
    return fmt::format(
        "{} refuses the object (status 403): a rule on the way blocks it, or the registry's signed URL is not valid "
        "there{}",
        refused.host, SentOn(refused));
  }
  return fmt::format(
      "{} refuses access to {} (status 403): the login lacks the right to pull it, or a rule on the way blocks it",
      refused.host, refused.repository);
}

}  // namespace

std::string ExplainRefusal(const RefusedObject& refused) {
  switch (refused.status) {
    case http_status::kUnauthorized:
      return Unauthorized(refused);
    case http_status::kForbidden:
      return Forbidden(refused);
    case http_status::kNotFound:
      return fmt::format("{} does not have {} (status 404){}", refused.host, What(refused),
                         refused.mirror ? ": the mirror lacks it; mirror it again" : "");
    case http_status::kTooManyRequests:
      return fmt::format(
          "{} takes no more requests for now (status 429): log in with --pull-secret, or mirror the image",
          refused.host);
    default:
      return fmt::format("{} answers with status {}: {}", refused.host, refused.status, AdviceFor(refused.status));
  }
}

std::string_view AdviceFor(int status) {
  if (status == http_status::kTooManyRequests) return "it takes no more requests for now";
  if (status >= http_status::kInternalServerError) return "it, or a server behind it, has a fault; look at its log";
  return "it does not answer as a registry does; check its address, and what stands on the way";
}

bool IsBelow(std::string_view host, std::string_view above) {
  const auto name = [](std::string_view text) { return text.substr(0, text.rfind(':')); };
  return name(host).ends_with(fmt::format(".{}", name(above)));
}

}  // namespace prov::pull
