#include "provisioner/net/curl_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>

#include "provisioner/egress/decision.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/net/http_status.h"
#include "provisioner/pki/certificate_names.h"
#include "provisioner/pki/pem.h"

namespace prov::net {
namespace {

constexpr int kMostCertificates = 32;  // recorded from a chain; more are verified, too

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

// Replaces OpenSSL's own call of X509_verify_cert. libcurl takes a host name in the subject; a certificate without
// subjectAltName ends the connection here, before anything is sent, as Go programs end it.
int PeerRecorder::Verify(X509_STORE_CTX* store, void* peer) {
  const TlsFunctions& tls = *static_cast<Peer*>(peer)->tls;
  int ok = tls.verify(store);
  PeerCertificates shown;
  shown.fault = ok > 0 ? CertificateFault::kNone : FaultOf(tls.error(store));
  if (ok <= 0) shown.culprit = Encode(tls, tls.current(store));
  const auto* chain = reinterpret_cast<const OPENSSL_STACK*>(tls.shown(store));
  const int count = chain == nullptr ? 0 : tls.count(chain);
  for (int i = 0; i < count && i < kMostCertificates; ++i) {
    shown.chain.push_back(Encode(tls, static_cast<const X509*>(tls.at(chain, i))));
  }
  if (ok > 0 && !shown.chain.empty() && pki::AlternativeNames(shown.chain.front()).empty()) {
    ok = 0;
    shown.fault = CertificateFault::kName;
  }
  static_cast<Peer*>(peer)->shown = std::move(shown);
  return ok;
}

namespace {

// Whether this system's connection error means that nothing listens there.
bool IsRefused(long number) {
  constexpr long kWindowsRefused = 10'061;  // WSAECONNREFUSED
  return number == ECONNREFUSED || number == kWindowsRefused;
}

bool HasAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Statuses with which proxies refuse clients without credentials.
bool TurnsAway(int status) {
  return status == http_status::kUnauthorized || status == http_status::kForbidden ||
         status == http_status::kProxyAuthenticationRequired;
}

// The reason of a failed TLS handshake, by the messages of OpenSSL and GnuTLS.
HttpTrouble TlsTrouble(std::string_view words) {
  if (HasAny(words, {"wrong version number", "packet length too long", "http request", "unexpected TLS packet"})) {
    return HttpTrouble::kPlain;
  }
  if (HasAny(words, {"SSL_ERROR_SYSCALL", "unexpected eof", "reset by peer", "improperly terminated"})) {
    return HttpTrouble::kTlsCut;
  }
  return HttpTrouble::kTls;
}

}  // namespace

CurlTransfer::CurlTransfer(const CurlFunctions& curl, const CurlRoute& route, unsigned long authentication)
    : curl_(curl), route_(route), authentication_(authentication), handle_(curl.init(), curl.cleanup) {
  for (const std::string& der : route.roots) roots_ += pki::ArmourPem("CERTIFICATE", der);
}

std::string CurlTransfer::Where() const { return egress::RedactUrl(route_.url); }

void CurlTransfer::SetBlob(CURLoption option, const std::string& bytes) {
  curl_blob blob = {const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_NOCOPY};
  Set(option, &blob);
}

Result<void> CurlTransfer::Prepare(const std::string& proxy) {
  if (!handle_) return Fail(Code::kInternal, "libcurl has no memory for a request");
  const auto target = PROV_TRY(egress::ParseRequestTarget(route_.url));
  host_ = target.host;
  const bool brackets = host_.find(':') != std::string::npos;
  server_ = fmt::format("{}{}{}:{}", brackets ? "[" : "", host_, brackets ? "]" : "", target.port);
  is_tls_ = target.scheme == "https";
  Set(CURLOPT_ERRORBUFFER, words_.data());
  Set(CURLOPT_URL, route_.url.c_str());
  Set(CURLOPT_PROTOCOLS_STR, "http,https");
  Set(CURLOPT_FOLLOWLOCATION, 0L);
  Set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  Set(CURLOPT_USERAGENT, "provisioner");
  Set(CURLOPT_NOSIGNAL, 1L);  // no SIGALRM for timeouts
  SetTrust();
  return SetProxy(proxy);
}

// With its own roots, a request must not succeed because of the system's.
void CurlTransfer::SetTrust() {
  Set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  Set(CURLOPT_PROXY_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  Set(CURLOPT_SSL_VERIFYPEER, route_.skip_verify ? 0L : 1L);
  Set(CURLOPT_SSL_VERIFYHOST, route_.skip_verify ? 0L : 2L);
  // Of the system's, libcurl takes those of the store CA, too.
  const long options = (roots_.empty() || route_.beside_system ? CURLSSLOPT_NATIVE_CA : 0L) |
                       (route_.up_to_roots ? CURLSSLOPT_NO_PARTIALCHAIN : 0L);
  Set(CURLOPT_SSL_OPTIONS, options);
  Set(CURLOPT_PROXY_SSL_OPTIONS, options);
  if (roots_.empty()) return;
  // The system's are those of the folder, which libcurl reads beside the roots that it is given.
  const char* nowhere = nullptr;
  for (const CURLoption place : {CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO}) Set(place, nowhere);
  for (const CURLoption place : {CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH})
    if (!route_.beside_system) Set(place, nowhere);
  SetBlob(CURLOPT_CAINFO_BLOB, roots_);
  SetBlob(CURLOPT_PROXY_CAINFO_BLOB, roots_);
}

// Always sets the proxy options, because libcurl reads those that are not set from the environment.
Result<void> CurlTransfer::SetProxy(const std::string& name) {
  Set(CURLOPT_NOPROXY, "");
  if (!route_.proxy_url) {
    Set(CURLOPT_PROXY, "");
    return {};
  }
  Findings findings;
  const egress::ProxyUrl proxy = PROV_TRY(egress::ParseProxyUrl(*route_.proxy_url, egress::ProxyVariable::kHttps, name,
                                                                findings, egress::ProxyReaders::kThisProgram));
  proxy_ = proxy.HostPort();
  proxy_is_tls_ = proxy.scheme() == "https";
  Set(CURLOPT_PROXY, fmt::format("{}://{}", proxy.scheme(), proxy_).c_str());
  if (!proxy.has_credentials()) return {};
  credentials_ = true;
  const std::string& password = proxy.password().Reveal();
  if ((proxy.username() + password).find('\0') != std::string::npos) {
    return Fail(Code::kProxyUrl, "the credentials hold a NUL character", name);
  }
  Set(CURLOPT_PROXYAUTH, static_cast<long>(authentication_));
  Set(CURLOPT_PROXYUSERNAME, proxy.username().c_str());
  Set(CURLOPT_PROXYPASSWORD, password.c_str());
  return {};
}

void CurlTransfer::SetBounds() {
  constexpr long kMilliseconds = 1000;
  if (bounds_.connect_seconds != 0) Set(CURLOPT_CONNECTTIMEOUT_MS, kMilliseconds * bounds_.connect_seconds);
  Set(CURLOPT_TIMEOUT_MS, kMilliseconds * bounds_.total_seconds);
  Set(CURLOPT_NOPROGRESS, 0L);
  Set(CURLOPT_XFERINFOFUNCTION, &OnProgress);
  Set(CURLOPT_XFERINFODATA, this);
}

int CurlTransfer::OnProgress(void* self, curl_off_t /*down_total*/, curl_off_t /*down*/, curl_off_t /*up_total*/,
                             curl_off_t /*up*/) {
  return static_cast<CurlTransfer*>(self)->Ends() ? 1 : 0;
}

// Called about once a second, and for each byte that a proxy sends along with its answer to CONNECT.
bool CurlTransfer::Ends() {
  constexpr std::chrono::milliseconds kGrace(200);  // lets libcurl's own timeouts come first: they are more precise
  constexpr std::chrono::milliseconds kBetweenQuestions(200);
  const auto now = std::chrono::steady_clock::now();
  const auto over = [&](int seconds) { return seconds != 0 && now - start_ > std::chrono::seconds(seconds) + kGrace; };
  if (over(bounds_.total_seconds)) return true;
  if (over(bounds_.connect_seconds) && Info<curl_off_t>(CURLINFO_PRETRANSFER_TIME_T) == 0) return true;
  if (!bounds_.should_stop || now < next_question_) return false;
  next_question_ = now + kBetweenQuestions;
  was_stopped_ = bounds_.should_stop();
  return was_stopped_;
}

int CurlTransfer::Seconds() const {
  return static_cast<int>(
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_).count());
}

Result<CURLcode> CurlTransfer::Perform(CurlBounds bounds) {
  bounds_ = std::move(bounds);
  SetBounds();
  if (refused_option_ != CURLE_OK) {
    return Fail(Code::kInternal, fmt::format("libcurl refuses an option: {}", curl_.strerror(refused_option_)));
  }
  peers_.emplace(curl_, proxy_is_tls_);
  peers_->Attach(handle_.get());
  start_ = next_question_ = std::chrono::steady_clock::now();
  return curl_.perform(handle_.get());
}

HttpTrouble CurlTransfer::TroubleOf(CURLcode code, bool with_proxy) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
      return HttpTrouble::kProxyName;
    case CURLE_COULDNT_RESOLVE_HOST:
      return HttpTrouble::kServerName;
    case CURLE_COULDNT_CONNECT:
      return HttpTrouble::kConnect;
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_ABORTED_BY_CALLBACK:  // by Ends(): a caller that requested a stop ignores the failure
      if (Info<curl_off_t>(CURLINFO_NAMELOOKUP_TIME_T) != 0) return HttpTrouble::kTimeout;
      return proxy_.empty() ? HttpTrouble::kServerName : HttpTrouble::kProxyName;
    case CURLE_PEER_FAILED_VERIFICATION:
      return with_proxy ? HttpTrouble::kProxyCertificate : HttpTrouble::kCertificate;
    case CURLE_SSL_CONNECT_ERROR: {
      // libcurl has no code for a signature by another key.
      const PeerCertificates& peer = with_proxy ? peers_->proxy() : peers_->server();
      if (peer.fault == CertificateFault::kNone) return TlsTrouble(words_.data());
      return with_proxy ? HttpTrouble::kProxyCertificate : HttpTrouble::kCertificate;
    }
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
      return HttpTrouble::kTls;
    case CURLE_OUT_OF_MEMORY:  // libcurl 7 reports a too long header line so
      return HttpTrouble::kHeaders;
    case CURLE_RECV_ERROR:
      if (HasAny(words_.data(), {"CONNECT response too large", "Too large response headers"})) {
        return HttpTrouble::kHeaders;
      }
      return Info<long>(CURLINFO_RESPONSE_CODE) == 0 || WaitsForAnswer() ? HttpTrouble::kCut : HttpTrouble::kCutBody;
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
      return HttpTrouble::kCut;
    case CURLE_PARTIAL_FILE:
      return HttpTrouble::kCutBody;
    case CURLE_UNSUPPORTED_PROTOCOL:  // the scheme is http or https, so this means an answer without a status line
    case CURLE_WEIRD_SERVER_REPLY:
      return HttpTrouble::kNotHttp;
    default:
      return HttpTrouble::kOther;
  }
}

