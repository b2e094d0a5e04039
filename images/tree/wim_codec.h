// Compression as WIM files have it, by libwim. Linux loads the library when a compressed WIM is opened: no other
// command needs it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "images/tree/wim_format.h"
#include "provisioner/base/result.h"

namespace prov::images::wim {

// One chunk at a time.
class Codec {
 public:
  virtual ~Codec() = default;
  // Exactly `size` bytes; false: it is damaged.
  virtual bool Decompress(std::string_view chunk, char* to, std::size_t size) = 0;
  // Fewer bytes than the chunk has, or none.
  virtual std::size_t Compress(std::string_view chunk, char* to) = 0;
};

// Errors: target (libwim can't be loaded).
Result<std::unique_ptr<Codec>> MakeCodec(Compression compression, std::uint32_t chunk);

// The first `wanted` bytes of a compressed resource of `size` bytes. Errors: target (damaged).
Result<std::string> Unpack(Codec& codec, std::uint32_t chunk, std::string_view stored, std::uint64_t size,
                           std::uint64_t wanted, const std::string& where);

// A compressed resource, or nothing when that would not be smaller. `progress` gets the number of bytes of each step.
std::string Pack(Codec& codec, std::uint32_t chunk, std::string_view bytes,
                 const std::function<void(std::size_t)>& progress);

}  // namespace prov::images::wim
