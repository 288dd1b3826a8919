#include "fasttext_scores.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "../numeric.hpp"

namespace linnet::foreign {
namespace {

constexpr std::int32_t kVector = 16;
constexpr std::int32_t kLine = 16;      // numbers of a cache line
constexpr std::size_t kAhead = 8;       // rows that are fetched while others are added
constexpr std::int32_t kAtOnce = 1024;  // nodes of a tree whose sums are made whether needed or not
constexpr int kTable = 512;
// Products are made where labels are at most a fourth of the dimensions, and there are four bytes
// of text for each: a byte is looked up about every third time.
constexpr std::int32_t kNarrow = 4;
constexpr double kWorth = 4.0;
constexpr float kReach = 8.0F;                     // of the table of the sigmoid
constexpr std::int64_t kNever = 1000000000000000;  // the count of a node that has none yet

inline float reported_log(float p) {
  return static_cast<float>(std::log(static_cast<double>(p) + 1e-5));
}

LINNET_CLONES
void add(const float* row, std::int32_t n, float* out) {
  for (std::int32_t d = 0; d < n; ++d) out[d] += row[d];
}

// sum[k] = sum_d hidden[d] output[d][k], each in the order of d.
LINNET_CLONES
void across(const float* hidden, const float* output, std::int32_t dim, std::int32_t width,
            float* sum) {
  for (std::int32_t k = 0; k < width; k += kVector) {
    float part[kVector] = {};
    for (std::int32_t d = 0; d < dim; ++d) {
      const float* const from = output + std::int64_t{d} * width + k;
      const float h = hidden[d];
      for (std::int32_t l = 0; l < kVector; ++l) part[l] += h * from[l];
    }
    for (std::int32_t l = 0; l < kVector; ++l) sum[k + l] = part[l];
  }
}

// The k best of a stream of candidates; of equal ones those that stay are the standard library's
// heap's choice, and with k = 1 the last.
struct Best {
  std::int64_t k;
  FastTextScores::Ranked& heap;

  bool full() const { return std::ssize(heap) == k; }
  float least() const { return heap.front().first; }
  static bool above(const std::pair<float, std::int32_t>& a,
                    const std::pair<float, std::int32_t>& b) {
    return a.first > b.first;
  }
  void offer(float score, std::int32_t label) {
    heap.emplace_back(score, label);
    std::push_heap(heap.begin(), heap.end(), above);
    if (std::ssize(heap) > k) {
      std::pop_heap(heap.begin(), heap.end(), above);
      heap.pop_back();
    }
  }
  void sort() { std::sort_heap(heap.begin(), heap.end(), above); }
};

}  // namespace

void FastTextInput::add_row(std::int64_t row, float* out) const {
  if (dense != nullptr) {
    add(dense + row * dim, dim, out);
    return;
  }
  const float factor = norm_code == nullptr ? 1.0F : norm[norm_code[row]];
  const std::uint8_t* const codes = code + row * parts;
  for (std::int32_t m = 0; m < parts; ++m) {
    const std::int32_t n = m + 1 < parts ? width : last;
    const float* const from = centroid + std::int64_t{256} * m * width + std::int64_t{codes[m]} * n;
    for (std::int32_t d = 0; d < n; ++d) out[m * width + d] += factor * from[d];
  }
}

FastTextScores::FastTextScores(const FastTextInput& input, FastTextLoss loss, const float* output,
                               const float* scale, const std::int64_t* counts, std::int32_t labels)
    : input_(input), loss_(loss), output_(output), scale_(scale), labels_(labels) {
  const bool tree = loss == FastTextLoss::tree;
  across_ = !tree || labels <= kAtOnce;
  if (across_) {
    width_ = (labels + kVector - 1) / kVector * kVector;
    transposed_.assign(static_cast<std::size_t>(width_) * input.dim, 0.0F);
    for (std::int32_t k = 0; k < labels; ++k) {
      for (std::int32_t d = 0; d < input.dim; ++d) {
        transposed_[std::int64_t{d} * width_ + k] = output[std::int64_t{k} * input.dim + d];
      }
    }
  }
  if (tree) grow(counts);
  sigmoid_.push_back(0.0F);
  for (int i = 0; i <= kTable; ++i) {
    const float x = static_cast<float>(i * 2) * kReach / kTable - kReach;
    sigmoid_.push_back(static_cast<float>(1.0 / (1.0 + std::exp(-x))));
  }
  sigmoid_.push_back(1.0F);
}

std::shared_ptr<const FastTextProducts> FastTextScores::products(std::size_t bytes,
                                                                 std::int64_t rows) const {
  const bool table = loss_ == FastTextLoss::sampled || loss_ == FastTextLoss::one_vs_all;
  const bool narrow = labels_ < input_.dim / kNarrow;
  const auto work = static_cast<double>(rows) * labels_;
  if (!table || !narrow || static_cast<double>(bytes) < kWorth * work) return nullptr;
  return std::make_shared<FastTextProducts>(input_, rows, output_, scale_, labels_);
}

// Each new node takes the two rarest of what is left, of a label and a node of one count the node.
void FastTextScores::grow(const std::int64_t* counts) {
  const std::int32_t nodes = 2 * labels_ - 1;
  tree_.assign(static_cast<std::size_t>(nodes), Node{});
  std::vector<std::int64_t> count(static_cast<std::size_t>(nodes), kNever);
  std::copy(counts, counts + labels_, count.begin());
  std::int32_t leaf = labels_ - 1, node = labels_;
  const auto rarest = [&] { return leaf >= 0 && count[leaf] < count[node] ? leaf-- : node++; };
  for (std::int32_t i = labels_; i < nodes; ++i) {
    tree_[i].left = rarest();
    tree_[i].right = rarest();
    count[i] = count[tree_[i].left] + count[tree_[i].right];
  }
}

bool FastTextScores::hidden(const std::vector<std::int32_t>& rows, std::vector<float>& out) const {
  out.assign(static_cast<std::size_t>(input_.dim), 0.0F);
  if (rows.empty()) return false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (input_.dense != nullptr && i + kAhead < rows.size()) {
      const float* const next = input_.dense + std::int64_t{rows[i + kAhead]} * input_.dim;
      for (std::int32_t d = 0; d < input_.dim; d += kLine) LINNET_PREFETCH(next + d);
    }
    input_.add_row(rows[i], out.data());
  }
  const auto factor = static_cast<float>(1.0 / static_cast<double>(rows.size()));
  for (float& value : out) value *= factor;
  return true;
}

