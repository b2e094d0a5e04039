// How long a source may take as a whole, with all that it refers to.
#pragma once

#include <cstdint>
#include <string>

namespace prov::source {

class SourceTime {
 public:
  explicit SourceTime(int seconds) : whole_(seconds), left_(seconds) {}

  int left() const { return left_; }  // seconds

  // What a document took by the clock. One that was set meanwhile, as happens at a first boot, says nothing: no
  // document takes much longer than was left for it.
  void Spend(std::int64_t seconds);

  // Why there is no more, for errors.
  std::string Words() const;

 private:
  int whole_;
  int left_;
};

}  // namespace prov::source
