// How far a long run is, on a terminal: one line that is written over and goes at the end.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace prov::cli {

class Progress {
 public:
  // Nothing is printed unless standard error is a terminal, nor of a run that is over at once.
  Progress(std::string_view what, std::size_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void Show(std::size_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  std::size_t total_;
  bool terminal_;
  std::size_t printed_ = 0;  // characters on the line
  Clock::time_point next_;
};

}  // namespace prov::cli