void CurlTransfer::AddHeaderLine(std::string_view line) {
  if (line.starts_with("HTTP/")) answered_size_ = Info<long>(CURLINFO_REQUEST_SIZE);
  answer_.AddLine(line);
}

bool CurlTransfer::WaitsForAnswer() { return Info<long>(CURLINFO_REQUEST_SIZE) != answered_size_; }

// Whether the proxy asked for credentials and has not answered the request with them. libcurl keeps the status of its
// first request until then.
bool CurlTransfer::WaitsAfterLogin() {
  const bool asked = Info<long>(CURLINFO_HTTP_CONNECTCODE) == http_status::kProxyAuthenticationRequired ||
                     Info<long>(CURLINFO_RESPONSE_CODE) == http_status::kProxyAuthenticationRequired;
  return asked && WaitsForAnswer();
}

int CurlTransfer::ConnectStatus() {
  return WaitsAfterLogin() ? 0 : static_cast<int>(Info<long>(CURLINFO_HTTP_CONNECTCODE));
}

// Whether the TLS failure is with the proxy itself.
bool CurlTransfer::WithProxy(int connect_status) {
  if (!proxy_is_tls_ || peers_->reached_server_tls()) return false;
  const bool opened = connect_status >= http_status::kOk && connect_status < http_status::kMultipleChoices;
  return !opened || Info<long>(CURLINFO_PROXY_SSL_VERIFYRESULT) != 0;
}

