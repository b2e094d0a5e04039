// MakeCodec: libwim, loaded on first use.
#include <optional>

#include "images/tree/wim_format.h"
#include "provisioner/base/posix_api.h"

namespace prov::images::wim {
namespace {

// The six functions that are used, as in wimlib.h of version 15; an enum is passed as an int.
struct WimlibFunctions {
  int (*create_compressor)(int type, std::size_t chunk, unsigned level, void** compressor);
  std::size_t (*compress)(const void* from, std::size_t size, void* to, std::size_t room, void* compressor);
  void (*free_compressor)(void* compressor);
  int (*create_decompressor)(int type, std::size_t chunk, void** decompressor);
  int (*decompress)(const void* from, std::size_t stored, void* to, std::size_t size, void* decompressor);
  void (*free_decompressor)(void* decompressor);
};

std::optional<WimlibFunctions> Load() {
  posix::Library library({"libwim.so.15"});
  WimlibFunctions out{};
  library.Find(out.create_compressor, "wimlib_create_compressor");
  library.Find(out.compress, "wimlib_compress");
  library.Find(out.free_compressor, "wimlib_free_compressor");
  library.Find(out.create_decompressor, "wimlib_create_decompressor");
  library.Find(out.decompress, "wimlib_decompress");
  library.Find(out.free_decompressor, "wimlib_free_decompressor");
  return library.complete() ? std::optional(out) : std::nullopt;
}

// The library's numbers.
int TypeOf(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      break;
    case Compression::kXpress:
      return 1;
    case Compression::kLzx:
      return 2;
    case Compression::kLzms:
      return 3;
  }
  return 0;
}

class LibwimCodec final : public Codec {
 public:
  LibwimCodec(const WimlibFunctions& wimlib, Compression compression, std::uint32_t chunk)
      : wimlib_(wimlib), type_(TypeOf(compression)), chunk_(chunk) {}
  LibwimCodec(const LibwimCodec&) = delete;
  LibwimCodec& operator=(const LibwimCodec&) = delete;
  ~LibwimCodec() override {
    if (compressor_ != nullptr) wimlib_.free_compressor(compressor_);
    if (decompressor_ != nullptr) wimlib_.free_decompressor(decompressor_);
  }

  bool Decompress(std::string_view chunk, char* to, std::size_t size) override {
    if (decompressor_ == nullptr && wimlib_.create_decompressor(type_, chunk_, &decompressor_) != 0) return false;
    return wimlib_.decompress(chunk.data(), chunk.size(), to, size, decompressor_) == 0;
  }

  std::size_t Compress(std::string_view chunk, char* to) override {
    // Without a compressor, bytes are stored uncompressed, which every reader accepts.
    if (compressor_ == nullptr && wimlib_.create_compressor(type_, chunk_, kLevel, &compressor_) != 0) return 0;
    return wimlib_.compress(chunk.data(), chunk.size(), to, chunk.size() - 1, compressor_);
  }

 private:
  static constexpr unsigned kLevel = 0;  // the library's default, which its own programs use

  const WimlibFunctions& wimlib_;
  int type_;
  std::uint32_t chunk_;
  void* compressor_ = nullptr;
  void* decompressor_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Codec>> MakeCodec(Compression compression, std::uint32_t chunk) {
  static const std::optional<WimlibFunctions> functions = Load();
  if (functions) return std::make_unique<LibwimCodec>(*functions, compression, chunk);
  return Fail(Code::kTarget, "compressed WIM files need libwim, and it can't be loaded: install libwim15",
              "libwim.so.15");
}

}  // namespace prov::images::wim
