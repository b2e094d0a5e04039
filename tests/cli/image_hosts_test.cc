#include "provisioner/cli/image_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace prov::cli {
namespace {

pull::Step Asked(const std::string& host, unsigned port, const std::string& via) {
  pull::Step out;
  out.purpose = pull::Purpose::kLayer;
  out.url = (port == 80 ? "http://" : "https://") + host + "/x";
  out.host = host;
  out.port = port;
  out.via = via;
  return out;
}

pull::Pulled Image(std::vector<pull::Step> steps) {
  pull::Pulled out;
  out.image = "mcr.microsoft.com/a:v1";
  out.steps = std::move(steps);
  return out;
}

constexpr const char* kProxy = "http://user:***@proxy.example.com:3128";

TEST(ImageHosts, ARouterGetsNamesAndTheWildcardsThatServicesDocument) {
  const std::vector<pull::Pulled> images = {
      Image({Asked("mcr.microsoft.com", 443, kProxy), Asked("eastus.data.mcr.microsoft.com", 443, kProxy),
             Asked("westus.data.mcr.microsoft.com", 443, kProxy),
             Asked("data.mcr.microsoft.com.evil.example", 443, kProxy)}),
      Image({Asked("storage.example.com", 443, kProxy), Asked("storage.example.com", 80, kProxy),
             Asked("near.example.com", 5000, "direct")})};
  EXPECT_EQ(RouterList(images),
            "# Microsoft documents this name for storage such as eastus.data.mcr.microsoft.com\n"
            "*.data.mcr.microsoft.com\n"
            "data.mcr.microsoft.com.evil.example\n"
            "mcr.microsoft.com\n"
            "# asked at port 80: storage.example.com\n"
            "storage.example.com\n"
            "# goes direct, so no router sees it: near.example.com:5000\n");
  EXPECT_EQ(RouterList({}), "");
}

TEST(ImageHosts, ThePersonsListHasTheWayToEach) {
  EXPECT_EQ(DescribeHosts(Image({Asked("mcr.microsoft.com", 443, kProxy), Asked("near.example.com", 5000, "direct")})),
            "  mcr.microsoft.com      layer  through http://user:***@proxy.example.com:3128\n"
            "  near.example.com:5000  layer  direct\n");
}

}  // namespace
}  // namespace prov::cli
