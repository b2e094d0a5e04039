// What the tests of lists and URLs read without an error, or the test fails.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/secret.h"
#include "provisioner/egress/dialect.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::egress {

inline NoProxy List(std::string_view text) {
  auto list = NoProxy::Parse(text, "here");
  EXPECT_TRUE(list) << text;
  return list ? *std::move(list) : NoProxy();
}

inline std::optional<ProxyUrl> Url(const std::string& text, ProxyVariable variable = ProxyVariable::kHttps) {
  Findings ignored;
  auto url = ParseProxyUrl(Secret(text), variable, "here", ignored);
  EXPECT_TRUE(url) << text;
  return url ? std::optional(*std::move(url)) : std::nullopt;
}

inline Destination To(std::string_view url) {
  auto to = ParseDestination(url);
  EXPECT_TRUE(to) << url;
  return to ? *std::move(to) : Destination();
}

}  // namespace prov::egress
