#include "provisioner/net/http_failure.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "provisioner/net/http_status.h"
#include "provisioner/net/proxy_answer.h"

namespace prov::net {
namespace {

std::string Peer(const HttpFailure& failure) {
  return failure.proxy.empty() ? std::string("the server") : "the proxy " + failure.proxy;
}

std::string Detail(const HttpFailure& failure) {
  return failure.detail.empty() ? std::string() : fmt::format(" ({})", failure.detail);
}

std::string ConnectMessage(const HttpFailure& failure) {
  if (failure.refused) {
    return fmt::format("{} refused the connection: nothing listens at this address and port; check both",
                       Peer(failure));
  }
  return fmt::format("cannot connect to {}: a firewall or a missing route is in the way{}", Peer(failure),
                     failure.proxy.empty() ? "; does this destination need the proxy?" : "");
}

std::string Seconds(int count) { return fmt::format("{} second{}", count, count == 1 ? "" : "s"); }

std::string TimeoutMessage(const HttpFailure& failure) {
  if (!failure.connected) {
    return fmt::format(
        "{} accepted no connection within {}: its address is wrong, or a firewall drops the packets; check both",
        Peer(failure), Seconds(failure.timeout_seconds));
  }
  return fmt::format(
      "{} {} within {}: it hangs{}; see its log", Peer(failure),
      failure.after_login ? "asked for credentials and did not answer the request with them" : "did not answer",
      Seconds(failure.timeout_seconds), failure.proxy.empty() ? "" : ", or can't reach the destination");
}

std::string CutMessage(const HttpFailure& failure) {
  if (failure.after_login) {
    return fmt::format(
        "{} asked for credentials, and ended the connection when it got them{}: see its log, and check user name and "
        "password",
        Peer(failure), Detail(failure));
  }
  return fmt::format("{} ended the connection before it answered{}: see its log", Peer(failure), Detail(failure));
}

std::string CertificateMessage(const HttpFailure& failure) {
  const bool of_proxy = failure.trouble == HttpTrouble::kProxyCertificate;
  CertificateFailure out = failure.certificate;
  out.whose = of_proxy ? Peer(failure) : "the server";
  if (of_proxy) out.host = failure.proxy.substr(0, failure.proxy.rfind(':'));  // certificates have no ports
  out.behind_proxy = !of_proxy && !failure.proxy.empty();
  out.detail = failure.detail;
  return ExplainCertificate(out);
}

// For an http:// URL whose port speaks TLS.
std::string SpeaksTlsMessage(const HttpFailure& failure) {
  return fmt::format(
      "{} speaks TLS on this port and its URL starts with http://: let it start with https://, or name "
      "the port without TLS",
      Peer(failure));
}

// For an https:// URL whose port does not speak TLS.
std::string PlainMessage(const HttpFailure& failure) {
  if (failure.with_proxy) {
    return fmt::format(
        "{} does not speak TLS on this port and its URL starts with https://: let it start with http://, "
        "or name its TLS port",
        Peer(failure));
  }
  return "the server does not speak TLS on this port and the URL starts with https://: name its TLS port, or let the "
         "URL start with http://";
}

std::string TlsCutMessage(const HttpFailure& failure) {
  if (failure.with_proxy || failure.proxy.empty()) {
    return fmt::format(
        "{} ended the connection while TLS was being set up{}: is this its TLS port, and does a firewall interfere?",
        Peer(failure), Detail(failure));
  }
  return fmt::format(
      "the proxy {} accepted CONNECT, but the connection ended during the TLS handshake with the server{}: the proxy's "
      "rules or a firewall behind it block this destination",
      failure.proxy, Detail(failure));
}

std::string Message(const HttpFailure& failure) {
  if (failure.speaks_tls) return SpeaksTlsMessage(failure);
  switch (failure.trouble) {
    case HttpTrouble::kProxyName:
      return fmt::format("the address of the proxy {} is not found: check its name and this machine's DNS",
                         failure.proxy);
    case HttpTrouble::kServerName:
      return "the address of the server is not found: check its name and this machine's DNS, or whether this "
             "destination needs the proxy";
    case HttpTrouble::kConnect:
      return ConnectMessage(failure);
    case HttpTrouble::kTimeout:
      return TimeoutMessage(failure);
    case HttpTrouble::kCertificate:
    case HttpTrouble::kProxyCertificate:
      return CertificateMessage(failure);
    case HttpTrouble::kPlain:
      return PlainMessage(failure);
    case HttpTrouble::kTlsCut:
      return TlsCutMessage(failure);
    case HttpTrouble::kTls:
      return fmt::format("no TLS connection was established{}: is this a TLS port, and does it offer TLS 1.2 or later?",
                         Detail(failure));
    case HttpTrouble::kCut:
      return CutMessage(failure);
    case HttpTrouble::kCutBody:
      return fmt::format(
          "the connection ended before the answer was complete{}: the server{} or a firewall on the way cut it; see "
          "their logs",
          Detail(failure), failure.proxy.empty() ? "" : fmt::format(", the proxy {}", failure.proxy));
    case HttpTrouble::kNotHttp:
      return fmt::format("{} answers with something that is not HTTP: is this its port?", Peer(failure));
    case HttpTrouble::kHeaders:
      return fmt::format("{} has larger headers than any program takes: is this the right host and port?",
                         failure.detail.starts_with("CONNECT")
                             ? fmt::format("the answer of the proxy {} to CONNECT", failure.proxy)
                             : "the answer");
    case HttpTrouble::kOther:
      break;
  }
  return fmt::format("the request failed{}", Detail(failure));
}

bool IsTls(const HttpFailure& failure) {
  switch (failure.trouble) {
    case HttpTrouble::kCertificate:
    case HttpTrouble::kProxyCertificate:
    case HttpTrouble::kPlain:
    case HttpTrouble::kTlsCut:
    case HttpTrouble::kTls:
      return true;
    default:
      return failure.speaks_tls;
  }
}

struct Reason {
  std::string_view word;
  const char* meaning;
};

// Squid's error pages that say more than the status.
constexpr std::array kReasons = {
    Reason{"ERR_DNS_FAIL", "it does not find the destination's address: check the name, and the proxy's DNS"},
    Reason{"ERR_CONNECT_FAIL",
           "the destination does not answer: check the port, and the firewalls behind the "
           "proxy"},
    Reason{"ERR_CANNOT_FORWARD",
           "it has no route to the destination: check the name, the proxy's DNS and its own connection"},
    Reason{"ERR_ACCESS_DENIED", "its rules forbid this destination or this client: have it allowed there"},
};

// The meaning of a proxy's refusal, with a remedy.
std::string ExplainProxyStatus(int status, const std::string& reason) {
  for (const Reason& known : kReasons) {
    if (known.word == reason) return known.meaning;
  }
  switch (status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return "it points elsewhere, as a login page does, and no client follows that: check the proxy's host and port, "
             "or "
             "log in there";
    case 400:
    case 401:
    case 404:
    case 501:
      return "it seems to be a web server, which does not support CONNECT: check the proxy's host and port";
    case 403:
      return "its rules forbid this destination: have it allowed there, or add it to NO_PROXY if nodes reach it "
             "directly";
    case 405:
      return "it does not allow CONNECT, which https needs: it is a web server or a proxy for http only, so check host "
             "and port or allow CONNECT to this destination's port there";
    case 407:
      return "it wants credentials: put the right user name and password into the proxy's URL, percent-encoded";
    case 429:
      return "it gets too many requests from here: try again later";
    case 502:
      return "it can't reach the destination itself: the destination refused it or answered wrongly";
    case 503:
      return "it can't reach the destination itself, or is overloaded: check the name, and the proxy's DNS and its own "
             "connection";
    case 504:
      return "it can't reach the destination itself in time: a firewall behind the proxy may drop it";
    default:
      return "see its log";
  }
}

std::string RefusalMessage(const HttpFailure& failure) {
  if (failure.connect_status == http_status::kProxyAuthenticationRequired) {
    return ExplainChallenge(failure.proxy.empty() ? "on the way" : failure.proxy,
                            AuthenticationSchemes(failure.challenges), failure.credentials);
  }
  return fmt::format("the proxy {} refused to connect, with status {}{}: {}", failure.proxy, failure.connect_status,
                     failure.proxy_reason.empty() ? "" : fmt::format(" ({})", failure.proxy_reason),
                     ExplainProxyStatus(failure.connect_status, failure.proxy_reason));
}

}  // namespace

std::string ExplainStatus(int status) {
  const std::string said = fmt::format("the connection works, but the answer has status {}: ", status);
  switch (status) {
    case 401:
    case 403:
      return said + "the server (or a proxy on the way) does not let this request in; probe a URL that needs no login";
    case 404:
      return said + "the path does not exist; probe a URL that answers with 2xx or 3xx";
    case 502:
    case 503:
    case 504:
      return said + "the server or a proxy on the way has no working server behind it";
    default:
      return said + "probe a URL that answers with 2xx or 3xx";
  }
}

bool IsTemporary(int status) {
  return status >= http_status::kInternalServerError || status == 408 || status == 425 || status == 429;
}

bool IsTemporary(const HttpFailure& failure) {
  if (failure.speaks_tls || failure.trouble == HttpTrouble::kHeaders) return false;
  if (failure.connect_status != 0) return IsTemporary(failure.connect_status);
  return !IsTls(failure) || failure.trouble == HttpTrouble::kTlsCut;
}

bool IsUnreachable(const HttpFailure& failure) {
  if (!failure.proxy.empty()) return false;
  return failure.trouble == HttpTrouble::kServerName || failure.trouble == HttpTrouble::kConnect ||
         (failure.trouble == HttpTrouble::kTimeout && !failure.connected);
}

Error Explain(const HttpFailure& failure) {
  if (failure.connect_status != 0 && !failure.speaks_tls) {
    return {Code::kNetwork, RefusalMessage(failure), failure.where};
  }
  return {IsTls(failure) ? Code::kTls : Code::kNetwork, Message(failure), failure.where};
}

}  // namespace prov::net
