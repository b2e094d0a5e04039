// Requests to the API server, and the meaning of its answers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_uri.h"
#include "provisioner/source/source.h"

namespace prov::source {

// Of what this program writes into objects that others write, too.
inline constexpr std::string_view kFieldManager = "egress-provisioner";
// The label that lets this program write a Secret or ConfigMap, and its values, which say what is kept there.
inline constexpr std::string_view kKeepsLabel = "egress-provisioner/keeps";
inline constexpr std::string_view kUserDataMark = "user-data";
inline constexpr std::string_view kPodParamsMark = "pod-params";

// The object of a request, in the words of a ClusterRole.
struct KubeObject {
  std::string group;         // "" for the core API
  std::string resource;      // plural
  std::string name_space{};  // "" for cluster-scoped objects
  std::string name;
  std::string_view version = "v1";

  // "/apis/GROUP/VERSION/RESOURCE", without a resource "/apis/GROUP/VERSION"; Path() appends "/NAME" if there is one.
  std::string CollectionPath() const;
  std::string Path() const;
};

KubeObject PoolObject(std::string name);
KubeObject MachineConfigObject(std::string name);
KubeObject ControllerConfigObject();
KubeObject ProxyObject();
KubeObject ConfigMapObject(std::string name_space, std::string name);
KubeObject NodeObject(std::string name);  // "": all nodes
KubeObject NodeEvents();                  // the collection for events of nodes
KubeObject EventsIn(std::string name_space);
KubeObject PodObject(std::string name_space, std::string name);
KubeObject SecretObject(std::string name_space, std::string name);
KubeObject LeaseObject(std::string name_space, std::string name);
// The object that a URI names, a ClusterTrustBundle in its newest version.
KubeObject ObjectOf(const KubeTarget& target);
// The same object in the version that older servers have; nullopt: there is none.
std::optional<KubeObject> InOlderVersion(KubeObject object);

// Pauses that double. Each is random between half and all of its length, so that clients that were disconnected
// together don't come back together.
class KubeBackoff {
 public:
  using Random = std::function<std::uint32_t()>;
  KubeBackoff(std::int64_t first_ms, std::int64_t longest_ms, Random random)
      : first_(first_ms), longest_(longest_ms), next_(first_ms), random_(std::move(random)) {}

  std::int64_t Next();
  void Reset() { next_ = first_; }

 private:
  std::int64_t first_, longest_, next_;
  Random random_;
};

// Random numbers that differ between machines, for pauses; not for secrets. Tests have their own.
std::uint32_t KubeRandom();

// Turns a status other than 200 into an error with a remedy. `verb` is that of a ClusterRole. Codes: not-found (404; in
// the core API only if the answer names the object), else network. The place of not-found is the object's path; the
// collection's, if the server does not serve such objects.
Error ExplainKubeStatus(const net::FetchAnswer& answer, std::string_view verb, const KubeObject& object,
                        const KubeAccess& access);

// Whether the same request may succeed a moment later: 429 and 5xx.
bool IsKubeTrouble(int status);

// The milliseconds that the server asks to wait, at most a minute; 0: it doesn't say.
std::int64_t RetryAfterMs(const net::FetchAnswer& answer);

// What the caller of a list needs of each object. A server that can do so leaves out what is not metadata.
enum class KubeDetail { kMetadata, kWhole };

class KubeClient {
 public:
  KubeClient(const KubeAccess& access, const SourcePorts& ports, KubeBackoff::Random random = KubeRandom)
      : access_(access),
        ports_(ports),
        random_(std::move(random)),
        time_(access.timeout_seconds().value_or(kSecondsForAll)) {}

  // The object as JSON, with spare capacity for the parser. Tries up to five times after temporary failures (network,
  // 429, 5xx, a token that was just replaced), and once more after the first 403. All objects together have a minute
  // and a half, or the time that the request sets. Errors: network, tls, not-found, too-large.
  Result<std::string> Get(const KubeObject& object);

  // A page of a collection (`objects` without a name), requested with `query` (URL-encoded). Errors: those of Get().
  Result<std::string> List(const KubeObject& objects, const std::string& query, KubeDetail detail);

  // The whole collection: passes each page to `take`, as JSON. `query` limits the size of a page. Errors: those of
  // Get() and of `take`; json, type (an answer without the place of the next page); too-large (a list that does not
  // end).
  Result<void> ListPages(const KubeObject& objects, const std::string& query, KubeDetail detail,
                         const std::function<Result<void>(std::string page)>& take);

  // Creates an object from this document, which has its name, in a collection (`objects` without a name). Leaves an
  // existing one unchanged. Errors: those of Get().
  Result<void> Create(const KubeObject& objects, const std::string& document);

  // Merges a JSON document into the object (RFC 7386); repeating it has no further effect. Errors: those of Get().
  Result<void> Patch(const KubeObject& object, const std::string& document);

  // The same for a document that names the resource version it is about, by this program's field manager. False:
  // another changed the object since, and nothing was written. Errors: those of Get().
  Result<bool> PatchUnchanged(const KubeObject& object, const std::string& document);

  // Evicts the pod if it still has this uid (policy/v1, Kubernetes 1.22 and later). nullopt: it ends or is gone, which
  // a list shows; else the server's words of why not now, such as those of a PodDisruptionBudget. Errors: those of
  // Get().
  Result<std::optional<std::string>> Evict(const KubeObject& pod, const std::string& uid);

  // Whether the server itself has refused the last request: the status was 400 to 499, and none that may pass or that
  // is about the credentials.
  bool was_refused() const;

 private:
  static constexpr int kSecondsForAll = 90;

  struct Call;
  Result<net::FetchAnswer> Timed(const Call& call);
  Result<net::FetchAnswer> Persist(const Call& call, std::int64_t end);
  Result<net::FetchAnswer> Ask(const Call& call, net::FetchRequest request) const;

  const KubeAccess& access_;
  SourcePorts ports_;
  KubeBackoff::Random random_;
  SourceTime time_;
  int status_ = 0;          // of the last answer; 0: none came
  bool forbidden_ = false;  // a request was answered with 403 before
};

}  // namespace prov::source
