// Makes hives that were not closed cleanly, with their logs as Windows 8.1 and later write them, byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "images/registry/hive_format.h"
#include "images/registry/log_reader.h"

namespace prov::testing_support {

namespace regf = images::regf;

struct HivePage {
  std::uint32_t offset = 0;  // in the bins
  std::string bytes;
};

inline std::uint32_t BinsBytes(std::string_view hive) { return regf::Load32(hive, 40); }

// What a flush logs: the pages of 4096 bytes that differ, or that only `after` has; neighbours are one page.
inline std::vector<HivePage> ChangedPages(std::string_view before, std::string_view after) {
  std::vector<HivePage> pages;
  for (std::uint32_t at = 0; at < BinsBytes(after); at += 4096) {
    const std::string_view page = after.substr(4096 + at, 4096);
    if (at < BinsBytes(before) && before.substr(4096 + at, 4096) == page) continue;
    if (!pages.empty() && pages.back().offset + pages.back().bytes.size() == at) {
      pages.back().bytes += page;
    } else {
      pages.push_back({at, std::string(page)});
    }
  }
  return pages;
}

// An entry with its hashes made right.
inline std::string SealedEntry(std::string entry) {
  regf::Store64(&entry[24], regf::Marvin32(std::string_view(entry).substr(40)));
  regf::Store64(&entry[32], regf::Marvin32(std::string_view(entry).substr(0, 32)));
  return entry;
}

inline std::string LogEntryOf(std::uint32_t sequence, std::uint32_t bins_bytes, const std::vector<HivePage>& pages,
                              std::uint32_t flags = 0) {
  std::string entry(40 + (8 * pages.size()), '\0');
  entry.replace(0, 4, "HvLE");
  regf::Store32(&entry[8], flags);
  regf::Store32(&entry[12], sequence);
  regf::Store32(&entry[16], bins_bytes);
  regf::Store32(&entry[20], static_cast<std::uint32_t>(pages.size()));
  for (std::size_t i = 0; i < pages.size(); ++i) {
    regf::Store32(&entry[40 + (8 * i)], pages[i].offset);
    regf::Store32(&entry[44 + (8 * i)], static_cast<std::uint32_t>(pages[i].bytes.size()));
  }
  for (const HivePage& page : pages) entry += page.bytes;
  entry.resize((entry.size() + 511) / 512 * 512);
  regf::Store32(&entry[4], static_cast<std::uint32_t>(entry.size()));
  return SealedEntry(std::move(entry));
}

inline std::string FlushOf(std::uint32_t sequence, std::string_view before, std::string_view after) {
  return LogEntryOf(sequence, BinsBytes(after), ChangedPages(before, after));
}

// A hive's header with other numbers, its checksum made right.
inline std::string WithNumbers(std::string hive, std::uint32_t begun, std::uint32_t ended) {
  regf::Store32(&hive[4], begun);
  regf::Store32(&hive[8], ended);
  regf::Store32(&hive[508], regf::BaseBlockChecksum(hive));
  return hive;
}

// The header of a log of that hive whose first entry has this number.
inline std::string LogHeader(std::string_view hive, std::uint32_t first) {
  std::string header(hive.substr(0, 512));
  regf::Store32(&header[28], 6);
  return WithNumbers(std::move(header), first, first);
}

}  // namespace prov::testing_support