void FastTextScores::sums(Scratch& scratch) const {
  if (!across_) return;
  scratch.output.resize(static_cast<std::size_t>(width_));
  across(scratch.hidden.data(), transposed_.data(), input_.dim, width_, scratch.output.data());
  if (scale_ == nullptr) return;
  for (std::int32_t k = 0; k < labels_; ++k) scratch.output[k] *= scale_[k];
}

// The number of a sum's value among those of the sigmoid.
std::size_t FastTextScores::cell(float sum) const {
  if (sum < -kReach) return 0;
  if (sum > kReach) return sigmoid_.size() - 1;
  return static_cast<std::size_t>((sum + kReach) * kTable / kReach / 2) + 1;
}

// Writes the probabilities if it is sure which cells the sums fall into.
bool FastTextScores::sure(const std::vector<std::int32_t>& rows, Scratch& scratch) const {
  if (scratch.products == nullptr) return false;
  if (!scratch.products->bounds(rows, scratch.low, scratch.high)) return false;
  scratch.output.resize(static_cast<std::size_t>(width_));
  for (std::int32_t k = 0; k < labels_; ++k) {
    const std::size_t here = cell(static_cast<float>(scratch.low[k]));
    if (here != cell(static_cast<float>(scratch.high[k]))) return false;
    scratch.output[k] = sigmoid_[here];
  }
  return true;
}

bool FastTextScores::probabilities(const std::vector<std::int32_t>& rows, Scratch& scratch) const {
  if (sure(rows, scratch)) return true;
  if (!hidden(rows, scratch.hidden)) return false;
  sums(scratch);
  float* const p = scratch.output.data();
  if (loss_ != FastTextLoss::softmax) {
    for (std::int32_t k = 0; k < labels_; ++k) p[k] = sigmoid_[cell(p[k])];
    return true;
  }
  const float top = *std::max_element(p, p + labels_);
  float total = 0.0F;
  for (std::int32_t k = 0; k < labels_; ++k) {
    p[k] = static_cast<float>(std::exp(static_cast<double>(p[k] - top)));
    total += p[k];
  }
  for (std::int32_t k = 0; k < labels_; ++k) p[k] /= total;
  return true;
}

