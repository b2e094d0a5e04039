#include "provisioner/source/document_source.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "ignition/yaml.h"
#include "provisioner/base/command_output.h"
#include "provisioner/base/json.h"
#include "provisioner/source/document_kinds.h"
#include "provisioner/source/source_members.h"

namespace prov::source {
namespace {

bool IsPresent(const SourceObjects& found, const ObjectKind& kind) {
  return kind.objects == nullptr ? found.machine_config : !(found.*kind.objects).empty();
}

std::string_view WordsOf(const ObjectKind& kind) { return kind.words.empty() ? kind.name : kind.words; }

// Reports the other objects that the file holds. Their document may be freed already.
void ReportOthers(const SourceObjects& found, const ObjectKind& taken, const std::string& where,
                  egress::EgressConfig& config) {
  for (const auto& [kind, path] : found.others) ReportNotRead(kind->subject, kind->kind, kind->words, path, config);
  for (const ObjectKind& kind : ObjectKinds()) {
    if (!kind.of_cluster || &kind == &taken || !IsPresent(found, kind)) continue;
    AddInfo(config.findings, "other-objects",
            fmt::format("{} was passed over: {} in the same source says what nodes get", WordsOf(kind), WordsOf(taken)),
            where);
  }
}

// Reads the objects of the first kind that is present.
Result<Reading> ReadFirstKind(ParsedSource source) {
  const SourceObjects found = PROV_TRY(FindObjects(*source.document));
  for (const ObjectKind& kind : ObjectKinds()) {
    if (!IsPresent(found, kind)) continue;
    std::optional<Reading> reading = PROV_TRY(kind.read(found, source));
    if (!reading) continue;
    ReportOthers(found, kind, source.where, reading->config);
    return *std::move(reading);
  }
  return *PROV_TRY(ObjectKinds().front().read(found, source));
}

Result<Reading> ReadByContent(std::string bytes, const std::string& where, const ignition::Selection& selection,
                              const ignition::Limits& limits, ignition::Fetcher* fetcher) {
  if (bytes.find_first_not_of(" \t\r\n") == std::string::npos)
    return Fail(Code::kJson, "is empty; did the command that should have filled it fail?", where);
  if (!ignition::BeginsAsJson(bytes)) {  // no text begins like JSON
    if (auto output = DescribeCommandOutput(bytes)) return Fail(Code::kKind, *std::move(output), where);
    for (const TextKind& kind : TextKinds()) {
      if (kind.recognises(bytes)) return kind.read(std::move(bytes), where);
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

Result<egress::EgressConfig> ReadDocument(std::string bytes, const std::string& where,
                                          const ignition::Selection& selection, ignition::Fetcher* fetcher,
                                          const ignition::Limits& limits) {
  // The document is freed first, so that it and the certificates are never in memory together.
  auto reading = ReadByContent(std::move(bytes), where, selection, limits, fetcher);
  if (!reading) return std::unexpected(OfDocument(std::move(reading).error(), where));
  auto out = Finish(*std::move(reading));
  if (!out) return std::unexpected(OfDocument(std::move(out).error(), where));
  return out;
}

}  // namespace prov::source
