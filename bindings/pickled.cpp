// The plain instructions of Python's pickles, carried out without the machine in Python: texts,
// numbers, empty containers, the memory, and filling lists and dictionaries. A vocabulary is
// hundreds of thousands of these. Nothing is called or imported here; the first instruction that is
// of another kind, or that something is wrong with, is left to the machine, which knows what to
// say.
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "vocabulary.hpp"

namespace linnet::bindings {
namespace {

using List = nb::typed<nb::list, nb::object>;
using Marks = nb::typed<nb::list, int>;

constexpr long long kLargestKey = 1LL << 32;

class PlainSteps {
 public:
  PlainSteps(nb::bytes data, std::int64_t at, List stack, Marks marks, List memo, nb::handle scalar)
      : pickle_(data),
        data_(data.c_str()),
        end_(static_cast<std::int64_t>(data.size())),
        at_(at),
        stack_(stack.ptr()),
        marks_(marks.ptr()),
        memo_(memo.ptr()),
        scalar_(scalar.ptr()) {}

  // Returns where the first instruction is that was not carried out.
  std::int64_t run() {
    while (at_ < end_) {
      const std::int64_t here = at_++;
      if (!step(data_[here])) {
        if (PyErr_Occurred()) PyErr_Clear();  // the machine finds it again, and says where
        return here;
      }
    }
    return at_;
  }

 private:
  // False if the instruction is left to the machine; then nothing has changed but at_.
  bool step(char code) {
    std::uint32_t n = 0;
    switch (code) {
      case '(': return vocabulary() || append(marks_, PyLong_FromSsize_t(PyList_Size(stack_)));
      case 'N': return push(Py_NewRef(Py_None));
      case '\x88': return push(Py_NewRef(Py_True));
      case '\x89': return push(Py_NewRef(Py_False));
      case 'K': return number<std::uint8_t>(n) && push(PyLong_FromUnsignedLong(n));
      case 'M': return number<std::uint16_t>(n) && push(PyLong_FromUnsignedLong(n));
      case 'J':
        return number<std::uint32_t>(n) && push(PyLong_FromLong(static_cast<std::int32_t>(n)));
      case 'G': return real();
      case '\x8c': return number<std::uint8_t>(n) && text(n);
      case 'X': return number<std::uint32_t>(n) && text(n);
      case 'C':
        return number<std::uint8_t>(n) && has(n) &&
               push(PyBytes_FromStringAndSize(taken(n), static_cast<Py_ssize_t>(n)));
      case ']': return push(PyList_New(0));
      case '}': return push(PyDict_New());
      case ')': return push(PyTuple_New(0));
      case '\x94': return put(PyList_Size(memo_));
      case 'q': return number<std::uint8_t>(n) && put(n);
      case 'r': return number<std::uint32_t>(n) && put(n);
      case 'h': return number<std::uint8_t>(n) && get(n);
      case 'j': return number<std::uint32_t>(n) && get(n);
      case '\x86': return pair();
      case 'R': return whole_number();
      case 'e': return extend();
      case 'u': return set_items();
      default: return false;
    }
  }

  bool has(std::uint32_t size) const { return size <= end_ - at_; }

  const char* taken(std::uint32_t size) {
    at_ += size;
    return data_ + at_ - size;
  }

  template <class T>
  bool number(std::uint32_t& out) {
    if (!has(sizeof(T))) return false;
    const auto* const raw = reinterpret_cast<const unsigned char*>(taken(sizeof(T)));
    out = 0;
    for (std::size_t k = 0; k < sizeof(T); ++k) out |= std::uint32_t{raw[k]} << (8 * k);
    return true;
  }

  // Takes what it is given.
  static bool append(PyObject* list, PyObject* value) {
    if (value == nullptr) return false;
    const bool done = PyList_Append(list, value) == 0;
    Py_DECREF(value);
    return done;
  }

  bool push(PyObject* value) { return append(stack_, value); }

  bool text(std::uint32_t size) {
    if (!has(size)) return false;
    return push(PyUnicode_DecodeUTF8(taken(size), static_cast<Py_ssize_t>(size), "surrogatepass"));
  }

  bool real() {
    if (!has(8)) return false;
    const auto* const raw = reinterpret_cast<const unsigned char*>(taken(8));
    std::uint64_t bits = 0;
    for (int k = 0; k < 8; ++k) bits = bits << 8 | raw[k];
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return push(PyFloat_FromDouble(value));
  }

