// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for work. No OpenMP: a second runtime next to scikit-learn's, and a hang in forked
// children.
#pragma once
#include <cstddef>
#include <functional>

namespace bayesieve {

// Runs task(begin, end, thread) over blocks of 0 .. n - 1 with at most n_threads threads, of which the caller
// is one. While it waits or works, the caller calls `poll`. If that or a task throws, no new block is begun,
// and the exception is passed on. Which thread does which block is not fixed.
void run_blocks(std::size_t n, std::size_t block, int n_threads,
                const std::function<void(std::size_t begin, std::size_t end, int thread)>& task,
                const std::function<void()>& poll);

}  // namespace bayesieve
