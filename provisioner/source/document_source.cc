#include "provisioner/source/document_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "ignition/yaml.h"
#include "provisioner/base/command_output.h"
#include "provisioner/base/json.h"
#include "provisioner/base/text.h"
#include "provisioner/source/document_kinds.h"
#include "provisioner/source/gathered_files.h"
#include "provisioner/source/gathered_source.h"
#include "provisioner/source/mirror_objects.h"
#include "provisioner/source/pod_environment_source.h"
#include "provisioner/source/source_members.h"
#include "provisioner/source/text_source.h"
#include "provisioner/source/trust_objects.h"
#include "provisioner/source/user_data_secret.h"

namespace prov::source {
namespace {

bool IsPresent(const SourceObjects& found, const ObjectKind& kind) {
  return kind.objects == nullptr ? found.machine_config : !(found.*kind.objects).empty();
}

std::string_view WordsOf(const ObjectKind& kind) { return kind.words.empty() ? kind.name : kind.words; }

// What is to be told of objects that a kind of object does not read, as their document may be freed with it.
struct Beside {
  std::string bundles;  // ConfigMaps with certificates, by name
  std::string secrets;  // Secrets with user data, by name
  bool pods = false;
};

bool IsTrustAlone(const ObjectKind& kind) { return kind.name == "ConfigMap" || kind.name == "ClusterTrustBundle"; }

Beside FindBeside(const SourceObjects& found, const ObjectKind& taken) {
  const bool reads_bundles = taken.name == "Proxy" || taken.name == "HostedCluster" || taken.name == "ConfigMap";
  const bool has_variables =
      std::ranges::any_of(found.pods, [](const FoundObject& pod) { return HasProxyVariables(pod.object, pod.kind); });
  return {.bundles = reads_bundles ? "" : NamesWithCertificates(found.config_maps),
          .secrets = taken.name == "Ignition" ? "" : NamesWithUserData(found.secrets),
          .pods = taken.name != "PodTemplate" && (IsTrustAlone(taken) ? !found.pods.empty() : has_variables)};
}

// Whether nodes lose their proxy or certificates by what was read: it states that there are none.
bool StatesNoProxy(const egress::EgressConfig& config) {
  return config.proxy_file.present && !config.http_proxy && !config.https_proxy;
}
bool StatesNoTrust(const Reading& reading) {
  return !reading.trust.empty() &&
         std::ranges::all_of(reading.trust, [](const TrustText& text) { return text.bytes.empty(); });
}

// Reports what may speak of the proxy, and with `has_trust` of certificates: as not read where there are none
// otherwise.
void ReportPassedOver(std::string_view what, bool has_trust, std::string_view taken, const std::string& where,
                      Reading& reading) {
  const std::string words = fmt::format("beside {} it is not; give it in a file of its own", taken);
  const bool no_proxy = StatesNoProxy(reading.config);
  const bool no_trust = has_trust && StatesNoTrust(reading);
  if (no_proxy) ReportNotRead(Subject::kProxy, what, words, where, reading.config);
  if (no_trust) ReportNotRead(Subject::kTrust, what, words, where, reading.config);
  if (no_proxy || no_trust) return;
  AddInfo(reading.config.findings, "other-objects",
          fmt::format("{} was passed over: {} in the same source says what nodes get", what, taken), where);
}

void ReportBeside(const Beside& beside, const ObjectKind& taken, const std::string& where, Reading& reading) {
  egress::EgressConfig& config = reading.config;
  if (!beside.secrets.empty())
    ReportPassedOver(fmt::format("user data in Secrets ({})", beside.secrets), true, WordsOf(taken), where, reading);
  if (beside.pods && IsTrustAlone(taken)) {
    ReportNotRead(Subject::kProxy, "a pod or what makes pods",
                  fmt::format("with {} only the certificates are; give it in a file of its own", taken.name), where,
                  config);
  } else if (beside.pods) {
    ReportPassedOver("a pod with proxy variables", false, WordsOf(taken), where, reading);
  }
  if (beside.bundles.empty()) return;
  const bool has_others = std::ranges::any_of(reading.trust, [](const TrustText& text) { return !text.bytes.empty(); });
  if (has_others) {
    AddInfo(config.findings, "other-objects",
            fmt::format("ConfigMaps with certificates were passed over ({}): {} in the same source says what nodes get",
                        beside.bundles, WordsOf(taken)),
            where);
    return;
  }
  ReportNotRead(Subject::kTrust, "a ConfigMap with certificates",
                fmt::format("beside {} it is not ({}); give it in a file of its own", WordsOf(taken), beside.bundles),
                where, config);
}

// Reports the other objects that the file holds. Their document may be freed already.
void ReportOthers(const SourceObjects& found, const ObjectKind& taken, const std::string& where,
                  egress::EgressConfig& config) {
  for (const auto& [kind, path] : found.others)
    if (kind->kind != taken.name) ReportNotRead(kind->subject, kind->kind, kind->words, path, config);
  for (const ObjectKind& kind : ObjectKinds()) {
    if (!kind.of_cluster || &kind == &taken || !IsPresent(found, kind)) continue;
    AddInfo(config.findings, "other-objects",
            fmt::format("{} was passed over: {} in the same source says what nodes get", WordsOf(kind), WordsOf(taken)),
            where);
  }
}

// Adds what the mirror objects beside a source say, unless it has the files that a cluster makes of such objects.
void AddMirrors(std::optional<Result<registries::Mirrors>> beside, const std::string& where,
                egress::EgressConfig& config) {
  if (!beside) return;
  if (!config.mirrors.stated() && !config.mirrors.fault) return TakeMirrors(*std::move(beside), config);
  AddInfo(config.findings, "other-objects",
          "the mirror sets were passed over: registries.conf in the same source says what nodes get", where);
}

// Whether the document is an array of a cluster's objects, as jq -s makes it of objects in a row.
bool IsArrayOfObjects(const JsonDocument& document) {
  const JsonValue& root = document.root();
  return !document.several && root.IsArray() && !root.Empty() &&
         std::ranges::all_of(root.GetArray(),
                             [](const JsonValue& one) { return one.IsObject() && !JsonTextAt(one, {"kind"}).empty(); });
}

// Reads the objects of the first kind that is present.
Result<Reading> ReadFirstKind(ParsedSource source) {
  if (IsArrayOfObjects(*source.document)) source.document->several = true;
  const SourceObjects found = PROV_TRY(FindObjects(*source.document));
  // Now, because the document may be freed by the reader of another object.
  std::optional<Result<registries::Mirrors>> mirrors;
  if (!found.mirror_objects.empty()) mirrors = ReadMirrorObjects(found.mirror_objects);
  for (const ObjectKind& kind : ObjectKinds()) {
    if (!IsPresent(found, kind)) continue;
    const Beside beside = FindBeside(found, kind);
    std::optional<Reading> reading = PROV_TRY(kind.read(found, source));
    if (!reading) continue;
    ReportBeside(beside, kind, source.where, *reading);
    AddMirrors(std::move(mirrors), source.where, reading->config);
    ReportOthers(found, kind, source.where, reading->config);
    return *std::move(reading);
  }
  return *PROV_TRY(ObjectKinds().front().read(found, source));
}

struct BinaryKind {
  std::size_t at;
  std::string_view bytes;
  std::string_view words;
  bool is_archive = false;
};
constexpr std::array<BinaryKind, 11> kBinaryKinds = {{{0, "MZ", "a program for Windows"},
                                                      {0, "\177ELF", "a program for Linux"},
                                                      {0, "regf", "a registry hive"},
                                                      {0, "MSWIM", "a WIM image"},
                                                      {0, "PK\x03\x04", "a zip archive", true},
                                                      {0, "\x1f\x8b", "a gzip archive", true},
                                                      {0, "\3757zXZ", "an xz archive", true},
                                                      {0, "\x28\xb5\x2f\xfd", "a zstd archive", true},
                                                      {0, "7z\xbc\xaf", "a 7z archive", true},
                                                      {257, "ustar", "a tar archive", true},
                                                      {0x8001, "CD001", "a drive", true}}};

// Says which binary file this is instead of a document; nullopt: none that is known.
std::optional<std::string> DescribeBinary(std::string_view bytes) {
  constexpr std::size_t kHead = 512;
  if (bytes.substr(0, kHead).find('\0') == std::string_view::npos) return std::nullopt;  // a text may begin so, too
  for (const BinaryKind& kind : kBinaryKinds) {
    if (bytes.size() < kind.at || !bytes.substr(kind.at).starts_with(kind.bytes)) continue;
    return fmt::format("is {} and not a source; {}", kind.words,
                       kind.is_archive ? "unpack it, and give the folder or the document in it"
                                       : "give the document or the payload with the settings");
  }
  return std::nullopt;
}

// A text holds no objects among which a name could choose.
Result<void> RefuseName(const ignition::Selection& selection, std::string_view words, const std::string& where) {
  if (selection.name.empty()) return {};
  return Fail(Code::kNotFound,
              fmt::format("is {} and has no object {}; omit --name, or give the file with the object", words,
                          Shorten(selection.name)),
              where);
}

Result<Reading> ReadByContent(std::string bytes, const std::string& where, const ignition::Selection& selection,
                              const ignition::Limits& limits, ignition::Fetcher* fetcher) {
  if (bytes.find_first_not_of(" \t\r\n") == std::string::npos)
    return Fail(Code::kJson, "is empty; did the command that should have filled it fail?", where);
  if (auto binary = DescribeBinary(bytes)) return Fail(Code::kKind, *std::move(binary), where);
  if (IsUnitText(bytes)) {  // "[Service]" would begin JSON
    PROV_TRY(RefuseName(selection, "a unit of systemd", where));
    return ReadUnitText(std::move(bytes), where);
  }
  if (!ignition::BeginsAsJson(bytes)) {  // no text begins like JSON
    if (auto output = DescribeCommandOutput(bytes)) return Fail(Code::kKind, *std::move(output), where);
    for (const TextKind& kind : TextKinds()) {
      if (!kind.recognises(bytes)) continue;
      PROV_TRY(RefuseName(selection, kind.words, where));
      return kind.read(std::move(bytes), where);
    }
  }
  auto document = PROV_TRY(ignition::ParseJsonOrYaml(std::move(bytes), limits, ignition::Documents::kSeveral));
  return ReadFirstKind({std::move(document), where, selection, limits, fetcher});
}

// Adds the document's name to an error whose place is in the document. An address belongs to another document.
Error OfDocument(Error error, const std::string& document) {
  if (error.where.empty()) {
    error.where = document;
  } else if (error.file.empty() && error.where != document && error.where.find("://") == std::string::npos) {
    error.file = document;
  }
  return error;
}

}  // namespace

Result<egress::EgressConfig> FinishIn(Result<Reading> reading, const std::string& where) {
  if (!reading) return std::unexpected(OfDocument(std::move(reading).error(), where));
  auto out = Finish(*std::move(reading));
  if (!out) return std::unexpected(OfDocument(std::move(out).error(), where));
  return out;
}

Result<egress::EgressConfig> ReadParsedDocument(std::unique_ptr<JsonDocument> document, const std::string& where,
                                                const ignition::Selection& selection, ignition::Fetcher* fetcher,
                                                const ignition::Limits& limits) {
  return FinishIn(ReadFirstKind({std::move(document), where, selection, limits, fetcher}), where);
}

Result<egress::EgressConfig> ReadDocument(std::string bytes, const std::string& where,
                                          const ignition::Selection& selection, ignition::Fetcher* fetcher,
                                          const ignition::Limits& limits) {
  if (IsTarArchive(bytes)) return ReadGatheredArchive(ReadBytesOf(bytes), where, selection, fetcher, limits);
  // The document is freed first, so that it and the certificates are never in memory together.
  return FinishIn(ReadByContent(std::move(bytes), where, selection, limits, fetcher), where);
}

}  // namespace prov::source
