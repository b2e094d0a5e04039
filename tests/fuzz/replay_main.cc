// Runs a fuzz target over files, without libFuzzer: how the corpus becomes a test for every compiler, and how a finding
// is replayed under a debugger.
//
// usage: fuzz_replay_TARGET FILE|FOLDER...
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/check.h"

namespace {

std::vector<std::filesystem::path> FilesOf(const std::filesystem::path& place) {
  if (!std::filesystem::is_directory(place)) return {place};
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place)) {
    if (entry.is_regular_file()) out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

bool Replay(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
    return false;
  }
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  // A copy of exactly this size, so that the sanitizers see every access beyond it.
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);  // the last line names the culprit if the target stops the program
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  LLVMFuzzerTestOneInput(nullptr, 0);
  for (int i = 1; i < argc; ++i) {
    for (const auto& file : FilesOf(argv[i])) {
      if (!Replay(file)) return 1;
      ++count;
    }
  }
  if (count == 0) {
    std::fprintf(stderr, "usage: %s FILE|FOLDER...  (no file found)\n", argv[0]);
    return 1;
  }
  std::printf("%zu files\n", count);
  return 0;
}
