// Servers and a clock in memory: a test sets the answers and can inspect the requests.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/clock.h"
#include "provisioner/net/http.h"
#include "provisioner/source/source.h"

namespace prov::source {

class FakeWeb final : public net::Http, public Clock {
 public:
  using Answer = Result<net::FetchAnswer>;

  // The answers of a URL, one after the other; the last one stays.
  std::map<std::string, std::vector<Answer>> pages;
  std::vector<net::FetchRequest> requests;
  std::vector<std::int64_t> waits;  // milliseconds
  std::int64_t now = 1'800'000'000;
  std::int64_t request_takes = 0;  // seconds
  bool stopped = false;
  bool asks_to_stop = false;  // a transfer asks should_stop, and gives what it has by then
  bool time_passes = true;    // false: the clock is set back by whatever passes
  bool is_temporary = true;   // what is said of errors

  static Answer Page(std::string body, int status = 200,
                     std::vector<std::pair<std::string, std::string>> headers = {}) {
    net::FetchAnswer out;
    out.status = status;
    out.headers = std::move(headers);
    out.body = std::move(body);
    return out;
  }
  static Answer Dead(Code code = Code::kNetwork) { return Fail(code, "nobody answers", "there"); }
  static Answer Redirect(const std::string& to, int status = 302) {
    Answer out = Page("", status);
    out->redirect_url = to;
    return out;
  }

  void Put(const std::string& url, Answer answer) { pages[url] = {std::move(answer)}; }

  SourcePorts Ports(SourceCache* cache = nullptr) { return {*this, *this, cache}; }
  std::vector<std::string> Urls() const {
    std::vector<std::string> out;
    for (const auto& request : requests) out.push_back(request.url);
    return out;
  }
  // Of the last request; "" if it has none of this name.
  std::string Sent(const std::string& name) const {
    if (requests.empty()) return {};
    for (const auto& [key, value] : requests.back().headers) {
      if (key == name) return value;
    }
    return {};
  }

  Result<int> Get(const net::HttpRequest&) override { return Fail(Code::kInternal, "a probe"); }
  Result<net::FetchAnswer> Fetch(const net::FetchRequest& request) override {
    requests.push_back(request);
    if (time_passes) now += request_takes;
    if (asks_to_stop) request.should_stop();
    if (request.notes != nullptr) request.notes->is_temporary = is_temporary;
    const auto page = pages.find(request.url);
    if (page == pages.end()) return Page("", 404);
    Answer out = page->second.front();
    if (page->second.size() > 1) page->second.erase(page->second.begin());
    return out;
  }

  std::int64_t NowUnix() override { return now; }
  bool Wait(std::int64_t milliseconds) override {
    waits.push_back(milliseconds);
    if (time_passes) now += milliseconds / 1000;
    return !stopped;
  }
};

}  // namespace prov::source
