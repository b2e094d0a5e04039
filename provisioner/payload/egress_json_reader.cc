// ReadEgressJson: from the egress.json of a payload back to what it was baked from.
#include <fmt/format.h>

#include "provisioner/base/json_reader.h"
#include "provisioner/payload/egress_json.h"
#include "provisioner/reconcile/service_name.h"

namespace prov::payload {
namespace {

constexpr std::string_view kEgress = "egress.json";

Result<unsigned> ReadMode(const JsonNode& node) {
  const std::string text = PROV_TRY(node.Text());
  unsigned mode = 0;
  for (const char c : text) {
    if (c < '0' || c > '7' || text.size() > 5) return node.Refuse(Code::kType, "is no file mode in octal");
    mode = mode * 8 + static_cast<unsigned>(c - '0');
  }
  return mode;
}

Result<egress::SourceFile> ReadSourceFile(const JsonNode& node) {
  egress::SourceFile file;
  file.path = PROV_TRY(PROV_TRY(node.Get("path")).Text());
  file.present = PROV_TRY(PROV_TRY(node.Get("present")).Bool());
  file.sha256 = PROV_TRY(PROV_TRY(node.Get("sha256")).Text());
  const JsonNode bytes = PROV_TRY(node.Get("bytes"));
  const std::int64_t size = PROV_TRY(bytes.Integer());
  if (size < 0) return bytes.Refuse(Code::kType, "is not a size");
  file.bytes = static_cast<std::size_t>(size);
  file.mode = PROV_TRY(ReadMode(PROV_TRY(node.Get("mode"))));
  return file;
}

Result<void> ReadSourceInfo(const JsonNode& node, egress::SourceInfo& out) {
  out.kind = PROV_TRY(PROV_TRY(node.Get("kind")).Text());
  out.name = PROV_TRY(PROV_TRY(node.Get("name")).Text());
  out.ignition_version = PROV_TRY(PROV_TRY(node.Get("ignitionVersion")).Text());
  return {};
}

Result<void> ReadChoices(const JsonNode& root, reconcile::DesiredOptions& out) {
  out.scope = {false, false, false, false};
  for (const JsonNode& name : PROV_TRY(PROV_TRY(root.Get("scope")).Items())) {
    if (!out.scope.Add(PROV_TRY(name.Text()))) return name.Refuse(Code::kType, "is nothing that this version manages");
  }
  const JsonNode credentials = PROV_TRY(root.Get("credentials"));
  const auto policy = reconcile::CredentialPolicyOf(PROV_TRY(credentials.Text()));
  if (!policy) return credentials.Refuse(Code::kType, "is none of machine, services, none");
  out.credentials = *policy;
  const JsonNode store = PROV_TRY(root.Get("store"));
  const std::string store_name = PROV_TRY(store.Text());
  if (store_name != "split" && store_name != "root-only")
    return store.Refuse(Code::kType, "is neither split nor root-only");
  out.store.root_only = store_name == "root-only";
  out.store.import_leaf = PROV_TRY(PROV_TRY(root.Get("importLeaf")).Bool());
  PROV_TRY(ReadNamedCertificates(root, out.store));
  out.win_http_octets = PROV_TRY(PROV_TRY(root.Get("winHttpOctets")).Bool());
  for (const JsonNode& service : PROV_TRY(PROV_TRY(root.Get("services")).Items())) {
    const JsonNode name = PROV_TRY(service.Get("name"));
    std::string text = PROV_TRY(name.Text());
    if (!reconcile::CheckServiceName(text)) return name.Refuse(Code::kType, "is not a service's name");
    out.services.push_back(std::move(text));
  }
  return {};
}

Result<pki::Certificate> ReadCertificate(const JsonNode& node, const PayloadBytes& files) {
  const JsonNode file = PROV_TRY(node.Get("file"));
  const std::string path = PROV_TRY(file.Text());
  const auto bytes = files.find(path);
  if (bytes == files.end()) return file.Refuse(Code::kManifest, "is not in the payload; bake it again");
  pki::Certificate certificate = PROV_TRY(pki::ParseCertificate(bytes->second, path));
  const JsonNode digest = PROV_TRY(node.Get("sha256"));
  if (PROV_TRY(digest.Text()) != certificate.sha256) {
    return digest.Refuse(Code::kManifest, fmt::format("is not that of {}; bake the payload again", path));
  }
  return certificate;
}

}  // namespace

Result<void> ReadNamedCertificates(const JsonNode& root, pki::StorePolicy& out) {
  const auto trusted = PROV_TRY(root.Find("trusted"));
  if (!trusted) return {};
  for (const JsonNode& node : PROV_TRY(trusted->Items())) {
    auto digest = pki::ParseCertificateDigest(PROV_TRY(node.Text()));
    if (!digest) return node.Refuse(Code::kType, "is not the SHA-256 of a certificate");
    out.named.insert(*std::move(digest));
  }
  return {};
}

Result<void> ReadProxy(const JsonNode& node, egress::EgressConfig& out) {
  for (const auto& [name, value] : PROV_TRY(node.Members())) {
    std::string text = PROV_TRY(value.Text());
    if (name == "HTTP_PROXY") {
      out.http_proxy = Secret(std::move(text));
    } else if (name == "HTTPS_PROXY") {
      out.https_proxy = Secret(std::move(text));
    } else if (name == "NO_PROXY") {
      out.no_proxy = std::move(text);
    } else {
      return value.Refuse(Code::kType, "is none of HTTP_PROXY, HTTPS_PROXY, NO_PROXY");
    }
  }
  return {};
}

Result<EgressDocument> ReadEgressJson(const PayloadBytes& files, std::string_view where) {
  const auto text = files.find(kEgress);
  if (text == files.end())
    return Fail(Code::kManifest, "the payload has no egress.json; bake it again", std::string(where));
  const JsonNode root = PROV_TRY(ParseSchemaOne(text->second, fmt::format("{}: {}", where, kEgress)));
  EgressDocument out;
  out.generation = PROV_TRY(PROV_TRY(root.Get("generation")).Integer());
  PROV_TRY(ReadSourceInfo(PROV_TRY(root.Get("source")), out.config.source));
  PROV_TRY(ReadChoices(root, out.options));
  out.config.proxy_file = PROV_TRY(ReadSourceFile(PROV_TRY(root.Get("proxyFile"))));
  PROV_TRY(ReadProxy(PROV_TRY(root.Get("proxy")), out.config));
  out.config.trust_file = PROV_TRY(ReadSourceFile(PROV_TRY(root.Get("trustFile"))));
  for (const JsonNode& node : PROV_TRY(PROV_TRY(root.Get("certificates")).Items())) {
    out.config.certificates.push_back(PROV_TRY(ReadCertificate(node, files)));
  }
  return out;
}

}  // namespace prov::payload
