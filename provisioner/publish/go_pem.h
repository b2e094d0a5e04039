// Finds PEM blocks as Go's encoding/pem does, which the cluster's operators use: a block begins and ends at the start
// of a line, and damaged blocks are silently skipped. (pki/pem.h reports such damage instead.)
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace prov::publish {

struct GoPemBlock {
  std::string_view type;
  bool has_headers = false;
  std::string bytes;  // decoded
};

// Reads the blocks of a text in linear time. The text must outlive reader and blocks.
class GoPemReader {
 public:
  explicit GoPemReader(std::string_view text) : text_(text) {}
  std::optional<GoPemBlock> Next();  // nullopt at the end

 private:
  struct Line {
    std::string_view text;  // without trailing blanks
    std::size_t next = 0;   // where the next line begins
  };

  bool FindBegin();
  Line LineAt(std::size_t at) const;
  std::size_t FindEnd(std::size_t from);
  std::optional<GoPemBlock> ReadBlock(std::string_view type);

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t end_ = 0;  // the first END marker at or after the last requested place
};

}  // namespace prov::publish
