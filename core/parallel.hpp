// A pool of threads for one call. Work is cut into blocks whose shape does not depend on the
// number of threads; whatever is summed is summed in block order afterwards, so results are the
// same bits at any thread count.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "progress.hpp"

namespace linnet {

class ThreadPool {
 public:
  // The calling thread is one of `threads`; it alone polls `progress`. The others are started when
  // there is something for them: what is one block of work takes less time than a thread's start.
  ThreadPool(int threads, Progress& progress);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs body(0) .. body(blocks - 1), each once. An exception from any of them, or from polling,
  // stops the remaining blocks and is thrown here.
  void run(std::int64_t blocks, const std::function<void(std::int64_t)>& body);

  // Cuts 0..n-1 into ranges of `grain` and runs body(first, last) on each.
  void ranges(std::int64_t n, std::int64_t grain,
              const std::function<void(std::int64_t, std::int64_t)>& body);

  // The sum over those ranges of body(first, last), added in range order.
  double sum(std::int64_t n, std::int64_t grain,
             const std::function<double(std::int64_t, std::int64_t)>& body);

  // For long bodies, called often from inside them: throws when the run has been stopped, and polls
  // when the calling thread is the one at work.
  void checkpoint();

  // How many there are; fewer than were asked for when the system has no more to give.
  int threads() {
    start();
    return static_cast<int>(workers_.size()) + 1;
  }
  // How many of them blocks of work can keep busy.
  std::int64_t sharing(std::int64_t blocks) {
    return blocks <= 1 ? blocks : std::min<std::int64_t>(blocks, threads());
  }
  Progress& progress() { return progress_; }

 private:
  void start();
  void work();
  void take_blocks(bool polls);
  void fail(std::exception_ptr error);

  Progress& progress_;
  int wanted_;  // threads besides the calling one that are still to be started
  const std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> failed_{false};
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(std::int64_t)>* body_ = nullptr;
  std::int64_t blocks_ = 0;
  std::atomic<std::int64_t> next_{0};
  std::int64_t generation_ = 0;
  int busy_ = 0;
  bool stop_ = false;
  std::exception_ptr error_;
};

}  // namespace linnet
