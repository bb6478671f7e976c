// SPDX-License-Identifier: BSD-3-Clause
#include "pool_checks.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bayesieve/pool.hpp"

// A child of several threads may not start new ones under the thread sanitizer, nor under qemu-user, for
// which `make arm` defines the macro.
#if defined(BAYESIEVE_NO_FORK)
#elif defined(__SANITIZE_THREAD__)
#define BAYESIEVE_NO_FORK
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BAYESIEVE_NO_FORK
#endif
#endif
#if !defined(__unix__) && !defined(__APPLE__) && !defined(BAYESIEVE_NO_FORK)
#define BAYESIEVE_NO_FORK
#endif
#if !defined(BAYESIEVE_NO_FORK)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace bayesieve_test {
namespace {

using bayesieve::run_blocks;

constexpr int kThreads = 7;

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

// Plain counters: the pool itself must make what its threads wrote visible to the caller.
bool covers_once(std::size_t n, std::size_t block, int n_threads) {
    std::vector<int> visits(n, 0);
    bool good_thread = true;
    run_blocks(
        n, block, n_threads,
        [&](std::size_t begin, std::size_t end, int thread) {
            if (thread < 0 || thread >= n_threads || end > n || end - begin > block) good_thread = false;
            for (std::size_t i = begin; i < end; ++i) ++visits[i];
        },
        [] {});
    for (int count : visits)
        if (count != 1) return false;
    return good_thread;
}

// Each of two blocks waits for the other: one thread alone would never end.
void meet() {
    std::atomic<int> begun{0};
    run_blocks(
        2, 1, 2,
        [&](std::size_t, std::size_t, int) {
            ++begun;
            while (begun < 2) rest();
        },
        [] {});
}

bool covers_many_small_jobs() {
    meet();
    for (std::size_t job = 0; job < 2000; ++job)
        if (!covers_once(job % 23, 1 + job % 3, 2 + static_cast<int>(job % (kThreads - 1)))) return false;
    return covers_once(5000, 1, kThreads);
}

// The poll throws while there is work left: the exception arrives, few blocks follow, and none after it.
bool stops_when_poll_throws() {
    constexpr std::size_t n = 3000;
    std::atomic<std::size_t> begun{0};
    bool caught = false;
    try {
        run_blocks(
            n, 1, kThreads,
            [&](std::size_t, std::size_t, int) {
                ++begun;
                rest();
            },
            [] { throw std::runtime_error("interrupted"); });
    } catch (const std::runtime_error&) {
        caught = true;
    }
    const std::size_t at_return = begun;
    for (int i = 0; i < 20; ++i) rest();
    return caught && at_return < n / 2 && begun == at_return && covers_once(100, 1, kThreads);
}

// The poll throws while the caller waits for the last block of another thread.
bool stops_when_waiting_poll_throws() {
    std::atomic<int> begun{0};
    std::atomic<bool> thrown{false}, ended{false};
    bool caught = false;
    try {
        run_blocks(
            2, 1, 2,
            [&](std::size_t, std::size_t, int thread) {
                ++begun;
                while (begun < 2) rest();  // so that each thread has one block
                while (thread != 0 && !thrown) rest();
                if (thread != 0) ended = true;
            },
            [&, calls = 0]() mutable {
                if (++calls < 2) return;
                thrown = true;
                throw std::runtime_error("interrupted");
            });
    } catch (const std::runtime_error&) {
        caught = true;
    }
    return caught && ended && covers_once(100, 1, kThreads);
}

// The callers want different numbers of threads, and the first ones while the pool still grows.
bool serves_two_callers() {
    std::atomic<int> faults{0};
    const auto call = [&](int most) {
        for (std::size_t job = 0; job < 300; ++job)
            if (!covers_once(1 + job % 40, 2, 2 + static_cast<int>(job) % (most - 1))) ++faults;
    };
    std::thread other(call, kThreads);
    call(3);
    other.join();
    return faults == 0;
}

// The child has the pool's memory but not its threads.
bool survives_fork() {
#if defined(BAYESIEVE_NO_FORK)
    return true;
#else
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);  // a hang is a fault too
        meet();
        _exit(covers_once(1000, 1, kThreads) ? 0 : 1);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0 && covers_once(1000, 1, kThreads);
#endif
}

}  // namespace

int check_pool() {
    struct Check {
        bool (*holds)();
        const char* fault;
    };
    int faults = 0;
    for (const Check& check : {
             Check{serves_two_callers, "two callers at once were in each other's way"},
             Check{covers_many_small_jobs, "some index was not visited exactly once"},
             Check{stops_when_poll_throws, "blocks went on after the poll threw"},
             Check{stops_when_waiting_poll_throws, "an exception was lost while waiting"},
             Check{survives_fork, "a forked child could not run a job"},
         })
        if (!check.holds()) {
            std::printf("pool: %s\n", check.fault);
            ++faults;
        }
    return faults;
}

}  // namespace bayesieve_test
