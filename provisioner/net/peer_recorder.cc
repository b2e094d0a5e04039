#include "provisioner/net/peer_recorder.h"

namespace prov::net {
namespace {

constexpr int kMostCertificates = 32;  // of a chain; more are verified, but not kept

CertificateFault FaultOf(int error) {
  switch (error) {
    case X509_V_OK:
      return CertificateFault::kNone;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_UNTRUSTED:
      return CertificateFault::kUnknownIssuer;
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return CertificateFault::kSignature;
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return CertificateFault::kExpired;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return CertificateFault::kNotYetValid;
    case X509_V_ERR_INVALID_CA:
    case X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
      return CertificateFault::kNotCa;
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL:
    case X509_V_ERR_CA_MD_TOO_WEAK:
      return CertificateFault::kTooWeak;
    case X509_V_ERR_INVALID_PURPOSE:
      return CertificateFault::kPurpose;
    default:
      return CertificateFault::kOther;
  }
}

std::string Encode(const TlsFunctions& tls, const X509* certificate) {
  const int size = certificate == nullptr ? 0 : tls.encode(certificate, nullptr);
  if (size <= 0) return {};
  std::string out(static_cast<std::size_t>(size), '\0');
  auto* at = reinterpret_cast<unsigned char*>(out.data());
  tls.encode(certificate, &at);
  return out;
}

}  // namespace

void PeerRecorder::Attach(CURL* handle) {
  if (!curl_.tls) return;
  proxy_.tls = server_.tls = &*curl_.tls;
  curl_.setopt(handle, CURLOPT_SOCKOPTFUNCTION, StartConnection);
  curl_.setopt(handle, CURLOPT_SOCKOPTDATA, this);
  curl_.setopt(handle, CURLOPT_SSL_CTX_FUNCTION, StartTls);
  curl_.setopt(handle, CURLOPT_SSL_CTX_DATA, this);
}

int PeerRecorder::StartConnection(void* self, curl_socket_t /*socket*/, curlsocktype /*purpose*/) {
  static_cast<PeerRecorder*>(self)->layers_ = 0;
  return CURL_SOCKOPT_OK;
}

CURLcode PeerRecorder::StartTls(CURL* /*handle*/, void* context, void* self) {
  auto& recorder = *static_cast<PeerRecorder*>(self);
  Peer& peer = recorder.proxy_is_tls_ && recorder.layers_ == 0 ? recorder.proxy_ : recorder.server_;
  ++recorder.layers_;
  recorder.curl_.tls->set_verify(static_cast<SSL_CTX*>(context), Verify, &peer);
  return CURLE_OK;
}

// Takes the place of OpenSSL's own call of X509_verify_cert and gives its answer.
int PeerRecorder::Verify(X509_STORE_CTX* store, void* peer) {
  const TlsFunctions& tls = *static_cast<Peer*>(peer)->tls;
  const int ok = tls.verify(store);
  PeerCertificates shown;
  shown.fault = ok > 0 ? CertificateFault::kNone : FaultOf(tls.error(store));
  if (ok <= 0) shown.culprit = Encode(tls, tls.current(store));
  const auto* chain = reinterpret_cast<const OPENSSL_STACK*>(tls.shown(store));
  const int count = chain == nullptr ? 0 : tls.count(chain);
  for (int i = 0; i < count && i < kMostCertificates; ++i) {
    shown.chain.push_back(Encode(tls, static_cast<const X509*>(tls.at(chain, i))));
  }
  static_cast<Peer*>(peer)->shown = std::move(shown);
  return ok;
}

}  // namespace prov::net
