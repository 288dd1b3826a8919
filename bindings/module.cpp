#include "attributes_handle.hpp"
#include "common.hpp"

NB_MODULE(_core, m) {
#ifdef NDEBUG  // what a thread still holds when Python ends is no defect that users should read of
  nanobind::set_leak_warnings(false);
#endif
  m.doc() = "The C++ core of linnet: stateless functions over NumPy arrays.";
  linnet::bindings::bind_flat(m);
  linnet::bindings::bind_batch(m);
  linnet::bindings::bind_elsewhere(m);
  linnet::bindings::bind_dual(m);
  linnet::bindings::bind_primal(m);
  linnet::bindings::bind_kernels(m);
  linnet::bindings::bind_online(m);
  linnet::bindings::bind_adagrad(m);
  linnet::bindings::bind_counting(m);
  linnet::bindings::bind_chain(m);
  linnet::bindings::bind_prefixes(m);
  linnet::bindings::bind_structured(m);
  linnet::bindings::bind_crfsuite(m);
  linnet::bindings::bind_items(m);
  linnet::bindings::bind_taggers(m);
  linnet::bindings::bind_greedy(m);
  linnet::bindings::bind_lists(m);
  linnet::bindings::bind_text(m);
  linnet::bindings::bind_token_features(m);
  linnet::bindings::bind_trees(m);
  linnet::bindings::bind_fasttext(m);
  linnet::bindings::bind_pickled(m);
  linnet::bindings::bind_unicode(m);
  linnet::bindings::bind_memory(m);
  linnet::bindings::bind_memory_vectors(m);
}
