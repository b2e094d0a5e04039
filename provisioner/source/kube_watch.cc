#include "provisioner/source/kube_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/hash.h"
#include "provisioner/base/json.h"
#include "provisioner/base/text.h"
#include "provisioner/net/http_status.h"

namespace prov::source {
namespace {

constexpr unsigned kMaxObjectDepth = 100;  // limits the recursion that computes the fingerprint
constexpr std::size_t kMostShown = 300;

JsonLimits LineLimits() {
  JsonLimits out;
  out.depth = kMaxObjectDepth;
  out.values = 2'000'000;
  return out;
}

std::string Bytes(const JsonValue& object, std::string_view name) {
  const JsonValue* value = JsonMember(&object, name);
  return value == nullptr ? "null" : WriteJson(*value, 0);
}

// Text that differs when the object does. It is never empty, because an empty text means that there is no object.
std::string FingerprintOf(const JsonValue& object, KubeKind kind) {
  if (kind == KubeKind::kPool) return fmt::format("config {}", JsonTextAt(object, {"status", "configuration", "name"}));
  // Its annotations are not watched: this program writes one.
  if (kind == KubeKind::kData || kind == KubeKind::kConfigMap) {
    const JsonValue* metadata = JsonMember(&object, "metadata");
    const std::string labels = metadata == nullptr ? "" : Bytes(*metadata, "labels");
    return ToHex(Sha256(Bytes(object, "data") + Bytes(object, "binaryData") + labels));
  }
  std::string text = Bytes(object, "spec");
  if (kind == KubeKind::kProxy) text += Bytes(object, "status");
  return ToHex(Sha256(text));
}

KubeEvent Trouble(Code code, std::string message) {
  KubeEvent out;
  out.kind = KubeEvent::Kind::kError;
  out.error = {code, std::move(message), "watch"};
  return out;
}

// The object of an ERROR event: a metav1.Status.
KubeEvent ServerError(const JsonValue& status) {
  const JsonValue* code = JsonMember(&status, "code");
  const std::string_view reason = JsonTextAt(status, {"reason"});
  const bool gone = code != nullptr && code->IsInt() && code->GetInt() == net::http_status::kGone;
  if (gone || reason == "Expired" || reason == "Gone") return {KubeEvent::Kind::kGone, {}, {}};
  return Trouble(Code::kNetwork, fmt::format("the API server ended the watch (\"{}\")",
                                             Shorten(JsonTextAt(status, {"message"}), kMostShown)));
}

}  // namespace

bool KubeEvent::operator==(const KubeEvent& other) const {
  return kind == other.kind && state == other.state && error.code == other.error.code &&
         error.message == other.error.message && error.where == other.error.where;
}

std::vector<KubeEvent> KubeWatchReader::Feed(std::string_view piece) {
  std::vector<KubeEvent> out;
  while (!ended_ && !piece.empty()) {
    const std::size_t end = std::min(piece.find('\n'), piece.size());
    if (end > most_line_ - line_.size()) {
      ended_ = true;
      line_.clear();
      out.push_back(Trouble(Code::kTooLarge, fmt::format("an event has more than {} bytes", most_line_)));
      return out;
    }
    line_ += piece.substr(0, end);
    if (end == piece.size()) return out;
    piece.remove_prefix(end + 1);
    const std::string line = std::exchange(line_, {});
    ReadLine(line, out);
  }
  return out;
}

void KubeWatchReader::ReadLine(std::string_view line, std::vector<KubeEvent>& out) {
  if (TrimBlanks(line).empty()) return;
  const auto fail = [&](KubeEvent event) {
    ended_ = true;
    out.push_back(std::move(event));
  };
  const auto document = ParseJson(std::string(line), LineLimits());
  if (!document)
    return fail(
        Trouble(document.error().code, "the server sent a line that is not an event: " + document.error().message));
  const JsonValue& root = (*document)->root();
  const JsonValue* object = JsonAt(root, {"object"});
  if (object == nullptr || !object->IsObject())
    return fail(Trouble(Code::kType, "the server sent a line that is not an event: it has no object"));
  const std::string_view type = JsonTextAt(root, {"type"});
  if (type == "ERROR") return fail(ServerError(*object));
  KubeEvent event;
  event.state.resource_version = std::string(JsonTextAt(*object, {"metadata", "resourceVersion"}));
  if (event.state.resource_version.empty()) {
    return fail(Trouble(Code::kType, "the server sent an event without a resource version"));
  }
  if (type == "BOOKMARK") {
    out.push_back(std::move(event));
    return;
  }
  const bool there = type == "ADDED" || type == "MODIFIED";
  if (!there && type != "DELETED") return;  // an event type of a later protocol version
  if (JsonTextAt(*object, {"metadata", "name"}) != name_) return;
  event.kind = KubeEvent::Kind::kState;
  if (there) event.state.fingerprint = FingerprintOf(*object, kind_);
  out.push_back(std::move(event));
}

Result<KubeState> ParseKubeList(std::string body, KubeKind kind, const std::string& name) {
  const auto document = PROV_TRY(ParseJson(std::move(body), LineLimits()));
  const JsonValue& root = document->root();
  const JsonValue* items = JsonAt(root, {"items"});
  KubeState out;
  out.resource_version = std::string(JsonTextAt(root, {"metadata", "resourceVersion"}));
  if (out.resource_version.empty() || (items != nullptr && !items->IsArray())) {
    return Fail(Code::kType, "is not a list of the Kubernetes API: it has no resource version or no items", "$");
  }
  if (items == nullptr) return out;
  for (const JsonValue& item : items->GetArray()) {
    if (JsonTextAt(item, {"metadata", "name"}) != name) continue;
    out.fingerprint = FingerprintOf(item, kind);
  }
  return out;
}

}  // namespace prov::source
