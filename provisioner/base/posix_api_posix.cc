#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "provisioner/base/posix_api.h"

namespace prov::posix {

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

bool Descriptor::Close() { return close(Release()) == 0; }

namespace {

// The remedy for an error; "" if there is none.
std::string_view RemedyFor(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
      return "; check the path";
    case EACCES:
    case EPERM:
      return "; check its permissions";
    case ENOSPC:
    case EDQUOT:
      return "; make room on its volume";
    case EROFS:
      return "; mount its volume for writing";
    default:
      return {};
  }
}

}  // namespace

std::unexpected<Error> Failure(Code code, std::string_view what, const std::string& where, int error) {
  return Fail(code, fmt::format("{}: {}{}", what, std::strerror(error), RemedyFor(error)), where);
}

Library::Library(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (library_ == nullptr) library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  complete_ = library_ != nullptr;
}

void* Library::Symbol(const char* name) {
  void* const out = complete_ ? dlsym(library_, name) : nullptr;
  complete_ = out != nullptr;
  return out;
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace prov::posix
