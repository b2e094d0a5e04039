#include "provisioner/cli/explain_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/egress/dialect.h"

namespace prov::cli {
namespace {

using egress::ClientDecision;
using egress::Dialect;
using egress::Explainer;
using registries::ImageEndpoints;

constexpr std::size_t kWidestUrl = 60;

// What containerd, a Go program, does with a request to an endpoint.
struct EndpointAnswer {
  ClientDecision decision;
  std::string note;
  std::optional<router::RequestPath> path;
};

EndpointAnswer AnswerFor(const Explainer& explainer, const registries::Endpoint& endpoint,
                         const ThroughOptions& through) {
  EndpointAnswer out;
  const std::string http = endpoint.url;
  const std::string url = endpoint.tls_first ? "https" + http.substr(http.find(':')) : http;
  const auto to = egress::ParseDestination(url + "/");
  if (!to) {
    out.decision.route = egress::Route::kInvalid;
    out.note = to.error().message;
    return out;
  }
  out.decision = explainer.Decide(Dialect::kGo, *to);
  out.note = explainer.Note(Dialect::kGo, *to, out.decision);
  out.path = through.Follow(*to, out.decision);
  if (!endpoint.tls_first) return out;
  out.note += "; without TLS if that fails";
  const auto plain = egress::ParseDestination(http + "/");
  if (!plain) return out;
  const ClientDecision other = explainer.Decide(Dialect::kGo, *plain);
  if (other.route != out.decision.route || other.proxy != out.decision.proxy)
    out.note += fmt::format(", then {}{}{}", NameOf(other.route), other.proxy.empty() ? "" : " ", other.proxy);
  return out;
}

std::vector<std::string_view> CapabilitiesOf(const registries::Endpoint& endpoint) {
  std::vector<std::string_view> out;
  if (endpoint.pull) out.emplace_back("pull");
  if (endpoint.resolve) out.emplace_back("resolve");
  return out;
}

// What a reader should know of an image's list, with the reason for an empty one.
std::string NoteOf(const ImageEndpoints& image) {
  std::vector<std::string_view> out;
  for (const std::string* one : {&image.refusal, &image.unused, &image.note}) {
    if (!one->empty()) out.emplace_back(*one);
  }
  return fmt::format("{}", fmt::join(out, "; "));
}

// What an earlier line of the list says already: the operator names a registry's stand-in as mirror and as server.
bool IsTwice(const ImageEndpoints& image, const registries::Endpoint& one) {
  return std::ranges::any_of(image.endpoints, [&](const registries::Endpoint& other) {
    return &other < &one && other.url == one.url && other.resolve == one.resolve;
  });
}

// "mirror", or "mirror (no tags)" where a tag is not asked, or "mirror (layers)" where it does not say which digest the
// image has.
std::string RoleOf(const ImageEndpoints& image, const registries::Endpoint& endpoint) {
  const std::string_view limit = !endpoint.pull                                ? " (layers)"
                                 : endpoint.resolve || image.image.by_digest() ? ""
                                                                               : " (no tags)";
  return fmt::format("{}{}", endpoint.mirror ? "mirror" : "registry", limit);
}

std::string DescribeImage(const Explainer& explainer, const ImageEndpoints& image, const ThroughOptions& through,
                          bool colour) {
  std::string out = image.image.Text() + "\n";
  std::size_t url_width = 0;
  std::size_t role_width = 0;
  for (const registries::Endpoint& one : image.endpoints) {
    url_width = std::max(url_width, std::min(Printable(one.url).size(), kWidestUrl));
    role_width = std::max(role_width, RoleOf(image, one).size());
  }
  for (const registries::Endpoint& one : image.endpoints) {
    if (IsTwice(image, one)) continue;
    const EndpointAnswer answer = AnswerFor(explainer, one, through);
    const ClientDecision& decision = answer.decision;
    std::string detail(decision.route == egress::Route::kDirect ? decision.entry : decision.proxy);
    if (!detail.empty()) detail = Printable(detail) + ": ";
    out += fmt::format("  {:<{}}  {:<{}}  {} {}{}\n", Printable(one.url), url_width, RoleOf(image, one), role_width,
                       ColouredCell(decision.route, NameOf(decision.route), 8, colour), detail, Printable(answer.note));
    if (answer.path && answer.path->end != router::RequestPath::End::kInvalid)
      out += fmt::format("  {:<{}}  {}\n", "", url_width + role_width + 2, DescribePath(*answer.path));
  }
  if (!image.refusal.empty()) out += fmt::format("  nobody is asked: {}\n", Printable(image.refusal));
  for (const std::string* note : {&image.unused, &image.note}) {
    if (!note->empty()) out += fmt::format("  note: {}\n", Printable(*note));
  }
  return out;
}

}  // namespace

void WriteImages(JsonWriter& json, const Explainer& explainer, const std::vector<ImageEndpoints>& images,
                 const ThroughOptions& through) {
  json.Key("images").BeginArray();
  for (const ImageEndpoints& image : images) {
    json.BeginObject().Member("image", image.image.Text()).Key("endpoints").BeginArray();
    for (const registries::Endpoint& one : image.endpoints) {
      const EndpointAnswer answer = AnswerFor(explainer, one, through);
      json.BeginObject().Member("url", one.url).Member("mirror", one.mirror);
      json.Strings("capabilities", CapabilitiesOf(one)).Member("decision", NameOf(answer.decision.route));
      WriteTextOrNull(json, "proxy", answer.decision.proxy);
      WriteTextOrNull(json, "entry", answer.decision.entry);
      json.Member("note", answer.note);
      if (through.has_routers()) WriteRoute(json, answer.path ? &*answer.path : nullptr);
      json.EndObject();
    }
    json.EndArray();
    if (const std::string note = NoteOf(image); !note.empty()) json.Member("note", note);
    json.EndObject();
  }
  json.EndArray();
}

std::string DescribeImages(const Explainer& explainer, const std::vector<ImageEndpoints>& images,
                           const ThroughOptions& through, bool colour) {
  std::string out;
  for (const ImageEndpoints& image : images) out += DescribeImage(explainer, image, through, colour);
  return out;
}

}  // namespace prov::cli
