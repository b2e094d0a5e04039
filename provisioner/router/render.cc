#include "provisioner/router/render.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/router/render_forms.h"

namespace prov::router {
namespace {

// Whether the format exists for this kind of router.
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

constexpr std::string_view kDefaultName = "egress-router";
constexpr std::size_t kMostLabelBytes = 63;
constexpr std::size_t kMostNameBytes = 240;  // of 253, minus what is appended

// Whether the name is valid for all objects of the format. A Service is the strictest: a label that begins with a
// letter.
bool IsObjectName(std::string_view text, Format format) {
  if (format == Format::kManifest) return IsDnsLabel(text) && text.front() >= 'a';
  return text.size() <= kMostNameBytes && std::ranges::all_of(Split(text, '.'), IsDnsLabel);
}

std::unexpected<Error> RefuseName(std::string_view name, std::string_view option) {
  return Fail(Code::kUsage,
              fmt::format("Kubernetes does not take \"{}\" for these objects; write at most {} lower-case letters, "
                          "digits and hyphens, with a letter first and no hyphen last",
                          Shorten(name), kMostLabelBytes),
              std::string(option));
}

}  // namespace

Result<std::string> ObjectName(const RouterPolicy& policy, const RenderRequest& request) {
  std::string name = !request.name.empty() ? request.name : policy.name;
  if (name.empty()) name = kDefaultName;
  if (!IsObjectName(name, request.format)) return RefuseName(name, "--name");
  return name;
}

Result<std::string> ObjectNamespace(const RouterPolicy& policy, const RenderRequest& request) {
  const std::string& name = !request.name_space.empty() ? request.name_space : policy.name_space;
  if (!name.empty() && !IsDnsLabel(name)) return RefuseName(name, "--namespace");
  return name;
}

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
