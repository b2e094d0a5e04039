// usage: drive_bench PAYLOAD OUT ROUNDS
// Writes the files of a payload folder as a drive, in process, as a fleet does it for each of its nodes. Prints minimum
// and median of the CPU nanoseconds, and the bytes.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "images/archive/archive.h"
#include "provisioner/base/file.h"
#include "provisioner/base/folder.h"
#include "provisioner/payload/drive.h"
#include "tests/bench/bench.h"

namespace prov::bench {
namespace {

Result<payload::Payload> Read(const std::string& folder) {
  payload::Payload out;
  for (const FolderEntry& entry : PROV_TRY(ListTree(folder, 1000))) {
    if (entry.kind != EntryKind::kFile) continue;
    out.files.push_back({entry.path, PROV_TRY(ReadFile(folder + "/" + entry.path, 1U << 30U)), false, {}});
  }
  return out;
}

Result<void> Write(const payload::Payload& payload, const std::string& path) {
  const auto sink = PROV_TRY(images::MakeArchive(path, {.format = images::ArchiveFormat::kIso,
                                                        .time_unix = 315532800,
                                                        .label = "config-2",
                                                        .mode = 0644,
                                                        .flush = false}));
  PROV_TRY(payload::WriteDrive(*sink, payload::DriveKind::kConfigDrive, payload, {}));
  return sink->Finish();
}

Result<std::string> Measure(const std::string& folder, const std::string& path, int rounds) {
  const payload::Payload payload = PROV_TRY(Read(folder));
  std::vector<long long> times;
  for (int i = 0; i < rounds; ++i) {
    std::filesystem::remove(path);  // a fleet's drives are new files
    const long long start = CpuNanoseconds();
    PROV_TRY(Write(payload, path));
    times.push_back(CpuNanoseconds() - start);
  }
  return Row(std::move(times), std::filesystem::file_size(path));
}

}  // namespace
}  // namespace prov::bench

int main(int argc, char** argv) {
  if (argc != 4) return 10;
  const auto measured = prov::bench::Measure(argv[1], argv[2], std::atoi(argv[3]));
  fmt::print(measured ? stdout : stderr, "{}", measured ? *measured : measured.error().message + "\n");
  return measured ? 0 : 1;
}
