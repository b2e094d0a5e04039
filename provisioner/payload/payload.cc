#include "provisioner/payload/payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/payload/egress_json.h"
#include "provisioner/payload/manifest.h"
#include "provisioner/payload/operations.h"
#include "provisioner/payload/registry_payload.h"
#include "provisioner/pki/trust_bundle.h"
#include "templates/templates.h"

namespace prov::payload {
namespace {

void AddTrust(const reconcile::DesiredState& state, std::vector<PayloadFile>& files) {
  for (const reconcile::CertificateItem& item : state.certificates) {
    files.push_back({CertificatePath(item), item.certificate.der, false,
                     fmt::format("certificate for the machine's {} store (DER)", pki::NameOf(item.store))});
  }
  files.push_back({"trust/bundle.pem", BundlePem(state), false,
                   "the same certificates as PEM, for programs that read a bundle file"});
}

void AddTemplates(const PayloadOptions& options, std::vector<PayloadFile>& files) {
  const auto add = [&](std::string path, std::string_view text, std::string purpose) {
    files.push_back({std::move(path), std::string(text), false, std::move(purpose)});
  };
  add("scripts/Apply-Egress.ps1", templates::ApplyEgressPs1(),
      "carries out operations.json on a node without provisioner.exe; -Undo takes it back");
  add("scripts/SetupComplete.cmd", templates::SetupCompleteCmd(),
      "runs provisioner.exe, or else Apply-Egress.ps1, when Windows setup is done");
  if (options.unattend) {
    // secret: it may hold passwords of administrators or of a domain
    files.push_back({"unattend.xml", *options.unattend, true,
                     "the given answer file, which runs the same in the specialize pass, too"});
  } else {
    add("unattend.xml", templates::UnattendXml(), "answer file: runs the same in the specialize pass");
  }
  add("README.txt", templates::ReadmeTxt(), "says who consumes which file");
}

constexpr std::array<std::string_view, 14> kFixedPaths = {"README.txt",
                                                          "egress.json",
                                                          "manifest.json",
                                                          kSignaturePath,
                                                          kNextSignerPath,
                                                          "operations.json",
                                                          "provisioner.exe",
                                                          "registry/SOFTWARE.hiv",
                                                          "registry/SYSTEM.hiv",
                                                          "registry/egress.reg",
                                                          "scripts/Apply-Egress.ps1",
                                                          "scripts/SetupComplete.cmd",
                                                          "trust/bundle.pem",
                                                          "unattend.xml"};
constexpr std::array<std::string_view, 5> kFolders = {"registry", "scripts", "trust", "trust/CA", "trust/ROOT"};

bool IsCertificatePath(std::string_view path) {
  for (const std::string_view prefix : {std::string_view("trust/CA/"), std::string_view("trust/ROOT/")}) {
    if (!path.starts_with(prefix) || !path.ends_with(".cer")) continue;
    const std::string_view name = path.substr(prefix.size(), path.size() - prefix.size() - 4);
    return name.size() == 40 && FromHex(name).has_value();
  }
  return false;
}

}  // namespace

bool IsPayloadPath(std::string_view path) {
  return std::ranges::find(kFixedPaths, path) != kFixedPaths.end() || IsCertificatePath(path);
}
bool IsPayloadFolder(std::string_view path) { return std::ranges::find(kFolders, path) != kFolders.end(); }

unattend::AnswerFileCommand PayloadCommand() {
  unattend::AnswerFileCommand out;
  out.description = "Apply the egress settings of the cluster";
  out.command_line = R"(cmd.exe /d /c %SystemRoot%\Setup\Scripts\Provisioner\scripts\SetupComplete.cmd specialize)";
  return out;
}

std::string BundlePem(const reconcile::DesiredState& state) {
  std::vector<pki::Certificate> certificates;
  certificates.reserve(state.certificates.size());
  for (const reconcile::CertificateItem& item : state.certificates) certificates.push_back(item.certificate);
  return pki::EncodePem(certificates);
}

Result<Payload> MakePayload(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                            PayloadOptions options) {
  const bool secret = state.holds_credentials;
  Payload payload{options.generation, {}, options.cluster};
  std::vector<PayloadFile>& files = payload.files;
  files.push_back({"egress.json", EgressJson(config, state, options.generation), secret,
                   "the settings, as a source of this program"});
  files.push_back({"operations.json", OperationsJson(config, state, options.generation), false,
                   "what Apply-Egress.ps1 carries out; passwords are in egress.json alone"});
  files.push_back({"registry/SYSTEM.hiv", PROV_TRY(SystemHive(state)), secret,
                   "environments as a SYSTEM hive, for offline merging"});
  files.push_back({"registry/SOFTWARE.hiv", PROV_TRY(SoftwareHive(state)), false,
                   state.win_inet ? "WinHTTP, WinINET and certificates as a SOFTWARE hive, for offline merging"
                                  : "WinHTTP and certificates as a SOFTWARE hive, for offline merging"});
  files.push_back({"registry/egress.reg", RegistryFile(state), secret, "all of it for `reg import` on a live node"});
  AddTrust(state, files);
  AddTemplates(options, files);
  if (options.exe)
    files.push_back({"provisioner.exe", *std::move(options.exe), false, "the program itself, for Windows"});
  if (!options.next_signer.empty())
    files.push_back({std::string(kNextSignerPath), std::move(options.next_signer), false,
                     "the signer that the present one introduces (DER)"});
  AddManifest(files, {options.generation, options.cluster});
  return payload;
}

}  // namespace prov::payload
