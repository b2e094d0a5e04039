#include "provisioner/router/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "provisioner/base/text.h"
#include "provisioner/router/render_forms.h"

namespace prov::router {
namespace {

struct Form {
  std::optional<RouterKind> kind;  // nullopt: for every kind
  Result<std::string> (*render)(const RouterPolicy& policy, const RenderRequest& request);
};
// In the order of Format.
constexpr std::array<Form, kFormatNames.size()> kForms = {{{RouterKind::kRedirect, RenderNft},
                                                           {RouterKind::kRedirect, RenderNft},
                                                           {RouterKind::kRedirect, RenderIptables},
                                                           {RouterKind::kRedirect, RenderIptables},
                                                           {RouterKind::kHttpProxy, RenderSquid},
                                                           {RouterKind::kHttpProxy, RenderSquid},
                                                           {RouterKind::kDnsProxy, RenderHaproxy},
                                                           {{}, RenderEnv},
                                                           {{}, RenderConfigMap},
                                                           {{}, RenderManifest},
                                                           {RouterKind::kRedirect, RenderCr},
                                                           {RouterKind::kRedirect, RenderNad}}};

bool Suits(const Form& form, RouterKind kind) { return !form.kind || *form.kind == kind; }

std::string FormatsOf(RouterKind kind) {
  std::string out;
  for (std::size_t i = 0; i < kForms.size(); ++i) {
    if (Suits(kForms[i], kind)) out += fmt::format("{}{}", out.empty() ? "" : ", ", kFormatNames[i]);
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
  const Form& form = kForms[static_cast<std::size_t>(request.format)];
  if (Suits(form, policy.kind)) return form.render(policy, request);
  return Fail(Code::kUsage,
              fmt::format("a router of the kind {} has no form {}; use one of {}", NameOf(policy.kind),
                          kFormatNames[static_cast<std::size_t>(request.format)], FormatsOf(policy.kind)),
              "--format");
}

}  // namespace prov::router