HttpFailure CurlTransfer::FailureOf(CURLcode code) {
  HttpFailure out;
  const int connect_status = ConnectStatus();
  out.with_proxy = WithProxy(connect_status);
  out.trouble = TroubleOf(code, out.with_proxy);
  out.where = Where();
  out.proxy = proxy_;
  if (connect_status != 0 && (connect_status < http_status::kOk || connect_status >= http_status::kMultipleChoices)) {
    out.connect_status = connect_status;
  }
  out.credentials = credentials_;
  out.after_login = WaitsAfterLogin();
  // Newer versions of libcurl report a tunnel that was not opened as a connection that was not made.
  if (out.after_login && out.trouble == HttpTrouble::kConnect) out.trouble = HttpTrouble::kCut;
  out.challenges = answer_.challenges();
  out.proxy_reason = answer_.reason();
  out.refused = IsRefused(Info<long>(CURLINFO_OS_ERRNO));
  out.connected = Info<long>(CURLINFO_LOCAL_PORT) != 0;  // CONNECT_TIME_T also includes the tunnel
  out.detail = Detail(code);
  out.certificate.peer = out.with_proxy ? peers_->proxy() : peers_->server();
  // OpenSSL found it valid, so libcurl refused its name.
  if (out.certificate.peer.fault == CertificateFault::kNone) out.certificate.peer.fault = CertificateFault::kName;
  out.certificate.host = host_;
  out.certificate.own_roots = !roots_.empty();
  out.certificate.roots = route_.roots;
  return out;
}