// The probability of turning right at an inner node.
float FastTextScores::turn(std::int32_t node, const Scratch& scratch) const {
  const std::int32_t row = node - labels_;
  float sum = 0.0F;
  if (across_) {
    sum = scratch.output[row];
  } else {
    const float* const from = output_ + std::int64_t{row} * input_.dim;
    for (std::int32_t d = 0; d < input_.dim; ++d) sum += scratch.hidden[d] * from[d];
    if (scale_ != nullptr) sum *= scale_[row];
  }
  return static_cast<float>(1.0 / (1.0F + std::exp(-sum)));
}

void FastTextScores::best(const std::vector<std::int32_t>& rows, std::int64_t k, float threshold,
                          Scratch& scratch, Ranked& out) const {
  out.clear();
  if (loss_ == FastTextLoss::tree) {
    if (hidden(rows, scratch.hidden)) best_of_tree(k, threshold, scratch, out);
    return;
  }
  if (!probabilities(rows, scratch)) return;
  Best ranked{k, out};
  double edge = 0.0;  // what is below is less than all that are held, even after rounding
  for (std::int32_t label = 0; label < labels_; ++label) {
    const float p = scratch.output[label];
    if (p < threshold || p + 1e-5 < edge) continue;
    const float score = reported_log(p);
    if (ranked.full() && score < ranked.least()) continue;
    ranked.offer(score, label);
    if (ranked.full()) edge = std::exp(static_cast<double>(ranked.least())) * (1.0 - 1e-4);
  }
  ranked.sort();
}

// Depth first, left before right, without what cannot be among the best.
void FastTextScores::best_of_tree(std::int64_t k, float threshold, Scratch& scratch,
                                  Ranked& out) const {
  sums(scratch);
  Best ranked{k, out};
  const float bound = reported_log(threshold);
  scratch.stack.assign(1, {0.0F, 2 * labels_ - 2});
  while (!scratch.stack.empty()) {
    const auto [score, node] = scratch.stack.back();
    scratch.stack.pop_back();
    if (score < bound || (ranked.full() && score < ranked.least())) continue;
    if (node < labels_) {
      ranked.offer(score, node);
      continue;
    }
    const float right = turn(node, scratch);
    scratch.stack.emplace_back(score + reported_log(right), tree_[node].right);
    scratch.stack.emplace_back(score + reported_log(static_cast<float>(1.0 - right)),
                               tree_[node].left);
  }
  ranked.sort();
}

bool FastTextScores::all(const std::vector<std::int32_t>& rows, Scratch& scratch,
                         float* out) const {
  if (loss_ != FastTextLoss::tree) {
    if (!probabilities(rows, scratch)) return false;
    for (std::int32_t k = 0; k < labels_; ++k) out[k] = std::exp(reported_log(scratch.output[k]));
    return true;
  }
  if (!hidden(rows, scratch.hidden)) return false;
  sums(scratch);
  scratch.stack.assign(1, {0.0F, 2 * labels_ - 2});
  while (!scratch.stack.empty()) {
    const auto [score, node] = scratch.stack.back();
    scratch.stack.pop_back();
    if (node < labels_) {
      out[node] = std::exp(score);
      continue;
    }
    const float right = turn(node, scratch);
    scratch.stack.emplace_back(score + reported_log(right), tree_[node].right);
    scratch.stack.emplace_back(score + reported_log(static_cast<float>(1.0 - right)),
                               tree_[node].left);
  }
  return true;
}

void mean_weights(const std::vector<std::int32_t>& rows, const float* weights, std::int64_t columns,
                  double* out) {
  std::fill(out, out + columns, 0.0);
  if (rows.empty()) return;
  if (columns == 1) {
    double sum = 0.0;
    for (const std::int32_t row : rows) sum += static_cast<double>(weights[row]);
    *out = sum / static_cast<double>(rows.size());
    return;
  }
  for (const std::int32_t row : rows) {
    const float* const from = weights + row * columns;
    for (std::int64_t c = 0; c < columns; ++c) out[c] += static_cast<double>(from[c]);
  }
  for (std::int64_t c = 0; c < columns; ++c) out[c] /= static_cast<double>(rows.size());
}

}  // namespace linnet::foreign
