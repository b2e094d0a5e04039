#include "provisioner/cli/manifest_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/cli/version.h"
#include "provisioner/publish/pod_policy.h"
#include "provisioner/registries/image_reference.h"
#include "provisioner/source/kube_uri.h"

namespace prov::cli {
namespace {

// An image as kubelet reads it. No default: only who pushed it knows its registry.
Result<std::string> ParseImage(const Arguments& arguments, Findings& findings) {
  std::string image = arguments.Get("image");
  if (!arguments.Has("image")) {
    return Fail(Code::kUsage,
                "is missing; name the image as it is in your registry, for example "
                "registry.example.com/provisioner@sha256:…",
                "--image");
  }
  if (image.empty()) return Fail(Code::kUsage, "is empty (an unset variable?)", "--image");
  if (!PROV_TRY(registries::ParseImageReference(image, "--image")).by_digest()) {
    const bool tagged = image.find(':', image.rfind('/') + 1) != std::string::npos;
    AddInfo(findings, "deploy-tag",
            fmt::format("names {}, which whoever can push to the registry can move to another image; a digest names "
                        "one image, and skopeo copy --digestfile FILE writes it when it pushes",
                        tagged ? "a tag" : "neither a tag nor a digest, so the tag latest counts"),
            "--image");
  }
  return image;
}

// "host", "host:port", "[::1]:6443".
Result<std::pair<std::string, std::string>> ParseApiServer(const Arguments& arguments) {
  constexpr std::string_view kDefaultPort = "443";
  const std::string text = arguments.Get("api-server");
  if (!arguments.Has("api-server")) return std::pair<std::string, std::string>();
  const std::size_t colon = text.ends_with(']') ? std::string::npos : text.rfind(':');
  std::string host = text.substr(0, colon);
  std::string port = colon == std::string::npos ? std::string(kDefaultPort) : text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  constexpr std::string_view kNot = "/ @[]";
  constexpr std::uint64_t kLastPort = 65535;
  const bool is_port = port.size() <= 5 && ParseDecimal(port, kLastPort).value_or(0) != 0;
  if (host.empty() || host.find_first_of(kNot) != std::string::npos || !is_port)
    return Fail(Code::kUsage,
                fmt::format("takes HOST or HOST:PORT with a port from 1 to {}, not \"{}\"", kLastPort, text),
                "--api-server");
  return std::pair(std::move(host), std::move(port));
}

// A name of an object; "": not given.
Result<std::string> ParseName(const Arguments& arguments, std::string_view option) {
  std::string name = arguments.Get(option);
  if (!arguments.Has(option) || source::IsKubeName(name)) return name;
  return Fail(Code::kUsage, fmt::format("takes the name of an object, not \"{}\"", Printable(name)),
              fmt::format("--{}", option));
}

// The manifests describe and label it, and whoever takes them away may delete it.
Result<std::string> ParseNamespace(const Arguments& arguments) {
  std::string name = PROV_TRY(ParseName(arguments, "namespace"));
  if (name != "default" && !publish::IsPlatformNamespace(name)) return name;
  return Fail(
      Code::kUsage,
      fmt::format("names \"{}\", which is a namespace of the cluster itself, and the manifests would change its "
                  "labels; name one for these pods alone",
                  name),
      "--namespace");
}

}  // namespace

OptionGroup ManifestOptionSpecs() {
  return {{"image", "REF", "the image of bake --format oci in your registry, best by its digest (required)",
           Group::kTarget},
          {"namespace", "NAME", "namespace of the pods (default: egress-provisioner)", Group::kTarget},
          {"pull-secret", "NAME",
           "Secret in that namespace with which the image is pulled (default: the nodes' own login)", Group::kTarget},
          {"priority-class", "NAME",
           "priority class of the pods (default: system-node-critical on Windows nodes, none with --keep-secret)",
           Group::kTarget},
          {"api-server", "HOST[:PORT]",
           "address of the API server, for nodes that can't reach service addresses (default: as the cluster tells "
           "pods)",
           Group::kTarget}};
}

Result<fleet::ManifestOptions> ParseManifestOptions(const Arguments& arguments, Findings& findings) {
  fleet::ManifestOptions out;
  out.image = PROV_TRY(ParseImage(arguments, findings));
  out.version = VersionNumber();
  if (arguments.Has("namespace")) out.name_space = PROV_TRY(ParseNamespace(arguments));
  out.pull_secret = PROV_TRY(ParseName(arguments, "pull-secret"));
  out.priority_class = PROV_TRY(ParseName(arguments, "priority-class"));
  std::tie(out.api_host, out.api_port) = PROV_TRY(ParseApiServer(arguments));
  return out;
}

std::string EscapedArgument(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '$' ? "$$" : std::string(1, c);
  return out;
}

}  // namespace prov::cli
