// Port: HTTP requests, for reading sources and for testing whether egress settings work.
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

// What a request found besides its result.
struct HttpNotes {
  // For a failure, or a probe's status of 400 or above: the same request may succeed a moment later.
  bool is_temporary = false;
  bool is_plain = false;        // what should have been TLS was answered without it
  bool is_unreachable = false;  // without a proxy, no connection to the server came about
  Findings findings;            // about properties of servers and proxies that other programs on a node can't handle
};

struct HttpRequest {
  std::string url;                  // http:// or https://
  std::optional<Secret> proxy_url;  // with its credentials; nullopt: direct
  std::vector<std::string> roots;   // DER: the only trusted roots; empty: the system's
  bool up_to_roots = false;         // only self-signed ones of the roots count, as on Windows
  bool of_machine = false;          // `roots` are the ROOT store of an image, and messages speak of no source
  int timeout_seconds = 30;         // for the whole request
  HttpNotes* notes = nullptr;       // filled in if not null
};

// The client's identity, for servers that require a certificate.
struct ClientIdentity {
  std::string certificate_pem;  // the certificate and its intermediates, in order
  Secret key_pem;               // unencrypted
};

struct FetchRequest {
  std::string url;                                           // http:// or https://, without credentials
  std::vector<std::pair<std::string, std::string>> headers;  // name and value
  std::optional<Secret> bearer_token;                        // for an Authorization header
  std::optional<Secret> authorization;                       // its whole value, in the place of bearer_token
  std::optional<Secret> proxy_url;                           // as in HttpRequest
  std::vector<std::string> roots;                            // as in HttpRequest
  std::optional<ClientIdentity> client;
  std::uint64_t most_bytes = 256ULL << 20U;  // a larger body is refused as soon as it arrives
  int connect_seconds = 10;                  // until connected, with TLS
  int answer_seconds = 10;  // from then until the first byte of the answer; also the longest pause in it
  int total_seconds = 120;  // for everything; 0: no limit
  // The time that messages name when a limit is reached: what the caller had for all tries; 0: the limit itself.
  int given_seconds = 0;
  // Called with pieces of the body as they arrive, instead of FetchAnswer::body, if the status is 200. Returning false
  // ends the transfer without an error.
  std::function<bool(std::string_view)> sink;
  bool head = false;  // HEAD: the headers without the body
  // Trusts as HttpRequest does: of the roots only self-signed ones count.
  bool as_node = false;
  bool of_machine = false;     // as in HttpRequest
  bool skip_verify = false;    // the server's certificate is not verified; a proxy's is
  bool beside_system = false;  // `roots` are trusted beside the system's
  // "host:port" to connect to instead of the URL's. The certificate is still verified for the URL's host.
  std::string connect_to;
  // The caller has a digest of the body, so the answer need not say where it ends.
  bool has_digest = false;
  // Called at least once a second, also while nothing arrives. Returning true ends the transfer without an error: the
  // answer is what has arrived by then, with status 0 if there is none.
  std::function<bool()> should_stop;
  HttpNotes* notes = nullptr;  // `is_temporary` of an error
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
  std::string redirect_url;   // absolute URL of a redirect
  std::string proxy_refusal;  // for status 407: a sentence about the proxy and the credentials that it requires

  // The first value of the header; "" if there is none.
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
  // A GET that does not follow redirects; reads the body up to a small limit and drops it. Returns the status of the
  // server's answer (not of the proxy's to CONNECT). Errors: network (also if the proxy refused, with its status), tls.
  // The message has no secrets and says in a sentence what failed.
  virtual Result<int> Get(const HttpRequest& request) = 0;

  // One GET for a document; any status is an answer. Follows no redirect, and repeats the request only with credentials
  // that a proxy requires. Status 407 is the proxy's, also from a refused CONNECT. Without a sink or digest, a 200 is
  // an error if its end can't be distinguished from a lost connection; so is an answer with two different lengths.
  // Errors: network, tls, too-large, scheme, cert (the client's certificate or key), as those of Get().
  virtual Result<FetchAnswer> Fetch(const FetchRequest& request) = 0;

  // The same with a body and a method other than GET. The body of a status other than 200 is cut at 64 KiB. Errors:
  // also internal, on a host that must not change anything.
  virtual Result<FetchAnswer> Send(const SendRequest& request) {
    return Fail(Code::kInternal, "nothing is sent from here", request.to.url);
  }
};

// This program's Http port, through libcurl; it lives as long as the program.
Http& LiveHttp();

// The version of a linked libcurl; empty if the system's is loaded on first use.
std::string LinkedLibcurlVersion();

// Removes SSLKEYLOGFILE from this process' environment: TLS libraries write the keys of all connections to that file.
// Call it before the first request, and before there are threads.
void ForgetKeyLogFile();

}  // namespace prov::net
