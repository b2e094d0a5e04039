// Whole runs of publish::Publish for tests.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "tests/publish/samples.h"
#include "tests/support/result.h"

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
  return Must(Publish(std::move(request), fake.ports()));
}

inline Error ErrorOf(PublishRequest request) {
  FakePorts fake;
  return ErrorIn(Publish(std::move(request), fake.ports()));
}

inline std::map<std::string, PublishedFile> Files(const Publication& publication) {
  std::map<std::string, PublishedFile> out;
  for (const PublishedFile& file : publication.files) out[file.name] = file;
  return out;
}

}  // namespace prov::publish
