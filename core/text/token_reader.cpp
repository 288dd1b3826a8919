#include "token_reader.hpp"

#include <algorithm>
#include <bit>

#include "fingerprint.hpp"
#include "normalise.hpp"
#include "unicode.hpp"

namespace linnet::text {

TokenReader::TokenReader(const Templates& templates, const Tokens& tokens)
    : templates_(templates), tokens_(tokens) {
  for (const auto& t : templates.ready()) markers_ |= t.markers;
  std::uint32_t gazetteers = 0;
  for (const Atom& atom : templates.atoms()) {
    mask_of_.push_back(atom.transform == Transform::gazetteer ? gazetteers++ : 0);
  }
  begin();
}

void TokenReader::begin() {
  cells_.assign(static_cast<std::size_t>(templates_.columns()), Dictionary());
  views_.assign(templates_.atoms().size(), View());
  for (View& view : views_) view.start.push_back(0);
  values_ = Dictionary();
  chunks_.clear();
  for (std::int32_t k = 1; markers_ && k <= templates_.reach(); ++k) {
    number("_B-" + std::to_string(k));
    number("_B+" + std::to_string(k));
  }
  gazetteer_.clear();
  for (const std::string& name : templates_.gazetteers().names) gazetteer_.push_back(number(name));
}

bool TokenReader::refresh() {
  constexpr std::size_t kMany = std::size_t{1} << 18;
  if (values_.size() <= kMany) return false;
  begin();
  return true;
}

std::uint32_t TokenReader::number(std::string_view spelling) {
  const Chunk chunk = templates_.hash()(spelling);
  const std::uint32_t number = values_.number(print_of(chunk.hash), spelling);
  if (number == chunks_.size()) chunks_.push_back(chunk);
  return number;
}

// The number of what stands for a token outside the sentence.
std::uint32_t TokenReader::marker(std::int64_t token) const {
  const std::int64_t number = token < first_ ? 2 * (first_ - token - 1) : 2 * (token - last_) + 1;
  return static_cast<std::uint32_t>(number);
}

// ---- cells ----

std::uint32_t TokenReader::cell(std::int32_t column, std::int64_t token) {
  const std::string_view raw =
      tokens_.columns[static_cast<std::size_t>(column)][static_cast<std::size_t>(token)];
  Dictionary& cells = cells_[static_cast<std::size_t>(column)];
  const std::size_t known = cells.size();
  const std::uint32_t cell = cells.number(fingerprint(raw, 0), raw);
  if (cells.size() == known) return cell;
  std::string_view word = raw;
  if (invalid_at(raw) != std::string_view::npos) {
    Normaliser({})(raw, valid_, nullptr);
    word = valid_;
  }
  for (std::size_t a = 0; a < views_.size(); ++a) {
    const Atom& atom = templates_.atoms()[a];
    if (atom.column == column) show(atom, word, views_[a]);
  }
  return cell;
}

void TokenReader::show(const Atom& atom, std::string_view word, View& view) {
  if (atom.transform == Transform::gazetteer) return;
  if (atom.transform == Transform::ngrams) {
    own_.clear();
    each_ngram(word, atom.low, atom.high,
               [&](std::string_view gram) { own_.push_back(number(gram)); });
    std::sort(own_.begin(), own_.end());
    view.list.insert(view.list.end(), own_.begin(), std::unique(own_.begin(), own_.end()));
    view.start.push_back(view.list.size());
    return;
  }
  const bool any = transform(word, atom.transform, atom.low, spelled_);
  view.number.push_back(any ? number(spelled_) : kNone);
}

// ---- sentences ----

// Sees to the tokens from .. to - 1 of the sentence first .. last - 1, and to all that they look
// at.
void TokenReader::open(std::int64_t first, std::int64_t last, std::int64_t from, std::int64_t to) {
  first_ = first, last_ = last, from_ = from, to_ = to;
  const std::int64_t reach = templates_.reach();
  origin_ = from - reach;
  width_ = static_cast<std::size_t>(to - from + 2 * reach);
  const std::int64_t begin = std::max(first, origin_), end = std::min(last, to + reach);
  cell_.resize(cells_.size() * width_);
  for (std::int32_t c = 0; c < templates_.columns(); ++c) {
    std::uint32_t* const out = cell_.data() + static_cast<std::size_t>(c) * width_;
    for (std::int64_t token = begin; token < end; ++token) out[token - origin_] = cell(c, token);
  }
  const auto& atoms = templates_.atoms();
  shown_.resize(atoms.size() * width_);
  for (std::uint32_t a = 0; a < atoms.size(); ++a) {
    std::uint32_t* const out = shown_.data() + a * width_;
    if (markers_) {
      for (std::int64_t token = origin_; token < begin; ++token) {
        out[token - origin_] = marker(token);
      }
      for (std::int64_t token = end; token < to + reach; ++token) {
        out[token - origin_] = marker(token);
      }
    }
    if (several(atoms[a].transform)) continue;
    const std::uint32_t* const cells =
        cell_.data() + static_cast<std::size_t>(atoms[a].column) * width_;
    for (std::int64_t at = begin - origin_; at < end - origin_; ++at) {
      out[at] = views_[a].number[cells[at]];
    }
  }
  for (std::uint32_t a = 0; a < atoms.size(); ++a) {
    if (atoms[a].transform == Transform::gazetteer) match(a);
  }
}

// Marks every token that lies in a listed phrase of the stretch at hand.
void TokenReader::match(std::uint32_t a) {
  const Gazetteers& lists = templates_.gazetteers();
  const std::uint32_t words = templates_.identity(templates_.atoms()[a].column);
  const Chunk space = templates_.hash()(" ");
  mask_.resize((mask_of_[a] + 1) * width_);
  std::uint64_t* const mask = mask_.data() + mask_of_[a] * width_;
  std::fill(mask, mask + width_, 0);
  const std::int64_t begin = std::max(first_, origin_);
  const std::int64_t end = std::min(last_, origin_ + static_cast<std::int64_t>(width_));
  for (std::int64_t token = begin; token < end; ++token) {
    std::uint64_t hash = 0;
    const std::int64_t stop = std::min(end, token + lists.longest);
    for (std::int64_t next = token; next < stop; ++next) {
      if (next > token) hash = joined(hash, space);
      hash =
          joined(hash, chunks_[shown_[words * width_ + static_cast<std::size_t>(next - origin_)]]);
      const std::int32_t row = lists.table.find(print_of(hash));
      if (row < 0) continue;
      for (std::int64_t k = token; k <= next; ++k) mask[k - origin_] |= lists.mask[row];
    }
  }
}

// ---- features ----

TokenReader::Span TokenReader::reached(const Templates::Ready& r) const {
  using Where = Template::Where;
  Span span{from_, to_};
  if (!r.markers) {
    span = {std::max(from_, first_ - r.least), std::min(to_, last_ - r.most)};
  }
  if (r.where == Where::first) span.last = std::min(span.last, first_ + 1);
  if (r.where == Where::last) span.first = std::max(span.first, last_ - 1);
  return span;
}

const std::vector<TokenReader::Feature>& TokenReader::features(std::int64_t token) {
  features_.clear();
  const auto& ready = templates_.ready();
  for (std::uint32_t t = 0; t < ready.size(); ++t) {
    const Templates::Ready& r = ready[t];
    const Span span = reached(r);
    if (token < span.first || token >= span.last) continue;
    if (r.several) {
      each_value(r, token,
                 [&](std::uint32_t value) { features_.push_back({print(r, value), t, value}); });
    } else if (r.parts.size() == 1) {
      const std::uint32_t value = *shown(r.parts.front(), token);
      if (value != kNone) features_.push_back({print(r, value), t, value});
    } else if (std::none_of(r.parts.begin(), r.parts.end(),
                            [&](const auto& part) { return *shown(part, token) == kNone; })) {
      features_.push_back({print(r, token), t, kNone});
    }
  }
  return features_;
}

void TokenReader::spell(std::uint32_t source, const std::uint32_t* values, std::string& out) const {
  const Template& given = templates_.as_given(source);
  for (std::size_t p = 0; p < given.parts.size(); ++p) {
    out += given.parts[p].before;
    out += values_.spelling(values[p]);
  }
  out += given.behind;
}

}  // namespace linnet::text
