// Kills a child process at one of its system calls, so that the disk is as after a crash.
#pragma once

#include <cstddef>
#include <functional>

namespace prov::testing_support {

enum class Stopped { kKilled, kFinished };

// Runs `body` in a child and kills it before the system call of that number (from 0), unless it has finished by then.
// `body` returns whether it succeeded; a failure that is not ours to cause ends the test program.
Stopped RunAndStopAt(std::size_t call, const std::function<bool()>& body);

}  // namespace prov::testing_support
