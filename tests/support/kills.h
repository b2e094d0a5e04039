// A run on a machine in memory that is killed at each of its calls.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "tests/support/amount.h"
#include "tests/support/memory_host.h"

namespace prov::testing_support {

// Calls `run(MemoryHost&)` on copies of `start`: once to its end, and then killed before and after each call of a port
// (every `stride`-th, and the last one, where a command has become true). `look(MemoryHost&, call)` gets what each
// kill left. A call with a fatal failure is the last.
template <class Run, class Look>
void KillAtEveryCall(const MemoryHost& start, Run run, Look look, std::size_t stride = CallStride()) {
  const auto fresh = [&] {
    MemoryHost host = start;
    host.counts_calls = true;
    host.memory.calls = 0;
    return host;
  };
  MemoryHost whole = fresh();
  run(whole);
  const std::size_t calls = whole.memory.calls;
  ASSERT_GT(calls, 3U);
  const std::size_t last = calls - 1;
  for (std::size_t call = 0; call < calls; call = call == last ? calls : std::min(call + stride, last)) {
    for (const auto stop : {&MemoryMachine::stop_before, &MemoryMachine::stop_after}) {
      SCOPED_TRACE("call " + std::to_string(call) + (stop == &MemoryMachine::stop_after ? ", after" : ", before"));
      MemoryHost host = fresh();
      host.memory.*stop = call;
      ASSERT_THROW(run(host), PowerFailure);
      host.memory.GoOn();
      host.counts_calls = false;
      look(host, call);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// The boot after such a kill, in which writes that nobody flushed are lost, all or some.
inline void BootAfterKill(MemoryHost& host, std::size_t call) {
  host.memory.Boot(call % 2 == 0 ? Unflushed::kLost : Unflushed::kSome, static_cast<unsigned>(call));
}

}  // namespace prov::testing_support
