// URLs of registries as containerd reads them in hosts.toml: by Go's url.Parse, which takes texts that other readers
// refuse.
// Facts: docs/registries.md#hoststoml.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prov::registries {

// What is used of a URL: a user, a query and a fragment are not.
struct ServerUrl {
  std::string scheme;  // lower case; "" if all is empty
  std::string host;    // with its port; "": the URL names none
  std::string path;    // decoded; "" or begins with '/'

  bool usable() const { return !host.empty() && (scheme == "http" || scheme == "https"); }
  std::string Port() const;  // "" if none is written
  std::string Text() const;  // "https://host:5000/path"

  bool operator==(const ServerUrl&) const = default;
};

// `text` may lack the scheme, which is https then. nullopt: containerd refuses the text, and with it the file.
std::optional<ServerUrl> ParseServerUrl(std::string_view text);

// The path below which a registry's API is: cleaned, with "/v2" at its end unless `override_path`.
std::string ApiPath(const ServerUrl& url, bool override_path);

}  // namespace prov::registries
