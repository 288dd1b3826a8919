// Memory for large arrays.
//
// Linux hands out memory when it is first touched, 4 KB at a time; that takes longer than most
// loops here take to fill it. Arrays of megabytes therefore ask for pages of 2 MB, as NumPy's do.
// Where a system has none, nothing changes.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace linnet {

template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}

  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    if (bytes < kLarge) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
    void* const memory = ::operator new(whole, std::align_val_t{kPage});
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    madvise(memory, whole, MADV_HUGEPAGE);  // advice: to be refused does no harm
#endif
    return static_cast<T*>(memory);
  }

  void deallocate(T* memory, std::size_t n) {
    if (n * sizeof(T) < kLarge) {
      ::operator delete(memory);
    } else {
      ::operator delete(memory, std::align_val_t{kPage});
    }
  }

  friend bool operator==(const LargePages&, const LargePages&) { return true; }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21, kLarge = kPage / 2;
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

// Memory that is written before it is read, and so need not be cleared first.
template <class T>
class Raw {
 public:
  Raw() = default;
  explicit Raw(std::size_t size)
      : data_(size > 0 ? LargePages<T>().allocate(size) : nullptr, Release{size}), size_(size) {}
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t k) { return data_[k]; }
  const T& operator[](std::size_t k) const { return data_[k]; }

 private:
  static_assert(std::is_trivial_v<T>);
  struct Release {
    std::size_t size = 0;
    void operator()(T* memory) const { LargePages<T>().deallocate(memory, size); }
  };
  std::unique_ptr<T[], Release> data_;
  std::size_t size_ = 0;
};

}  // namespace linnet
