#include "provisioner/egress/no_proxy_item.h"

#include <gtest/gtest.h>

#include <string>

namespace prov::egress {
namespace {

TEST(NoProxyItem, AsTheOperatorTakesThem) {
  for (const char* item : {".example.com", "example.com.", ".a.", "a", "10.0.0.1/8", "::1", "fd00::/8", "0.0.0.0/0",
                           "10.0.0.256", "010.0.0.1", "1.2.3.4.5", "a-b.c"})
    EXPECT_TRUE(IsNoProxyItem(item)) << item;
  for (const char* item :
       {"*.x", "*,a", "A.example", "a_b", "host:443", "[::1]", "10.0.0.0/33", "", ".", "a;b", "a b", "..x", "x..",
        "b\xC3\xBC"
        "cher.example",
        "http://a", "-a", "a-", "a.-b"})
    EXPECT_FALSE(IsNoProxyItem(item)) << item;
  EXPECT_TRUE(IsNoProxyItem(std::string(253, 'a'))) << "labels may be of any length";
  EXPECT_FALSE(IsNoProxyItem(std::string(254, 'a')));
}

}  // namespace
}  // namespace prov::egress
