#include "provisioner/router/render.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/router/render_forms.h"

namespace prov::router {
namespace {

// Whether a router of this kind has the form.
bool Suits(Format format, RouterKind kind) {
  switch (format) {
    case Format::kNft:
    case Format::kNftFile:
    case Format::kIptables:
    case Format::kIptablesFile:
    case Format::kCr:
    case Format::kNad:
      return kind == RouterKind::kRedirect;
    case Format::kSquid:
    case Format::kSquidConf:
      return kind == RouterKind::kHttpProxy;
    case Format::kHaproxy:
      return kind == RouterKind::kDnsProxy;
    case Format::kEnv:
    case Format::kConfigMap:
    case Format::kManifest:
      return true;
  }
  return false;
}

std::string_view NameOf(Format format) { return kFormatNames[static_cast<std::size_t>(format)]; }

std::string FormatsOf(RouterKind kind) {
  std::string out;
  for (std::size_t i = 0; i < kFormatNames.size(); ++i) {
    if (!Suits(static_cast<Format>(i), kind)) continue;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", kFormatNames[i]);
  }
  return out;
}

}  // namespace

std::optional<Format> FormatOf(std::string_view name) {
  const auto found = std::ranges::find(kFormatNames, name);
  if (found == kFormatNames.end()) return std::nullopt;
  return static_cast<Format>(found - kFormatNames.begin());
}

Result<std::string> Render(const RouterPolicy& policy, const RenderRequest& request) {
  if (!Suits(request.format, policy.kind)) {
    return Fail(Code::kUsage,
                fmt::format("a router of the kind {} has no form {}; use one of {}", prov::router::NameOf(policy.kind),
                            NameOf(request.format), FormatsOf(policy.kind)),
                "--format");
  }
  switch (request.format) {
    case Format::kNft:
    case Format::kNftFile:
      return RenderNft(policy, request.format == Format::kNftFile);
    case Format::kIptables:
    case Format::kIptablesFile:
      return RenderIptables(policy, request.format == Format::kIptablesFile);
    case Format::kSquid:
    case Format::kSquidConf:
      return RenderSquid(policy, request.format == Format::kSquidConf);
    case Format::kHaproxy:
      return RenderHaproxy(policy, request);
    case Format::kEnv:
      return RenderEnv(policy);
    case Format::kConfigMap:
      return RenderConfigMap(policy, request);
    case Format::kManifest:
      return RenderManifest(policy, request);
    case Format::kCr:
      return RenderCr(policy, request);
    case Format::kNad:
      return RenderNad(policy, request);
  }
  return std::string();
}

}  // namespace prov::router
