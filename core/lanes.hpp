// Short vectors for inner loops that compilers do not see through: a fixed number of lanes,
// whatever the registers of the machine. The compiler cuts them to the instruction set of each
// clone.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "numeric.hpp"

namespace linnet {

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"  // all of this is inlined, no lanes cross a call
template <class T, int N>
struct LanesOf {
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, int N>
using Lanes = typename LanesOf<T, N>::type;

template <class To, class From>
LINNET_INLINE To convert_lanes(const From& from) {
  return __builtin_convertvector(from, To);
}
template <class L, class Mask>
LINNET_INLINE L choose(const Mask& mask, const L& yes, const L& no) {
  return mask ? yes : no;
}
#else
template <class T, int N>
struct Lanes {
  T at[N];
  T& operator[](int c) { return at[c]; }
  const T& operator[](int c) const { return at[c]; }
#define LINNET_LANE_OPERATOR(op)                              \
  friend Lanes operator op(const Lanes& a, const Lanes& b) {  \
    Lanes r;                                                  \
    for (int c = 0; c < N; ++c) r.at[c] = a.at[c] op b.at[c]; \
    return r;                                                 \
  }
  LINNET_LANE_OPERATOR(+)
  LINNET_LANE_OPERATOR(-)
  LINNET_LANE_OPERATOR(*)
  LINNET_LANE_OPERATOR(/)
#undef LINNET_LANE_OPERATOR
  friend Lanes<bool, N> operator>(const Lanes& a, const Lanes& b) {
    Lanes<bool, N> r;
    for (int c = 0; c < N; ++c) r.at[c] = a.at[c] > b.at[c];
    return r;
  }
};
template <class To, class From>
inline To convert_lanes(const From& from) {
  To to;
  for (unsigned c = 0; c < sizeof(to.at) / sizeof(to.at[0]); ++c)
    to.at[c] = static_cast<std::remove_reference_t<decltype(to.at[0])>>(from.at[c]);
  return to;
}
template <class L, class Mask>
inline L choose(const Mask& mask, const L& yes, const L& no) {
  L r;
  for (unsigned c = 0; c < sizeof(r.at) / sizeof(r.at[0]); ++c)
    r.at[c] = mask.at[c] ? yes.at[c] : no.at[c];
  return r;
}
#endif

template <class L, class T>
LINNET_INLINE L load_lanes(const T* from) {
  L lanes;
  std::memcpy(&lanes, from, sizeof(L));
  return lanes;
}
template <class L, class T>
LINNET_INLINE void store_lanes(const L& lanes, T* to) {
  std::memcpy(to, &lanes, sizeof(L));
}
template <class L, class T>
LINNET_INLINE L all_lanes(T value) {
  L lanes;
  for (unsigned c = 0; c < sizeof(L) / sizeof(T); ++c) lanes[c] = value;
  return lanes;
}

}  // namespace linnet
