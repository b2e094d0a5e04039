#include "provisioner/machine/http_failure.h"

#include <fmt/format.h>

#include "provisioner/base/text.h"

namespace prov::machine {
namespace {

std::string Peer(const HttpFailure& failure) {
  return failure.proxy.empty() ? std::string("the server") : "the proxy " + failure.proxy;
}

std::string ConnectMessage(const HttpFailure& failure) {
  if (failure.refused) {
    return fmt::format("{} refused the connection: nothing listens at this address and port", Peer(failure));
  }
  return fmt::format("cannot connect to {}: a firewall or a missing route is in the way{}", Peer(failure),
                     failure.proxy.empty() ? "; does this destination need the proxy?" : "");
}

std::string TrustMessage(const HttpFailure& failure) {
  const bool of_proxy = failure.trouble == HttpTrouble::kProxyCertificate;
  const char* source = failure.own_roots ? "the trust bundle" : "what this system trusts";
  const char* advice =
      of_proxy || failure.proxy.empty()
          ? "add the CA that signed it to the trust bundle"
          : "add the CA that signed it to the trust bundle; a proxy that inspects TLS signs with its own";
  return fmt::format("{} shows a certificate that does not hold against {} ({}): {}",
                     of_proxy ? Peer(failure) : "the server", source, failure.detail, advice);
}

std::string Message(const HttpFailure& failure) {
  const std::string detail = failure.detail.empty() ? "" : fmt::format(" ({})", failure.detail);
  switch (failure.trouble) {
    case HttpTrouble::kProxyName:
      return fmt::format("the address of the proxy {} is not found: check its name and this machine's DNS",
                         failure.proxy);
    case HttpTrouble::kServerName:
      return "the address of the server is not found: check its name and this machine's DNS, or whether this "
             "destination "
             "needs the proxy";
    case HttpTrouble::kConnect:
      return ConnectMessage(failure);
    case HttpTrouble::kTimeout:
      return fmt::format("{} did not bring an answer within {} seconds", Peer(failure), failure.timeout_seconds);
    case HttpTrouble::kCertificate:
    case HttpTrouble::kProxyCertificate:
      return TrustMessage(failure);
    case HttpTrouble::kTls:
      return fmt::format("no TLS connection came about{}: is this a TLS port, and does it offer TLS 1.2 or later?",
                         detail);
    case HttpTrouble::kCut:
      return fmt::format("{} ended the connection before there was an answer{}", Peer(failure), detail);
    case HttpTrouble::kOther:
      break;
  }
  return fmt::format("the request failed{}", detail);
}

bool IsTls(HttpTrouble trouble) {
  return trouble == HttpTrouble::kCertificate || trouble == HttpTrouble::kProxyCertificate ||
         trouble == HttpTrouble::kTls;
}

}  // namespace

std::string ExplainProxyStatus(int status) {
  switch (status) {
    case 407:
      return "it wants credentials: put the right user name and password into the proxy's URL, percent-encoded";
    case 403:
      return "its rules forbid this destination";
    case 502:
    case 503:
    case 504:
      return "it can't reach the destination itself";
    default:
      return "see its log";
  }
}

Error Explain(const HttpFailure& failure) {
  if (failure.connect_status != 0) {
    return {Code::kNetwork,
            fmt::format("the proxy {} refused to connect, with status {}: {}", failure.proxy, failure.connect_status,
                        ExplainProxyStatus(failure.connect_status)),
            failure.where};
  }
  return {IsTls(failure.trouble) ? Code::kTls : Code::kNetwork, Message(failure), failure.where};
}

}  // namespace prov::machine
