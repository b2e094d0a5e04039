// Whole runs of publish::Publish for tests.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "tests/publish/samples.h"

namespace prov::publish {

inline PublishRequest Full() {
  PublishRequest out = Request(FullProxy());
  out.user_ca = NamedBytes{UserBundle(), "user-ca-bundle.yaml"};
  out.system_ca = NamedBytes{Pem("proxy-root"), "tls-ca-bundle.pem"};
  out.render = true;
  return out;
}

inline Publication Published(PublishRequest request) {
  FakePorts fake;
  auto out = Publish(std::move(request), fake.ports());
  EXPECT_TRUE(out) << out.error().message << " " << out.error().where;
  return out ? *std::move(out) : Publication();
}

inline Error ErrorOf(PublishRequest request) {
  FakePorts fake;
  const auto out = Publish(std::move(request), fake.ports());
  EXPECT_FALSE(out);
  return out ? Error() : out.error();
}

inline std::map<std::string, PublishedFile> Files(const Publication& publication) {
  std::map<std::string, PublishedFile> out;
  for (const PublishedFile& file : publication.files) out[file.name] = file;
  return out;
}

}  // namespace prov::publish
