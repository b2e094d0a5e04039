// Archives of collected objects: what is taken lies beneath a folder and keeps the limits, the settings keep the
// promises of a document, and any piece sizes give the same of a good one. The sums of tar headers are put right,
// because no mutation would.
#include <algorithm>
#include <map>

#include "provisioner/source/document_source.h"
#include "provisioner/source/gathered_files.h"
#include "provisioner/source/tar_reader.h"
#include "tests/fuzz/ignition_checks.h"
#include "tests/fuzz/secret_checks.h"

namespace prov::fuzz {
namespace {

constexpr source::GatheredLimits kLimits = {.entries = 200,
                                            .unpacked = 1 << 20,
                                            .plain = 1 << 16,
                                            .ratio = 200,
                                            .files = 20,
                                            .file = 1 << 16,
                                            .together = 1 << 17};

std::string WithSums(std::string_view input) {
  constexpr std::size_t kSum = 148;
  constexpr std::size_t kMagic = 257;
  std::string out(input);
  for (std::size_t at = 0; at + source::kTarHeaderBytes <= out.size(); at += source::kTarHeaderBytes) {
    if (out.compare(at + kMagic, 5, "ustar") != 0) continue;
    out.replace(at + kSum, 8, 8, ' ');
    unsigned sum = 0;
    for (std::size_t i = 0; i < source::kTarHeaderBytes; ++i) sum += static_cast<unsigned char>(out[at + i]);
    for (std::size_t digit = 6; digit-- > 0; sum /= 8) out[at + kSum + digit] = static_cast<char>('0' + sum % 8);
    out[at + kSum + 6] = '\0';
  }
  return out;
}

// "" and the files, or the error.
std::pair<std::string, std::map<std::string, std::string>> Taken(std::string_view archive, std::size_t piece) {
  std::map<std::string, std::string> files;
  std::size_t together = 0;
  const auto read = source::ReadArchivedFiles(
      [&archive, piece](char* to, std::size_t size) -> Result<std::size_t> {
        const std::size_t count = std::min({size, piece, archive.size()});
        std::copy_n(archive.data(), count, to);
        archive.remove_prefix(count);
        return count;
      },
      "input",
      [&](const std::string& path, std::string bytes) -> Result<void> {
        FUZZ_CHECK(source::IsGatheredFile(path));
        FUZZ_CHECK(!path.starts_with('/') && ("/" + path + "/").find("/../") == std::string::npos);
        FUZZ_CHECK(bytes.size() <= kLimits.file);
        together += bytes.size();
        FUZZ_CHECK(files.emplace(path, std::move(bytes)).second);
        return {};
      },
      kLimits);
  FUZZ_CHECK(files.size() <= kLimits.files && together <= kLimits.together);
  if (!read) CheckError(read.error());
  return {read ? std::string() : read.error().message, std::move(files)};
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string input = WithSums(TextOf(data, size));
  const auto whole = Taken(input, input.size() + 1);
  const auto pieces = Taken(input, 1 + size % 700);
  // How far a bad archive is read before the error depends on the pieces.
  FUZZ_CHECK(!whole.first.empty() || !pieces.first.empty() || whole == pieces);
  const auto config = prov::source::ReadDocument(input, "input", {}, nullptr, SmallLimits());
  if (config) {
    CheckConfig(input, *config);
  } else {
    CheckError(config.error());
  }
  return 0;
}