  PyObject* top(Py_ssize_t below = 0) const {  // borrowed, or null
    const Py_ssize_t size = PyList_Size(stack_);
    return size > below ? PyList_GetItem(stack_, size - 1 - below) : nullptr;
  }

  // Places that follow each other; the machine knows of others.
  bool put(Py_ssize_t place) {
    PyObject* const value = top();
    if (value == nullptr || place > PyList_Size(memo_)) return false;
    if (place == PyList_Size(memo_)) return PyList_Append(memo_, value) == 0;
    return PyList_SetItem(memo_, place, Py_NewRef(value)) == 0;
  }

  bool get(Py_ssize_t place) {
    if (place >= PyList_Size(memo_)) return false;
    PyObject* const value = PyList_GetItem(memo_, place);
    const Vocabulary* words = nullptr;
    if (nb::try_cast(nb::handle(value), words) && words != nullptr) {
      PyObject* const text = words->text(place);
      if (text != nullptr) return push(text);
    }
    return push(Py_NewRef(value));
  }

  // Reads a whole vocabulary if one follows the empty dictionary on top of the stack, which it
  // then takes the place of.
  bool vocabulary() {
    PyObject* const dict = top();
    const Py_ssize_t places = PyList_Size(memo_);
    if (dict == nullptr || !PyDict_CheckExact(dict) || PyDict_Size(dict) != 0 || places == 0 ||
        PyList_GetItem(memo_, places - 1) != dict) {
      return false;
    }
    auto found =
        foreign::pickled_words({data_, static_cast<std::size_t>(end_)},
                               static_cast<std::size_t>(at_) - 1, static_cast<std::size_t>(places));
    if (!found) return false;
    const Py_ssize_t texts = found->remembered ? std::ssize(found->words) : 0;
    at_ = static_cast<std::int64_t>(found->end);
    const nb::object made = nb::cast(Vocabulary{pickle_, std::move(*found), places});
    bool done = replace(1, made.inc_ref().ptr()) &&
                PyList_SetItem(memo_, places - 1, made.inc_ref().ptr()) == 0;
    for (Py_ssize_t k = 0; done && k < texts; ++k) done = PyList_Append(memo_, made.ptr()) == 0;
    if (!done) nb::raise_python_error();
    return true;
  }

  // Puts a new value in place of the last `size` of the stack.
  bool replace(Py_ssize_t size, PyObject* value) {
    if (value == nullptr) return false;
    const Py_ssize_t n = PyList_Size(stack_);
    bool done = PyList_SetItem(stack_, n - size, value) == 0;  // takes value
    if (done && size > 1) done = PyList_SetSlice(stack_, n - size + 1, n, nullptr) == 0;
    return done;
  }

  bool pair() {
    PyObject *const second = top(), *const first = top(1);
    return first != nullptr && replace(2, PyTuple_Pack(2, first, second));
  }

  // The call scalar(type <i8, eight bytes) of NumPy: numbers of columns where a vectoriser has
  // left some out.
  bool whole_number() {
    PyObject *const arguments = top(), *const callee = top(1);
    if (callee == nullptr || callee != scalar_ || !PyTuple_CheckExact(arguments) ||
        PyTuple_Size(arguments) != 2 || !PyBytes_CheckExact(PyTuple_GetItem(arguments, 1))) {
      return false;
    }
    PyObject* const raw = PyTuple_GetItem(arguments, 1);
    if (PyBytes_Size(raw) != 8) return false;
    PyObject* const code = PyObject_GetAttrString(PyTuple_GetItem(arguments, 0), "code");
    const bool fits = code != nullptr && PyUnicode_CheckExact(code) &&
                      PyUnicode_CompareWithASCIIString(code, "<i8") == 0;
    Py_XDECREF(code);
    if (!fits) return false;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(PyBytes_AsString(raw));
    std::uint64_t bits = 0;
    for (int k = 7; k >= 0; --k) bits = bits << 8 | bytes[k];
    return replace(2, PyLong_FromLongLong(static_cast<long long>(bits)));
  }

  // Where the values since the last mark begin, at least one below; -1 if there is none.
  Py_ssize_t marked() const {
    const Py_ssize_t marks = PyList_Size(marks_);
    if (marks == 0) return -1;
    const Py_ssize_t mark = PyLong_AsSsize_t(PyList_GetItem(marks_, marks - 1));
    return mark >= 1 && mark <= PyList_Size(stack_) ? mark : -1;
  }

