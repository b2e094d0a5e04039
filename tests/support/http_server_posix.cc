#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "tests/support/http_server.h"

namespace prov::test {
namespace {

void Need(bool ok) {
  if (!ok) std::abort();
}

template <class T, class Read, class Free>
auto FromPem(const std::string& pem, Read read, Free free) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  std::unique_ptr<T, Free> out(read(bio, nullptr, nullptr, nullptr), free);
  BIO_free(bio);
  Need(out != nullptr);
  return out;
}

SSL_CTX* ContextOf(const Identity& identity) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  Need(context != nullptr);
  const auto certificate = FromPem<X509>(identity.certificate, PEM_read_bio_X509, &X509_free);
  const auto key = FromPem<EVP_PKEY>(identity.key, PEM_read_bio_PrivateKey, &EVP_PKEY_free);
  Need(SSL_CTX_use_certificate(context, certificate.get()) == 1 && SSL_CTX_use_PrivateKey(context, key.get()) == 1);
  return context;
}

// A client that went away is no failure of the test: the client's own result is what is looked at.
void WriteAll(int connection, const std::string& bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t written = write(connection, bytes.data() + at, bytes.size() - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

}  // namespace

HttpServer::HttpServer(std::string answer, std::string connect_answer, const Identity* tls)
    : answer_(std::move(answer)), connect_answer_(std::move(connect_answer)) {
  std::signal(SIGPIPE, SIG_IGN);
  if (tls != nullptr) context_.reset(ContextOf(*tls));
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  Need(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(listener_, 8) == 0 &&
       getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Serve(); });
}

HttpServer::~HttpServer() {
  ends_ = true;
  thread_.join();
  close(listener_);
}

std::vector<std::string> HttpServer::Requests() {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

void HttpServer::Serve() {
  while (!ends_) {
    pollfd waiting = {listener_, POLLIN, 0};
    if (poll(&waiting, 1, 20) <= 0) continue;
    const int connection = accept(listener_, nullptr, nullptr);
    if (connection < 0) continue;
    const timeval patience = {5, 0};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    Answer(connection);
    close(connection);
  }
}

std::string HttpServer::ReadHead(int connection, SSL* tls) {
  std::string head;
  char byte = 0;
  while (!head.ends_with("\r\n\r\n")) {
    const auto count = tls != nullptr ? SSL_read(tls, &byte, 1) : read(connection, &byte, 1);
    if (count <= 0) return {};
    head += byte;
  }
  const std::scoped_lock lock(mutex_);
  requests_.push_back(head);
  return head;
}

void HttpServer::AnswerTls(int connection) {
  SSL* tls = SSL_new(context_.get());
  SSL_set_fd(tls, connection);
  if (SSL_accept(tls) == 1 && !ReadHead(connection, tls).empty()) {
    SSL_write(tls, answer_.data(), static_cast<int>(answer_.size()));
    if (ends_tls_) SSL_shutdown(tls);
  }
  SSL_free(tls);
}

void HttpServer::Answer(int connection) {
  if (connect_answer_.empty() && context_) return AnswerTls(connection);
  const std::string head = ReadHead(connection, nullptr);
  if (!refusal_.empty() && head.find("\r\nProxy-Authorization: ") == std::string::npos) {
    WriteAll(connection, refusal_);
    if (!head.empty() && refusal_.find("\r\nConnection: close\r\n") == std::string::npos) Answer(connection);
    return;
  }
  if (char byte = 0; hangs_) {
    while (!ends_ && read(connection, &byte, 1) < 0) continue;
    return;
  }
  if (!head.starts_with("CONNECT ")) return WriteAll(connection, answer_);
  WriteAll(connection, connect_answer_);
  if (context_ && connect_answer_.starts_with("HTTP/1.1 200")) AnswerTls(connection);
}

}  // namespace prov::test
