// The functions of libarchive that are needed. The library is loaded when an archive is written: no other command needs
// it, and it brings fifteen more along.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include "provisioner/base/result.h"

namespace prov::images {

struct ArchiveFunctions {
  decltype(&::archive_write_new) write_new;
  decltype(&::archive_write_set_format_ustar) set_format_ustar;
  decltype(&::archive_write_set_format_zip) set_format_zip;
  decltype(&::archive_write_set_format_iso9660) set_format_iso9660;
  decltype(&::archive_write_set_format_option) set_format_option;
  decltype(&::archive_write_add_filter_gzip) add_filter_gzip;
  decltype(&::archive_write_set_filter_option) set_filter_option;
  decltype(&::archive_write_zip_set_compression_store) zip_store;
  decltype(&::archive_write_zip_set_compression_deflate) zip_deflate;
  decltype(&::archive_write_set_bytes_per_block) set_bytes_per_block;
  decltype(&::archive_write_set_bytes_in_last_block) set_bytes_in_last_block;
  decltype(&::archive_write_open) open;
  decltype(&::archive_write_header) header;
  decltype(&::archive_write_data) data;
  decltype(&::archive_write_close) close;
  decltype(&::archive_write_fail) fail;
  decltype(&::archive_write_free) free;
  decltype(&::archive_error_string) error_string;
  decltype(&::archive_entry_new) entry_new;
  decltype(&::archive_entry_clear) entry_clear;
  decltype(&::archive_entry_free) entry_free;
  decltype(&::archive_entry_set_pathname) entry_set_pathname;
  decltype(&::archive_entry_set_filetype) entry_set_filetype;
  decltype(&::archive_entry_set_perm) entry_set_perm;
  decltype(&::archive_entry_set_size) entry_set_size;
  decltype(&::archive_entry_set_mtime) entry_set_mtime;
};

// Errors: target (it can't be loaded).
Result<const ArchiveFunctions*> LoadArchive();

}  // namespace prov::images
