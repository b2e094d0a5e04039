// A server on the loopback interface that gives one answer to whatever it is asked: a web server, or a proxy. POSIX
// only.
#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace prov::test {

// A TLS server's certificate and key, in PEM.
struct Identity {
  std::string certificate;
  std::string key;
};

class HttpServer {
 public:
  // To a CONNECT it gives `connect_answer`, and if that is a 200 goes on as the server that was asked for, with `tls`.
  explicit HttpServer(std::string answer, std::string connect_answer = "", const Identity* tls = nullptr);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  // Before the first request: each one without Proxy-Authorization then gets this.
  void RefuseWithoutCredentials(std::string answer) { refusal_ = std::move(answer); }

  // Before the first request: one that gets no other answer then keeps its client waiting.
  void Hang() { hangs_ = true; }

  // Before the first request: TLS then ends as if the connection was lost, without the word that it is the end.
  void EndTlsWithoutAWord() { ends_tls_ = false; }

  int port() const { return port_; }
  std::string HostPort() const { return "127.0.0.1:" + std::to_string(port_); }
  // The heads of all requests so far.
  std::vector<std::string> Requests();

 private:
  void Serve();
  void Answer(int connection);
  std::string ReadHead(int connection, SSL* tls);
  void AnswerTls(int connection);

  std::string answer_;
  std::string connect_answer_;
  std::string refusal_;  // set before the first request
  bool ends_tls_ = true;
  bool hangs_ = false;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_{nullptr, SSL_CTX_free};
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace prov::test
