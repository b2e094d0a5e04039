#include "provisioner/hns/no_proxy_exceptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prov::hns {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

egress::NoProxy List(std::string_view text) { return egress::NoProxy::Parse(text, "NO_PROXY").value(); }

TEST(AddNoProxy, TakesSingleAddressesEachOnce) {
  Policy policy;
  policy.outbound.addresses = {"10.0.0.1"};
  Findings findings;
  AddNoProxy(List("10.0.0.1,169.254.169.254,10.0.0.2/32,169.254.169.254"), "NO_PROXY", policy, findings);
  EXPECT_THAT(policy.outbound.addresses, ElementsAre("10.0.0.1", "169.254.169.254", "10.0.0.2"));
  EXPECT_THAT(policy.inbound.addresses, IsEmpty());
  EXPECT_THAT(findings, IsEmpty());
}

TEST(AddNoProxy, SaysWhatItLeavesOut) {
  struct {
    const char* entry;
    const char* why;
  } const entries[] = {
      {".svc", "a name"},        {"example.com", "a name"}, {"10.0.0.0/16", "a network"},  {"0.0.0.0/0", "a network"},
      {"fd00::1", "IPv6"},       {"fd00::/8", "IPv6"},      {"10.0.0.5:8080", "one port"}, {"*", "every destination"},
      {"10.0.0.0/33", "nothing"}};
  for (const auto& [entry, why] : entries) {
    Policy policy;
    Findings findings;
    AddNoProxy(List(entry), "proxy.env: NO_PROXY", policy, findings);
    EXPECT_THAT(policy.outbound.addresses, IsEmpty()) << entry;
    ASSERT_EQ(findings.size(), 1U) << entry;
    EXPECT_EQ(findings[0].code, "hns-no-proxy");
    EXPECT_EQ(findings[0].where, "proxy.env: NO_PROXY");
    EXPECT_THAT(findings[0].message, HasSubstr(entry));
    EXPECT_THAT(findings[0].message, HasSubstr(why)) << entry;
  }
}

// What is added is what a policy may have.
TEST(AddNoProxy, MakesNoPolicyInvalid) {
  Policy policy;
  policy.outbound_port = "15001";
  policy.user_sid = "S-1-5-20";
  Findings findings;
  AddNoProxy(List("127.0.0.1,::1,::ffff:10.0.0.1,::ffff:10.0.0.2/128,.svc"), "NO_PROXY", policy, findings);
  EXPECT_THAT(Validate(std::vector<Policy>{policy}), IsEmpty());
  EXPECT_EQ(policy.outbound.addresses.front(), "127.0.0.1");
}

}  // namespace
}  // namespace prov::hns
