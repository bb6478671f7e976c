// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace bayesieve {
namespace {

long process_id() {
#if defined(__unix__) || defined(__APPLE__)
    return static_cast<long>(getpid());
#else
    return 0;
#endif
}

// To put a thread to sleep and wake it takes longer than many a stage of a search, and the next one follows
// soon: whoever waits looks on for a while before it sleeps. It offers its processor to others meanwhile.
template <typename Condition>
bool comes_soon(const Condition& condition) {
    constexpr std::chrono::microseconds patience(100);
    const auto end = std::chrono::steady_clock::now() + patience;
    do {
        for (int i = 0; i < 16; ++i) {
            if (condition()) return true;
            std::this_thread::yield();
        }
    } while (std::chrono::steady_clock::now() < end);
    return false;
}

struct Job {
    std::size_t n, block;
    const std::function<void(std::size_t, std::size_t, int)>* task;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    std::mutex mutex{};
    std::exception_ptr failure{};  // the first one; no new block is begun after it

    bool step(int thread) {
        if (stopped.load(std::memory_order_relaxed)) return false;
        const std::size_t begin = next.fetch_add(block);
        if (begin >= n) return false;
        try {
            (*task)(begin, std::min(n, begin + block), thread);
        } catch (...) {
            fail();
        }
        return true;
    }

    // Called in a handler.
    void fail() {
        std::lock_guard<std::mutex> lock(mutex);
        if (failure == nullptr) failure = std::current_exception();
        stopped = true;
    }

    void finish() const {
        if (failure != nullptr) std::rethrow_exception(failure);
    }
};

class Pool {
  public:
    ~Pool() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            ending_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    // One job at a time; a second caller (another Python thread) waits for its turn.
    void run(Job& job, int n_threads, const std::function<void()>& poll) {
        std::lock_guard<std::mutex> turn(turn_);
        try {
            while (static_cast<int>(threads_.size()) < n_threads - 1)
                threads_.emplace_back([this, index = static_cast<int>(threads_.size()) + 1] { work(index); });
        } catch (const std::system_error&) {  // the process may have no more: fewer give the same answer
            n_threads = static_cast<int>(threads_.size()) + 1;
        }
        int sleepers;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            job_ = &job;
            wanted_ = n_threads - 1;
            ++generation_;
            sleepers = sleepers_;
        }
        if (sleepers > 0) wake_.notify_all();
        try {
            while (job.step(0)) poll();
        } catch (...) {
            job.fail();
        }
        std::unique_lock<std::mutex> lock(mutex_);
        job_ = nullptr;  // late threads find nothing
        if (busy_ > 0) {
            lock.unlock();
            comes_soon([this] { return busy_ == 0; });
            lock.lock();
        }
        while (busy_ > 0) {
            done_.wait_for(lock, std::chrono::milliseconds(50));
            if (job.stopped || busy_ == 0) continue;
            lock.unlock();
            try {
                poll();
            } catch (...) {
                job.fail();
            }
            lock.lock();
        }
    }

  private:
    void work(int index) {
        std::uint64_t seen = 0;
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            ++sleepers_;
            wake_.wait(lock, [&] {
                return ending_ || (generation_ != seen && job_ != nullptr && index <= wanted_);
            });
            --sleepers_;
            if (ending_) return;
            seen = generation_;
            Job* job = job_;
            ++busy_;
            lock.unlock();
            while (job->step(index)) {
            }
            lock.lock();
            if (--busy_ == 0) done_.notify_all();
            lock.unlock();
            comes_soon([&] { return generation_ != seen; });
            lock.lock();
        }
    }

    std::mutex turn_, mutex_;
    std::condition_variable wake_, done_;
    std::vector<std::thread> threads_;
    Job* job_ = nullptr;
    // Changed under the mutex; a thread that looks on reads the atomic ones without it.
    int wanted_ = 0, sleepers_ = 0;
    std::atomic<int> busy_{0};
    std::atomic<std::uint64_t> generation_{0};
    bool ending_ = false;
};

// A forked child has the pool's memory but not its threads: it gets a new pool, and the old one is left as it
// is.
Pool& pool() {
    static std::mutex mutex;
    static Pool* current = nullptr;
    static long owner = -1;
    std::lock_guard<std::mutex> lock(mutex);
    if (current == nullptr || owner != process_id()) {
        current =
            new Pool;  // never destroyed: threads of a library that is being unloaded cannot be joined safely
        owner = process_id();
    }
    return *current;
}

}  // namespace

void run_blocks(std::size_t n, std::size_t block, int n_threads,
                const std::function<void(std::size_t, std::size_t, int)>& task,
                const std::function<void()>& poll) {
    Job job{n, block, &task};
    if (n_threads > 1 && n > block) {
        pool().run(job, n_threads, poll);
    } else {
        while (job.step(0)) poll();
    }
    job.finish();
}

}  // namespace bayesieve