  bool drop(Py_ssize_t mark) {
    const Py_ssize_t marks = PyList_Size(marks_);
    return PyList_SetSlice(stack_, mark, PyList_Size(stack_), nullptr) == 0 &&
           PyList_SetSlice(marks_, marks - 1, marks, nullptr) == 0;
  }

  bool extend() {
    const Py_ssize_t mark = marked(), size = PyList_Size(stack_);
    if (mark < 0) return false;
    PyObject* const list = PyList_GetItem(stack_, mark - 1);
    if (!PyList_CheckExact(list)) return false;
    for (Py_ssize_t k = mark; k < size; ++k) {
      if (PyList_Append(list, PyList_GetItem(stack_, k)) != 0) nb::raise_python_error();
    }
    return drop(mark);
  }

  static bool is_key(PyObject* key) {
    if (PyUnicode_CheckExact(key)) return true;
    if (!PyLong_CheckExact(key)) return false;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(key, &overflow);
    return overflow == 0 && value >= -kLargestKey && value <= kLargestKey;
  }

  bool set_items() {
    const Py_ssize_t mark = marked(), size = PyList_Size(stack_);
    if (mark < 0 || (size - mark) % 2 != 0) return false;
    PyObject* const dict = PyList_GetItem(stack_, mark - 1);
    if (!PyDict_CheckExact(dict)) return false;
    for (Py_ssize_t k = mark; k < size; k += 2) {
      if (!is_key(PyList_GetItem(stack_, k))) return false;
    }
    for (Py_ssize_t k = mark; k < size; k += 2) {
      PyObject *const key = PyList_GetItem(stack_, k), *const value = PyList_GetItem(stack_, k + 1);
      if (PyDict_SetItem(dict, key, value) != 0) nb::raise_python_error();
    }
    return drop(mark);
  }

  const nb::bytes pickle_;
  const char* const data_;
  const std::int64_t end_;
  std::int64_t at_;
  PyObject* const stack_;
  PyObject* const marks_;
  PyObject* const memo_;
  PyObject* const scalar_;
};

// The keys of a dictionary {text: column} in the order of their columns, all in one; offset says
// where each begins. Nothing if it is another kind of dictionary.
std::optional<nb::bytes> names_by_column(nb::typed<nb::dict, nb::str, nb::object> columns,
                                         Array<std::int64_t> offset) {
  const auto n = static_cast<std::size_t>(PyDict_Size(columns.ptr()));
  require_length(offset, static_cast<std::int64_t>(n) + 1, "offset");
  std::vector<std::string_view> name(n);
  std::vector<bool> taken(n);
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0, size = 0;
  while (PyDict_Next(columns.ptr(), &at, &key, &value)) {
    if (!PyUnicode_CheckExact(key) || !PyLong_CheckExact(value)) return std::nullopt;
    int overflow = 0;
    const auto column = static_cast<std::size_t>(PyLong_AsLongLongAndOverflow(value, &overflow));
    if (overflow != 0 || column >= n || taken[column]) return std::nullopt;
    const char* const data = PyUnicode_AsUTF8AndSize(key, &size);
    if (data == nullptr) {
      PyErr_Clear();
      return std::nullopt;
    }
    name[column] = {data, static_cast<std::size_t>(size)};
    taken[column] = true;
  }
  std::int64_t* const begin = offset.data();
  begin[0] = 0;
  for (std::size_t j = 0; j < n; ++j) begin[j + 1] = begin[j] + std::ssize(name[j]);
  std::string all;
  all.reserve(static_cast<std::size_t>(begin[n]));
  for (const std::string_view one : name) all.append(one);
  return nb::bytes(all.data(), all.size());
}

}  // namespace

void bind_pickled(nb::module_& m) {
  bind_vocabulary(m);
  m.def(
      "pickle_steps",
      [](nb::bytes data, std::int64_t at, List stack, Marks marks, List memo, nb::handle scalar) {
        require(at >= 0 && at <= static_cast<std::int64_t>(data.size()), "at is outside the data");
        return PlainSteps(data, at, stack, marks, memo, scalar).run();
      },
      nb::arg("data"), nb::arg("at"), nb::arg("stack"), nb::arg("marks"), nb::arg("memo"),
      nb::arg("scalar"),
      "Carry out the plain instructions of a pickle from here on; where the next other one is.");

  m.def("names_by_column", &names_by_column, nb::arg("columns"), nb::arg("offset").noconvert(),
        "The keys of {text: column} by their columns, in one; None for other dictionaries.");
}

}  // namespace linnet::bindings
