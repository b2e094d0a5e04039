// A kubeconfig as a file, for tests whose API server is a function.
#pragma once

#include <fstream>
#include <string>

#include "tests/support/paths.h"

namespace prov::testing_support {

// Its server is https://api.example.test:6443, its token "c4nary".
inline void WriteKubeConfig(const std::string& path) {
  const std::string authority = ", certificate-authority: '" + TestsFolder() + "/sample/corporate-root.pem'";
  std::ofstream(path) << "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
                      << "clusters: [{name: c, cluster: {server: 'https://api.example.test:6443'" << authority
                      << "}}]\n"
                      << "users: [{name: u, user: {token: c4nary}}]\n";
}

}  // namespace prov::testing_support
