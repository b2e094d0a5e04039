#include "provisioner/publish/held_secrets.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "provisioner/egress/proxy_url.h"

namespace prov::publish {
namespace {

bool HasCredentials(const Secret& url) { return egress::MayHoldCredentials(url.Reveal()); }

// Whether the text contains "scheme://user@host".
bool HasUserUrl(std::string_view text) {
  constexpr std::string_view kSchemeEnd = "://";
  for (std::size_t at = text.find(kSchemeEnd); at != std::string_view::npos; at = text.find(kSchemeEnd, at)) {
    at += kSchemeEnd.size();
    const std::size_t end = text.find_first_of("@ \t\r\n\"'", at);
    if (end != std::string_view::npos && text[end] == '@') return true;
  }
  return false;
}

// The reader limits the nesting.
class Search {
 public:
  explicit Search(const ProxyValues& values) {
    for (const Secret* url : {&values.http_proxy, &values.https_proxy})
      if (HasCredentials(*url)) urls_.emplace_back(url->Reveal());
  }

  bool In(const JsonValue& value) const {
    if (value.IsString()) return InText(JsonTextOf(value));
    if (value.IsArray())
      return std::any_of(value.Begin(), value.End(), [&](const JsonValue& item) { return In(item); });
    if (!value.IsObject()) return false;
    const JsonValue* kind = JsonMember(&value, "kind");
    if (kind != nullptr && kind->IsString() && JsonTextOf(*kind).starts_with("Secret")) return true;
    return std::any_of(value.MemberBegin(), value.MemberEnd(), [&](const auto& member) { return In(member.value); });
  }

 private:
  bool InText(std::string_view text) const {
    return HasUserUrl(text) ||
           std::ranges::any_of(urls_, [&](std::string_view url) { return text.find(url) != std::string_view::npos; });
  }

  std::vector<std::string_view> urls_;
};

}  // namespace

bool HoldsCredentials(const ProxyValues& values) {
  return std::ranges::any_of(std::array{&values.http_proxy, &values.https_proxy},
                             [](const Secret* url) { return HasCredentials(*url); });
}

bool HoldsSecrets(const JsonValue& objects, const ProxyValues& values) { return Search(values).In(objects); }

}  // namespace prov::publish
