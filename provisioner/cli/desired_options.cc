#include "provisioner/cli/desired_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/reconcile/registry_files.h"
#include "provisioner/reconcile/service_name.h"

namespace prov::cli {
namespace {

using reconcile::CredentialPolicy;

Result<reconcile::Scope> ParseScope(const Arguments& arguments) {
  reconcile::Scope scope = reconcile::Scope::None();
  for (const std::string& name : arguments.List("scope")) {
    if (!scope.Add(name)) return RefuseValue("--scope", "a list of", name, reconcile::Scope::All().Names());
  }
  if (scope.Names().empty())
    return Fail(Code::kUsage, "is empty; leave it out for machine, services, winhttp and certs", "--scope");
  return scope;
}

Result<CredentialPolicy> ParseCredentials(const Arguments& arguments) {
  const std::string text = PROV_TRY(OneOf(arguments, "credentials"));
  return reconcile::CredentialPolicyOf(text).value_or(CredentialPolicy::kNone);
}

// A service's name may hold blanks, so several names in one text are refused only where nodes have all of them.
Result<void> RefuseSeveralServices(std::string_view service) {
  std::vector<std::string_view> names = Split(service, ' ');
  std::erase(names, "");
  if (names.size() < 2 || !std::ranges::all_of(names, reconcile::IsNodeService)) return {};
  return Fail(Code::kUsage,
              fmt::format("holds the names of {} services; repeat the option: --service {}", names.size(),
                          fmt::join(names, " --service ")),
              fmt::format("--service \"{}\"", service));
}

Result<std::vector<std::string>> ParseServices(const Arguments& arguments) {
  for (const std::string& given : arguments.All("service")) {
    const std::string_view name = TrimBlanks(given);
    if (name.empty()) {
      return Fail(Code::kUsage, "is empty (an unset variable?); give a name such as containerd, or leave it out",
                  "--service");
    }
    if (name == given) continue;
    return Fail(Code::kUsage, fmt::format("has a blank at an end; write --service \"{}\"", Printable(name)),
                fmt::format("--service \"{}\"", Printable(given)));
  }
  std::vector<std::string> out;
  for (const std::string& service : arguments.List("service")) {
    PROV_TRY(reconcile::CheckServiceName(service));
    PROV_TRY(RefuseSeveralServices(service));
    const bool known =
        std::ranges::any_of(out, [&](const std::string& s) { return reconcile::IsSameService(s, service); });
    if (!known) out.push_back(service);
  }
  return out;
}

// --hns-policy needs --hns-pods: there is no safe default.
Result<void> ParsePodPolicies(const Arguments& arguments, node::Choices& out) {
  if (arguments.Has("hns-policy")) out.hns_policy_file = arguments.Get("hns-policy");
  if (arguments.Has("hns-pods")) out.hns_pods = arguments.Get("hns-pods");
  if (out.hns_policy_file && !out.hns_pods) {
    return Fail(Code::kUsage, "needs --hns-pods all, or --hns-pods with a Kubernetes namespace", "--hns-policy");
  }
  if (out.hns_pods && !out.hns_policy_file) return Fail(Code::kUsage, "needs --hns-policy FILE", "--hns-pods");
  if (out.hns_policy_file && out.scope && !out.scope->hns) {
    return Fail(Code::kUsage, "needs hns in --scope; add it there, or leave out --hns-policy", "--hns-policy");
  }
  return {};
}

Result<void> ParseRegistryFolder(const Arguments& arguments, node::Choices& out) {
  if (!arguments.Has("registry-folder")) return {};
  out.registry_folder = PROV_TRY(reconcile::CheckRegistryFolder(arguments.Get("registry-folder")));
  if (out.scope && !out.scope->registries) {
    return Fail(Code::kUsage, "needs registries in --scope; add it there, or leave out --registry-folder",
                "--registry-folder");
  }
  return {};
}

}  // namespace

OptionSpec TrustOption() {
  return {"trust", "SHA256",
          "import the certificate with this digest even if it is weak, not a CA, or rejected by its own trust "
          "settings; may be repeated",
          Group::kTrust};
}

Result<std::set<std::string, std::less<>>> NamedCertificates(const Arguments& arguments) {
  std::set<std::string, std::less<>> out;
  for (const std::string& text : arguments.List("trust")) {
    auto digest = pki::ParseCertificateDigest(text);
    if (!digest) {
      return Fail(Code::kUsage,
                  fmt::format("takes a certificate's SHA-256, 64 hexadecimal digits with or without colons, as "
                              "provisioner check prints it; not \"{}\"",
                              text),
                  "--trust");
    }
    out.insert(*std::move(digest));
  }
  return out;
}

OptionSpec OctetsOption() {
  return {"winhttp-octets", "",
          "write IPv4 ranges as octet patterns (10.*) into WinHTTP's bypass list; the patterns also match host names",
          Group::kScope};
}

OptionGroup DesiredOptionSpecs() {
  return {
      {"scope", "LIST",
       "what is managed: machine,services,winhttp,certs (default), wininet (machine-wide, for PowerShell 5.1), "
       "registries (see --registry-folder) and hns (policies of pods, see --hns-policy)",
       Group::kScope, false, "machine services winhttp certs wininet registries hns"},
      {"with-wmco", "",
       "leave machine out of the scope, because the Windows Machine Config Operator owns those variables",
       Group::kScope},
      {"service", "NAME", "a service whose Environment is managed, e.g. containerd; may be repeated", Group::kScope},
      {"credentials", "machine|services|none", "where credentials in the proxy URL may be stored (default: machine)",
       Group::kCredentials},
      TrustOption(),
      {"subtract", "FILE", "leave out certificates that this bundle contains, e.g. the system's", Group::kTrust},
      OctetsOption(),
      {"registry-folder", "PATH",
       "write the mirrors of the source and their CAs as hosts.toml files below PATH, which is containerd's "
       "config_path "
       "on the node; adds registries to the scope",
       Group::kScope},
      {"hns-policy", "FILE",
       "redirect the TCP traffic of pods by this policy, or list of them (see provisioner hns-proxy); adds hns to the "
       "scope",
       Group::kScope},
      {"hns-pods", "all|NAMESPACE",
       "pods that get the policy: all, or those of a Kubernetes namespace (needs crictl in PATH)", Group::kScope},
      {"augment", "",
       "add entries to NO_PROXY so that .NET, curl and Python agree better with Go; the decisions of Go stay the same",
       Group::kScope},
  };
}

Result<node::Choices> ParseChoices(const Arguments& arguments) {
  node::Choices out;
  if (arguments.Has("scope")) out.scope = PROV_TRY(ParseScope(arguments));
  out.with_wmco = arguments.Has("with-wmco");
  if (arguments.Has("credentials")) out.credentials = PROV_TRY(ParseCredentials(arguments));
  if (arguments.Has("service")) out.services = PROV_TRY(ParseServices(arguments));
  out.trusted = PROV_TRY(NamedCertificates(arguments));
  if (arguments.Has("subtract")) out.subtract_file = arguments.Get("subtract");
  PROV_TRY(ParseRegistryFolder(arguments, out));
  PROV_TRY(ParsePodPolicies(arguments, out));
  out.win_http_octets = arguments.Has("winhttp-octets");
  out.augment = arguments.Has("augment");
  return out;
}

}  // namespace prov::cli
