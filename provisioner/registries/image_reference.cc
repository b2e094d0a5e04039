#include "provisioner/registries/image_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/text.h"

namespace prov::registries {
namespace {

constexpr std::string_view kForm = "REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@sha256:DIGEST";
constexpr std::string_view kDockerHub = "docker.io";
constexpr std::size_t kMostRepository = 255;
constexpr std::size_t kMostTag = 128;
// More than any valid reference has; a registry has no limit of its own.
constexpr std::size_t kMostReference = 2048;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsLowerHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }
bool IsPathCharacter(char c) { return IsLower(c) || IsDigit(c); }
bool IsWordCharacter(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

// What may stand between two letters or digits of a component: ".", "_", "__", or dashes.
bool IsSeparator(std::string_view text) {
  return text == "." || text == "_" || text == "__" || std::ranges::all_of(text, [](char c) { return c == '-'; });
}

bool IsPathComponent(std::string_view text) {
  if (text.empty() || !IsPathCharacter(text.front()) || !IsPathCharacter(text.back())) return false;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), IsPathCharacter);
    const auto length = static_cast<std::size_t>(end - text.begin()) - at;
    if (length > 0 && !IsSeparator(text.substr(at, length))) return false;
    at += length + 1;
  }
  return true;
}

bool IsHostLabel(std::string_view text) {
  const auto is_inner = [](char c) { return IsLetter(c) || IsDigit(c) || c == '-'; };
  return !text.empty() && text.front() != '-' && text.back() != '-' && std::ranges::all_of(text, is_inner);
}

// A name or an address, with a port of any length.
bool IsDomain(std::string_view text) {
  std::string_view host = text;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || close == 1) return false;
    const std::string_view address = text.substr(1, close - 1);
    if (!std::ranges::all_of(address, [](char c) { return HexDigit(c) >= 0 || c == ':'; })) return false;
    const std::string_view port = text.substr(close + 1);
    return port.empty() || (port.size() > 1 && port.front() == ':' && AreDigits(port.substr(1)));
  }
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || !AreDigits(port)) return false;
    host = text.substr(0, colon);
  }
  return std::ranges::all_of(Split(host, '.'), IsHostLabel);
}

struct Names {
  std::string registry;
  std::string rest;  // the repository, and what follows it
};

// The first component is a registry if it can't be a folder at docker.io.
Names SplitRegistry(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view first = text.substr(0, slash);
  const bool is_registry =
      slash != std::string_view::npos &&
      (first == "localhost" || first.find_first_of(".:") != std::string_view::npos || AsciiLower(first) != first);
  Names out{std::string(is_registry ? first : kDockerHub), std::string(is_registry ? text.substr(slash + 1) : text)};
  if (out.registry == "index.docker.io") out.registry = kDockerHub;
  if (out.registry == kDockerHub && out.rest.find('/') == std::string::npos) out.rest.insert(0, "library/");
  return out;
}

std::unexpected<Error> Refuse(const std::string& where, std::string message) {
  return Fail(Code::kImageReference, std::move(message), where);
}

Result<void> CheckRepository(std::string_view repository, const std::string& where) {
  if (repository.empty()) return Refuse(where, fmt::format("has no repository; write {}", kForm));
  if (AsciiLower(repository) != repository) {
    return Refuse(where, fmt::format("has upper-case letters in its repository, which containerd refuses; write '{}'",
                                     AsciiLower(repository)));
  }
  if (repository.size() > kMostRepository)
    return Refuse(where, fmt::format("has a repository of more than {} characters", kMostRepository));
  for (const std::string_view component : Split(repository, '/')) {
    if (IsPathComponent(component)) continue;
    return Refuse(where, fmt::format("has an invalid part of its repository, '{}': parts are lower-case letters and "
                                     "digits, with single '.', '_', '__' or dashes between them",
                                     Shorten(component)));
  }
  return {};
}

