#include "parallel.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>

namespace linnet {
namespace {

struct Stopped {};  // leaves a body whose run has failed elsewhere; never the first error

}  // namespace

void ThreadPool::checkpoint() {
  if (failed_.load(std::memory_order_relaxed)) throw Stopped();
  if (std::this_thread::get_id() == caller_) progress_.poll();
}

ThreadPool::ThreadPool(int threads, Progress& progress)
    : progress_(progress), wanted_(threads - 1) {}

void ThreadPool::start() {
  // When the system gives no more threads or memory, fewer do the same work. Nothing may be thrown
  // from here: those that run already would be left without an owner.
  try {
    for (; wanted_ > 0; --wanted_) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    wanted_ = 0;
  } catch (const std::bad_alloc&) {
    wanted_ = 0;
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::fail(std::exception_ptr error) {
  std::lock_guard lock(mutex_);
  if (!error_) error_ = error;
  failed_.store(true);
  next_.store(blocks_);  // no further block is taken
}

void ThreadPool::take_blocks(bool polls) {
  try {
    for (std::int64_t block; (block = next_.fetch_add(1)) < blocks_;) {
      (*body_)(block);
      if (polls) progress_.poll();
    }
  } catch (...) {
    fail(std::current_exception());
  }
}

void ThreadPool::work() {
  std::int64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stop_ || generation_ != seen; });
    if (stop_) return;
    seen = generation_;
    lock.unlock();
    take_blocks(false);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void ThreadPool::run(std::int64_t blocks, const std::function<void(std::int64_t)>& body) {
  if (blocks > 1) start();
  if (workers_.empty() || blocks <= 1) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      body(block);
      progress_.poll();
    }
    return;
  }
  {
    std::lock_guard lock(mutex_);
    body_ = &body;
    blocks_ = blocks;
    next_.store(0);
    error_ = nullptr;
    failed_.store(false);
    busy_ = static_cast<int>(workers_.size());
    ++generation_;
  }
  wake_.notify_all();
  take_blocks(true);
  std::unique_lock lock(mutex_);
  while (!done_.wait_for(lock, std::chrono::milliseconds(50), [&] { return busy_ == 0; })) {
    lock.unlock();  // others are still at it; the caller goes on polling
    try {
      progress_.poll();
    } catch (...) {
      fail(std::current_exception());
    }
    lock.lock();
  }
  if (error_) std::rethrow_exception(error_);
}

void ThreadPool::ranges(std::int64_t n, std::int64_t grain,
                        const std::function<void(std::int64_t, std::int64_t)>& body) {
  run((n + grain - 1) / grain,
      [&](std::int64_t block) { body(block * grain, std::min(n, (block + 1) * grain)); });
}

double ThreadPool::sum(std::int64_t n, std::int64_t grain,
                       const std::function<double(std::int64_t, std::int64_t)>& body) {
  std::vector<double> parts(static_cast<std::size_t>((n + grain - 1) / grain));
  ranges(n, grain, [&](std::int64_t first, std::int64_t last) {
    parts[static_cast<std::size_t>(first / grain)] = body(first, last);
  });
  double total = 0.0;
  for (double part : parts) total += part;
  return total;
}

}  // namespace linnet
