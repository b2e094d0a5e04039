// Port: requests, for reading sources and for testing whether egress settings work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"

namespace prov::net {

// What a request learned besides its result.
struct HttpNotes {
  // Of a failure, or of a probe's answer of 400 or above: the same request may succeed a moment later.
  bool may_pass = false;
  Findings findings;      // what this program copes with and others on a node don't
  bool is_plain = false;  // TLS was tried with somebody who understood no HTTP, in vain; where set, it is not again
};

struct HttpRequest {
  std::string url;                  // http:// or https://
  std::optional<Secret> proxy_url;  // with its credentials; nullopt: direct
  std::vector<std::string> roots;   // DER: trusted beside nothing else; none: what the system trusts
  bool up_to_roots = false;         // of `roots` only those count that signed themselves, as Windows has it
  int timeout_seconds = 30;         // for all of it
  HttpNotes* notes = nullptr;       // filled where somebody wants them
};

// The client's identity, for servers that require a certificate.
struct ClientIdentity {
  std::string certificate_pem;  // and those that lead to a root, in order
  Secret key_pem;               // not encrypted
};

struct FetchRequest {
  std::string url;                                           // http:// or https://, without credentials
  std::vector<std::pair<std::string, std::string>> headers;  // name and value
  std::optional<Secret> bearer_token;                        // for an Authorization header
  std::optional<Secret> proxy_url;                           // as in HttpRequest
  std::vector<std::string> roots;                            // as in HttpRequest
  std::optional<ClientIdentity> client;
  std::uint64_t most_bytes = 256ULL << 20U;  // a longer body is refused while it arrives
  int connect_seconds = 10;                  // until a connection (with TLS) stands
  int answer_seconds = 10;  // from then until the first byte of the answer; also the longest silence in it
  int total_seconds = 120;  // for all of it; 0: no bound
  // What messages name where a bound is met: the time that whoever wants this gave for all tries; 0: the bound itself.
  int given_seconds = 0;
  // Gets the body's pieces as they arrive instead of FetchAnswer::body, where the status is 200; false ends the
  // transfer, which is no error.
  std::function<bool(std::string_view)> sink;
  // "host:port" to connect to instead of the URL's, whose host is still the name that the certificate is verified for.
  std::string connect_to;
  // The caller has a digest of the body: an answer will do that does not say where its end is.
  bool has_digest = false;
  // Asked once a second or more often, also while nothing arrives; true ends the transfer, which is no error: the
  // answer is what there is by then, with status 0 where there is none.
  std::function<bool()> should_stop;
  HttpNotes* notes = nullptr;  // of an error: `may_pass`
};

// A request that changes something.
struct SendRequest {
  FetchRequest to;
  std::string method;  // "PATCH", "POST"
  std::string content_type;
  std::string body;
};

struct FetchAnswer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // of the last answer, names in lower case
  std::string body;           // as sent, not decompressed; has 64 bytes of spare capacity
  std::string redirect_url;   // of an answer that points elsewhere: where to, absolute
  std::string proxy_refusal;  // of status 407: which proxy wants which credentials, in a sentence

  // The first value; "" where there is none.
  std::string_view Header(std::string_view lower_case_name) const {
    for (const auto& [name, value] : headers) {
      if (name == lower_case_name) return value;
    }
    return {};
  }
};

class Http {
 public:
  virtual ~Http() = default;
  // A GET without following redirects; the body is read up to a small limit and dropped. The status of the answer of
  // the server (not of the proxy's CONNECT). Errors: network (also: the proxy refused, with its status), tls; the
  // message has no secret and says in a sentence what failed.
  virtual Result<int> Get(const HttpRequest& request) = 0;

  // One GET for a document, whatever its status; no redirect is followed and nothing is tried again but what a proxy
  // wants credentials for. Status 407 is the proxy's, that of a refused CONNECT included. A 200 whose end can't be told
  // from a lost connection is an error, unless there is a sink or a digest; so is an answer with two lengths. Errors:
  // network, tls, too-large, scheme, cert (the client's certificate or key), as those of Get().
  virtual Result<FetchAnswer> Fetch(const FetchRequest& request) = 0;

  // The same with a body and a method that is not GET; a body behind a status other than 200 is cut at 64 KiB. Where
  // nothing may be changed, that is an error: internal.
  virtual Result<FetchAnswer> Send(const SendRequest& request) {
    return Fail(Code::kInternal, "nothing is sent from here", request.to.url);
  }
};

// This program's Http port, by libcurl; it lives as long as the program.
Http& LiveHttp();

// The version of the libcurl that is linked in; empty where the system's is loaded when it is needed.
std::string LinkedLibcurlVersion();

// Removes SSLKEYLOGFILE from this process' environment: TLS libraries write the keys of all connections to the file
// that it names. To be called before the first request, and before there are threads.
void ForgetKeyLogFile();

}  // namespace prov::net