Result<void> CheckTag(std::string_view tag, const std::string& where) {
  const auto is_inner = [](char c) { return IsWordCharacter(c) || c == '.' || c == '-'; };
  if (!tag.empty() && tag.size() <= kMostTag && IsWordCharacter(tag.front()) && std::ranges::all_of(tag, is_inner))
    return {};
  return Refuse(where, fmt::format("has an invalid tag, '{}': a tag is 1 to {} letters, digits, '_', '.' and '-', and "
                                   "begins with none of the last two",
                                   Shorten(tag), kMostTag));
}

Result<void> CheckDigest(std::string_view digest, const std::string& where) {
  struct Algorithm {
    std::string_view prefix;
    std::size_t digits;
  };
  constexpr std::array kAlgorithms = {Algorithm{"sha256:", 64}, Algorithm{"sha384:", 96}, Algorithm{"sha512:", 128}};
  for (const auto& [prefix, digits] : kAlgorithms) {
    if (!digest.starts_with(prefix)) continue;
    const std::string_view hex = digest.substr(prefix.size());
    if (hex.size() == digits && std::ranges::all_of(hex, IsLowerHex)) return {};
    return Refuse(where, fmt::format("has an invalid digest: after {} stand {} lower-case hexadecimal digits, and here "
                                     "{} characters",
                                     prefix, digits, hex.size()));
  }
  return Refuse(where, "has a digest of an unknown kind; write sha256:, sha384: or sha512: and its hexadecimal digits");
}

Result<void> CheckRegistry(std::string_view registry, const std::string& where) {
  // A user name is not quoted: a password may follow it.
  if (registry.find('@') != std::string_view::npos)
    return Refuse(where, "has a user name before its registry; leave it out, and log in by a pull secret");
  // The grammar takes a name with underscores for a folder, and containerd then asks it all the same.
  if (IsDomain(registry) || IsPathComponent(registry)) return {};
  return Refuse(where, fmt::format("has an invalid registry, '{}'; write HOST or HOST:PORT", Shorten(registry)));
}

// What the text as a whole can't be.
Result<void> CheckText(std::string_view text, const std::string& where) {
  if (text.empty()) return Refuse(where, fmt::format("is empty; write {}", kForm));
  if (text.size() > kMostReference) return Refuse(where, "is too long for a reference to an image");
  if (text.find("://") != std::string_view::npos)
    return Refuse(where, fmt::format("is a URL; name the image without a scheme, as {}", kForm));
  const auto is_graphic = [](char c) { return c > ' ' && c < 0x7F; };
  if (!std::ranges::all_of(text, is_graphic))
    return Refuse(where, fmt::format("has blanks or characters that a reference can't have; write {}", kForm));
  if (text.size() == 64 && std::ranges::all_of(text, IsLowerHex))
    return Refuse(where, fmt::format("is the ID of an image, which no registry is asked for; write {}", kForm));
  return {};
}

}  // namespace

std::string ImageReference::Repository() const { return registry + "/" + repository; }

std::string ImageReference::Text() const {
  std::string out = Repository();
  if (!tag.empty()) out += ":" + tag;
  if (by_digest()) out += "@" + digest;
  return out;
}

Result<ImageReference> ParseImageReference(std::string_view text, const std::string& where) {
  PROV_TRY(CheckText(text, where));
  const Names names = SplitRegistry(text);
  const std::string_view rest = names.rest;
  const std::size_t at = rest.find('@');
  const std::string_view name = rest.substr(0, at);
  const std::size_t colon = name.find(':');
  ImageReference out;
  out.registry = names.registry;
  out.repository = name.substr(0, colon);
  PROV_TRY(CheckRegistry(out.registry, where));
  // First: before the '@' of something else, a password may stand.
  if (at != std::string_view::npos) {
    out.digest = rest.substr(at + 1);
    PROV_TRY(CheckDigest(out.digest, where));
  }
  PROV_TRY(CheckRepository(out.repository, where));
  if (colon != std::string_view::npos) {
    out.tag = name.substr(colon + 1);
    PROV_TRY(CheckTag(out.tag, where));
  }
  if (out.tag.empty() && out.digest.empty()) out.tag = "latest";
  return out;
}

}  // namespace prov::registries
