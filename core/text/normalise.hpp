// Text as tokenisers want it: markup out, one case, no accents, one digit, always valid UTF-8.
//
// Given any bytes; returned the normalised text and, when asked, where each of its bytes came from,
// so that a feature can be traced to the characters it was made of. The steps are taken in the
// order of the members below. Lower case equals str.lower() and the accents equal scikit-learn's
// strip_accents_unicode and strip_accents_ascii, for whole texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linnet::text {

struct Normalisation {
  enum class Accents : std::uint8_t { keep, unicode, ascii };

  bool lowercase = false;
  Accents accents = Accents::keep;
  bool digits = false;  // every decimal digit of any script becomes '0'
  bool html = false;    // tags and comments become a space, entities (amp lt gt quot apos nbsp and
                        // numbers) the characters they name
};

class Normaliser {
 public:
  explicit Normaliser(Normalisation steps) : steps_(steps) {}

  // Replaces `out`, whose capacity is kept between calls. origin, if not null, gets for each byte
  // of `out` the offset in `raw` of the character that the byte came from, and raw.size() as one
  // entry more; throws std::length_error if raw is too long for that (4 GiB). Safe to call from
  // several threads with their own outputs.
  void operator()(std::string_view raw, std::string& out, std::vector<std::uint32_t>* origin) const;

  const Normalisation& steps() const { return steps_; }

 private:
  Normalisation steps_;
};

}  // namespace linnet::text
