// The two steps of a fastText model: a hidden vector, the mean of the input rows of a text, and
// from it the labels' scores, in that program's order of 32-bit operations, bit for bit:
//
//   softmax            p_k = e^(s_k) / sum                        s_k = hidden · output[k]
//   one-vs-all, ns     p_k = the sigmoid of s_k, read from a table of 513 values
//   hierarchical       a Huffman tree over the labels; p_k is a product over the nodes of its path
//
// What is reported is exp(L(p)) with L(p) = ln(p + 1e-5), summed over the path of a tree: up to
// 1e-5 above the probability for each node.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "fasttext_products.hpp"
#include "fasttext_rows.hpp"

namespace linnet::foreign {

enum class FastTextLoss : int { tree = 1, sampled = 2, softmax = 3, one_vs_all = 4 };

// The input matrix, dense, or as numbers of centroids of its parts times a norm of the row.
struct FastTextInput {
  std::int32_t dim;
  const float* dense = nullptr;             // [rows][dim]
  const std::uint8_t* code = nullptr;       // [rows][parts]
  const std::uint8_t* norm_code = nullptr;  // [rows], or null: 1
  const float* centroid = nullptr;          // [parts][256][width], the last of width `last`
  const float* norm = nullptr;              // [256]
  std::int32_t parts = 0, width = 0, last = 0;

  void add_row(std::int64_t row, float* out) const;
};

class FastTextScores {
 public:
  // output [labels][dim]; `scale` [labels] multiplies the sums, null: 1; counts [labels] are those
  // of training, which the tree is made of.
  FastTextScores(const FastTextInput& input, FastTextLoss loss, const float* output,
                 const float* scale, const std::int64_t* counts, std::int32_t labels);

  using Ranked = std::vector<std::pair<float, std::int32_t>>;  // (L, label)
  struct Scratch {
    std::vector<float> hidden, output;
    std::vector<double> low, high;
    const FastTextProducts* products = nullptr;  // where there is a short cut
    std::vector<std::pair<float, std::int32_t>> stack;
  };

  // The short cut of a Scratch, if there is one and so many bytes of texts are worth its making; no
  // answer changes by it.
  std::shared_ptr<const FastTextProducts> products(std::size_t bytes, std::int64_t rows) const;

  // The mean of some rows; false if there are none.
  bool hidden(const std::vector<std::int32_t>& rows, std::vector<float>& out) const;

  // The k best labels of rows whose probability is not below the threshold, best first, with L(p);
  // of no rows none.
  void best(const std::vector<std::int32_t>& rows, std::int64_t k, float threshold,
            Scratch& scratch, Ranked& out) const;

  // What is reported of every label, [labels]; false if there are no rows.
  bool all(const std::vector<std::int32_t>& rows, Scratch& scratch, float* out) const;

  std::int32_t labels() const { return labels_; }
  std::int32_t dim() const { return input_.dim; }

 private:
  struct Node {
    std::int32_t left = -1, right = -1;
  };

  void grow(const std::int64_t* counts);
  void sums(Scratch& scratch) const;
  std::size_t cell(float sum) const;
  bool sure(const std::vector<std::int32_t>& rows, Scratch& scratch) const;
  bool probabilities(const std::vector<std::int32_t>& rows, Scratch& scratch) const;
  float turn(std::int32_t node, const Scratch& scratch) const;
  void best_of_tree(std::int64_t k, float threshold, Scratch& scratch, Ranked& out) const;

  const FastTextInput input_;
  const FastTextLoss loss_;
  const float* const output_;
  const float* const scale_;
  const std::int32_t labels_;
  bool across_;                    // whether all sums are made at once
  std::int32_t width_ = 0;         // labels, rounded up
  std::vector<float> transposed_;  // [dim][width]
  std::vector<Node> tree_;         // [2 labels - 1]
  std::vector<float> sigmoid_;     // 0, the 513 values of the table, 1
};

// out[c] = sum of the weights [rows][columns] of some rows, divided by their number.
void mean_weights(const std::vector<std::int32_t>& rows, const float* weights, std::int64_t columns,
                  double* out);

}  // namespace linnet::foreign
