#include "tests/differential/client_answers.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <netinet/in.h>

#include <array>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "provisioner/base/text.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace prov::differential {
namespace {

using testing_support::ProcessResult;
using testing_support::Run;

constexpr int kProxyPort = 3128;

// The functions of the library, found by name: linking it would bring it into the program under test, too.
struct Curl {
  decltype(&curl_version_info) version_info = nullptr;
  decltype(&curl_easy_init) init = nullptr;
  decltype(&curl_easy_setopt) setopt = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&curl_easy_cleanup) cleanup = nullptr;
  decltype(&curl_slist_append) append = nullptr;
  decltype(&curl_slist_free_all) free_all = nullptr;
};

template <class Function>
bool Find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  return out != nullptr;
}

std::optional<Curl> LoadCurl() {
  void* library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  Curl out;
  const bool whole =
      library != nullptr && Find(library, "curl_version_info", out.version_info) &&
      Find(library, "curl_easy_init", out.init) && Find(library, "curl_easy_setopt", out.setopt) &&
      Find(library, "curl_easy_perform", out.perform) && Find(library, "curl_easy_cleanup", out.cleanup) &&
      Find(library, "curl_slist_append", out.append) && Find(library, "curl_slist_free_all", out.free_all);
  return whole ? std::optional(out) : std::nullopt;
}

// Where a connection would go; there is none.
curl_socket_t NoteSocket(void* port, curlsocktype, curl_sockaddr* to) {
  const auto* ipv4 = reinterpret_cast<const sockaddr_in*>(&to->addr);
  const auto* ipv6 = reinterpret_cast<const sockaddr_in6*>(&to->addr);
  *static_cast<int*>(port) = ntohs(to->family == AF_INET6 ? ipv6->sin6_port : ipv4->sin_port);
  return CURL_SOCKET_BAD;
}

char AskCurlOnce(const Curl& curl, curl_slist* addresses, const ClientRow& row) {
  const std::unique_ptr<CURL, decltype(curl.cleanup)> handle(curl.init(), curl.cleanup);
  int port = 0;
  const std::string proxy = "http://127.0.0.1:" + std::to_string(kProxyPort);
  curl.setopt(handle.get(), CURLOPT_URL, row.url.c_str());
  curl.setopt(handle.get(), CURLOPT_PROXY, proxy.c_str());
  curl.setopt(handle.get(), CURLOPT_NOPROXY, row.no_proxy.c_str());
  curl.setopt(handle.get(), CURLOPT_RESOLVE, addresses);
  curl.setopt(handle.get(), CURLOPT_OPENSOCKETFUNCTION, &NoteSocket);
  curl.setopt(handle.get(), CURLOPT_OPENSOCKETDATA, &port);
  curl.perform(handle.get());
  if (port == 0) return '-';
  return port == kProxyPort ? 'P' : 'D';
}

// Rows in hexadecimal, for a program's standard input.
std::string InputOf(const std::vector<ClientRow>& rows) {
  std::string out;
  for (const ClientRow& row : rows) out += ToHex(row.no_proxy) + "\t" + ToHex(row.url) + "\n";
  return out;
}

void CheckCount(const std::string& answers, const std::vector<ClientRow>& rows, const ProcessResult& result) {
  if (answers.size() != rows.size()) throw std::runtime_error("a client did not answer each row: " + result.err);
}

}  // namespace

std::optional<ClientAnswers> AskCurl(const std::vector<ClientRow>& rows, std::string& reason) {
  const auto curl = LoadCurl();
  if (!curl) {
    reason = "no libcurl.so.4 (Debian: libcurl4)";
    return std::nullopt;
  }
  // Names are never looked up.
  curl_slist* addresses = nullptr;
  for (const char* one : {"*:80:127.0.0.1", "*:443:127.0.0.1", "*:8080:127.0.0.1", "*:65535:127.0.0.1"})
    addresses = curl->append(addresses, one);
  ClientAnswers out;
  out.version = curl->version_info(CURLVERSION_NOW)->version;
  for (const ClientRow& row : rows) out.rows += AskCurlOnce(*curl, addresses, row);
  curl->free_all(addresses);
  return out;
}

std::optional<PythonAnswers> AskPython(const std::string& python, const std::vector<ClientRow>& rows,
                                       std::string& reason) {
  if (Run({python, "-c", ""}).exit != 0) {
    reason = "no " + python + " (Debian: python3)";
    return std::nullopt;
  }
  const ProcessResult result =
      Run({python, testing_support::TestsFolder() + "/differential/clients_oracle.py"}, InputOf(rows));
  if (result.exit != 0) throw std::runtime_error("the Python program failed: " + result.err);
  std::istringstream lines(result.out);
  PythonAnswers out;
  std::string requests_version;
  lines >> out.urllib.version >> requests_version;
  ClientAnswers requests{requests_version, ""};
  for (std::string line; lines >> line;) {
    out.urllib.rows += line.at(0);
    requests.rows += line.at(1);
  }
  CheckCount(out.urllib.rows, rows, result);
  if (requests_version != "-") out.requests = requests;
  return out;
}

std::optional<ClientAnswers> AskJava(const std::vector<ClientRow>& rows, std::string& reason) {
  const ProcessResult result = Run({"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                                    testing_support::TestsFolder() + "/differential/ClientsOracle.java"},
                                   InputOf(rows));
  if (result.exit != 0) {
    reason = "no java that runs a source file (Debian: openjdk-17-jdk-headless)";
    return std::nullopt;
  }
  std::istringstream lines(result.out);
  ClientAnswers out;
  lines >> out.version;
  for (std::string line; lines >> line;) out.rows += line;
  CheckCount(out.rows, rows, result);
  return out;
}

}  // namespace prov::differential
