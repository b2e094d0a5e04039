#include "images/archive/archive_functions_posix.h"

#include <dlfcn.h>

#include <cstdlib>

namespace prov::images {
namespace {

class Loader {
 public:
  Loader()
      : library_(dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL)), complete_(library_ != nullptr) {  // never closed
    ArchiveFunctions& f = functions_;
    Find(f.write_new, "archive_write_new");
    Find(f.set_format_ustar, "archive_write_set_format_ustar");
    Find(f.set_format_zip, "archive_write_set_format_zip");
    Find(f.set_format_iso9660, "archive_write_set_format_iso9660");
    Find(f.set_format_option, "archive_write_set_format_option");
    Find(f.add_filter_gzip, "archive_write_add_filter_gzip");
    Find(f.set_filter_option, "archive_write_set_filter_option");
    Find(f.zip_store, "archive_write_zip_set_compression_store");
    Find(f.zip_deflate, "archive_write_zip_set_compression_deflate");
    Find(f.set_bytes_per_block, "archive_write_set_bytes_per_block");
    Find(f.set_bytes_in_last_block, "archive_write_set_bytes_in_last_block");
    Find(f.open, "archive_write_open");
    Find(f.header, "archive_write_header");
    Find(f.data, "archive_write_data");
    Find(f.close, "archive_write_close");
    Find(f.fail, "archive_write_fail");
    Find(f.free, "archive_write_free");
    Find(f.error_string, "archive_error_string");
    Find(f.entry_new, "archive_entry_new");
    Find(f.entry_clear, "archive_entry_clear");
    Find(f.entry_free, "archive_entry_free");
    Find(f.entry_set_pathname, "archive_entry_set_pathname");
    Find(f.entry_set_filetype, "archive_entry_set_filetype");
    Find(f.entry_set_perm, "archive_entry_set_perm");
    Find(f.entry_set_size, "archive_entry_set_size");
    Find(f.entry_set_mtime, "archive_entry_set_mtime");
    // The local times that the library asks for are replaced (settle.h), but without a TZ the C library looks at
    // /etc/localtime for each of them, which takes as long as all the rest of a drive.
    setenv("TZ", "UTC0", 0);
  }

  const ArchiveFunctions* functions() const { return complete_ ? &functions_ : nullptr; }

 private:
  template <class Function>
  void Find(Function& function, const char* name) {
    if (!complete_) return;
    function = reinterpret_cast<Function>(dlsym(library_, name));
    complete_ = function != nullptr;
  }

  void* library_;
  bool complete_;
  ArchiveFunctions functions_{};
};

}  // namespace

Result<const ArchiveFunctions*> LoadArchive() {
  static const Loader loader;
  if (loader.functions() != nullptr) return loader.functions();
  return Fail(Code::kTarget,
              "archives and drives need libarchive, and it can't be loaded: install libarchive13, or take --format dir",
              "libarchive.so.13");
}

}  // namespace prov::images