// Whether the connection ended without any HTTP.
bool CurlTransfer::IsCutUnheard(const HttpFailure& failure) {
  const bool cut = failure.trouble == HttpTrouble::kCut || failure.trouble == HttpTrouble::kNotHttp;
  return cut && Info<long>(CURLINFO_RESPONSE_CODE) == 0;
}

// The first peer of the connection.
std::string CurlTransfer::PlainPeer() const { return proxy_.empty() ? server_ : proxy_; }

void CurlTransfer::LookForTls(HttpFailure& failure) {
  const int refusal = failure.connect_status;
  if (!spoken_plain() || !(refusal == 0 ? IsCutUnheard(failure) : refusal == http_status::kBadRequest)) return;
  failure.speaks_tls = SpeaksTls();
}

// Sends only the handshake.
bool CurlTransfer::SpeaksTls() {
  using std::chrono::milliseconds;
  milliseconds left(3000);
  if (bounds_.total_seconds != 0) {
    const auto spent = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start_);
    left = std::min(left, milliseconds(std::chrono::seconds(bounds_.total_seconds)) - spent);
  }
  if (left.count() <= 0) return false;  // libcurl would read 0 as no limit
  const std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)> handle(curl_.init(), curl_.cleanup);
  if (!handle) return false;
  curl_.setopt(handle.get(), CURLOPT_URL, fmt::format("https://{}/", PlainPeer()).c_str());
  curl_.setopt(handle.get(), CURLOPT_PROXY, "");
  curl_.setopt(handle.get(), CURLOPT_CONNECT_ONLY, 1L);
  curl_.setopt(handle.get(), CURLOPT_NOSIGNAL, 1L);
  curl_.setopt(handle.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(left.count()));
  const CURLcode code = curl_.perform(handle.get());
  return code == CURLE_OK || code == CURLE_PEER_FAILED_VERIFICATION;  // it presented a certificate, valid or not
}

bool CurlTransfer::RefusedWithoutChallenge(int status) const {
  const bool by_the_proxy = by_proxy() || status == http_status::kProxyAuthenticationRequired;
  return MayOffer() && answer_.challenges().empty() && by_the_proxy && TurnsAway(status);
}

bool CurlTransfer::RefusedWithoutChallenge(const HttpFailure& failure) {
  if (!MayOffer() || !failure.challenges.empty()) return false;
  if (failure.connect_status != 0) return TurnsAway(failure.connect_status);
  return IsCutUnheard(failure);
}

}  // namespace prov::net
