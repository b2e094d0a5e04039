#include "provisioner/hns/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/text.h"

namespace prov::hns {
namespace {

constexpr std::uint32_t kFailure = 0x80000000U;   // the bit of an HRESULT
constexpr std::uint32_t kPlainNotFound = 0x490U;  // kNotFound in an error record
constexpr std::size_t kLongestText = 300;

struct KnownCode {
  std::uint32_t code;
  std::string_view meaning;
  std::string_view remedy;
};

// docs/hns-proxy.md#error-codes
constexpr std::array kKnownCodes = {
    KnownCode{0x803B0001U, "the network is not there", "list the endpoints again"},
    KnownCode{kEndpointMissing, "the endpoint is not there", "list the endpoints again"},
    KnownCode{0x803B0008U, "the policy is not there", "list the policies of the endpoint again"},
    KnownCode{0x803B000CU, "the endpoint is invalid", "check its ID"},
    KnownCode{0x803B000DU, "the policy is invalid", "correct the policy"},
    KnownCode{0x803B000EU, "the type of the policy is invalid", "use Windows Server 2022 or later"},
    KnownCode{0x803B0012U, "the policy is there already", "list the policies of the endpoint"},
    KnownCode{0x803B0015U, "the request is not supported", "use Windows Server 2022 or later"},
    KnownCode{0x803B001BU, "the JSON document is invalid", "report this as a defect"},
    KnownCode{0x803B001EU, "an IP address is invalid", "correct the policy"},
    KnownCode{kNotFound, "it is not there", "list the endpoints again"},
    KnownCode{kPlainNotFound, "it is not there", "list the endpoints again"},
    KnownCode{0x80070005U, "access is denied", "run this as an administrator or as SYSTEM"},
    KnownCode{0x800706BAU, "the service hns does not answer", "start the service hns"},
};

const KnownCode* Known(std::uint32_t code) {
  const auto* found = std::ranges::find(kKnownCodes, code, &KnownCode::code);
  return found == kKnownCodes.end() ? nullptr : found;
}

// Parses an error record as far as possible: an unknown form must not make HNS unusable.
Refusal ReadRecord(const std::string& record) {
  Refusal out{0, std::string(TrimBlanks(record))};
  const Result<JsonNode> root = ParseJsonDocument(record, "error record");
  if (!root) return out;
  if (const auto text = root->Find("Error"); text && *text) {
    if (const Result<std::string> words = (*text)->Text(); words) out.text = TrimBlanks(*words);
  }
  if (const auto code = root->Find("ErrorCode"); code && *code) {
    if (const Result<std::int64_t> number = (*code)->Integer(); number) out.code = static_cast<std::uint32_t>(*number);
  }
  return out;
}

// An unexpected document is an error of HNS, not of the caller.
std::unexpected<Error> Unreadable(const Error& error, const std::string& where) {
  return Fail(Code::kHns,
              fmt::format("the answer of HNS ({}) can't be read: {} ({})", CodeText(kDone), error.message, error.where),
              where);
}

template <class T>
Result<T> AsAnswer(Result<T> read, const std::string& where) {
  if (!read) return Unreadable(read.error(), where);
  return read;
}

Result<std::vector<std::string>> Ids(std::string_view text) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(text, "list"));
  if (root.IsNull()) return std::vector<std::string>();
  return root.Texts();
}

Result<NamespaceProperties> Properties(std::string_view properties) {
  NamespaceProperties out;
  const JsonNode root = PROV_TRY(ParseJsonDocument(properties, "namespace"));
  out.is_of_node = PROV_TRY(root.Find("Type", &JsonNode::Text)) == "HostDefault";
  const std::optional<JsonNode> resources = PROV_TRY(root.Find("Resources"));
  if (!resources) return out;
  const std::vector<JsonNode> items = PROV_TRY(resources->Items());
  for (const JsonNode& item : items) {
    if (PROV_TRY(item.Find("Type", &JsonNode::Text)) != "Endpoint") continue;
    const JsonNode data = PROV_TRY(item.Get("Data"));
    out.endpoints.push_back(PROV_TRY(data.Get("ID", &JsonNode::Text)));
  }
  return out;
}

Result<Version> Parse(std::string_view text, std::string_view call) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(text, "version"));
  if (!PROV_TRY(root.Get("Success", &JsonNode::Bool))) {
    return std::unexpected(ReadRecord(std::string(text)).ToError(call, "HNS"));
  }
  const JsonNode output = PROV_TRY(root.Get("Output"));
  return Version{PROV_TRY(output.Get("Major", &JsonNode::Integer)), PROV_TRY(output.Get("Minor", &JsonNode::Integer))};
}

}  // namespace

std::string CodeText(std::uint32_t code) { return fmt::format("0x{:08x}", code); }

bool Refusal::IsMissing() const { return IsEndpointMissing() || code == kNotFound || code == kPlainNotFound; }

bool Refusal::IsEndpointMissing() const { return code == kEndpointMissing; }

Error Refusal::ToError(std::string_view call, std::string where) const {
  const KnownCode* known = Known(code);
  const std::string words = !text.empty()      ? fmt::format("HNS says: \"{}\"", Shorten(text, kLongestText))
                            : known != nullptr ? std::string(known->meaning)
                                               : std::string("HNS does not say why");
  return {Code::kHns,
          fmt::format("{} failed ({}): {}; {}", call, CodeText(code), words,
                      known != nullptr ? known->remedy : "look into the event log of the Host Network Service"),
          std::move(where)};
}

std::optional<Refusal> RefusalOf(const machine::NetworkAnswer& answer) {
  const bool recorded = !TrimBlanks(answer.error_record).empty();
  const bool failed = (answer.status & kFailure) != 0;
  if (!failed && !recorded) return std::nullopt;
  Refusal out = recorded ? ReadRecord(answer.error_record) : Refusal();
  if (failed) out.code = answer.status;
  return out;
}

Result<std::string> TextOf(machine::NetworkAnswer answer, std::string_view call, const std::string& where) {
  if (const std::optional<Refusal> refusal = RefusalOf(answer); refusal) {
    return std::unexpected(refusal->ToError(call, where));
  }
  return std::move(answer.text);
}

Result<std::vector<std::string>> ReadIds(std::string_view text, const std::string& where) {
  return AsAnswer(Ids(text), where);
}

Result<NamespaceProperties> ReadNamespace(std::string_view properties, const std::string& where) {
  return AsAnswer(Properties(properties), where);
}

bool IsOfAnotherNode(std::string_view endpoint_properties) {
  constexpr std::int64_t kRemote = 1;  // a bit of Flags
  const Result<JsonNode> root = ParseJsonDocument(endpoint_properties, "endpoint");
  if (!root) return false;
  const auto flags = root->Find("Flags");
  if (!flags || !*flags) return false;
  const Result<std::int64_t> number = (*flags)->Integer();
  return number && (*number & kRemote) != 0;
}

std::string Version::Text() const { return fmt::format("{}.{}", major, minor); }

Result<Version> ReadVersion(const machine::NetworkAnswer& answer) {
  constexpr std::string_view kCall = "HNSCall GET /globals/version";
  const std::string text = PROV_TRY(TextOf(answer, kCall, "HNS"));
  Result<Version> version = Parse(text, kCall);
  return version || version.error().code == Code::kHns ? version : Unreadable(version.error(), "HNS");
}

}  // namespace prov::hns
