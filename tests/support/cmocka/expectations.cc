// will_return and mock, expect_* and check_expected, expect_function_call and function_called.
#include <fmt/format.h>

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/cmocka/shim_internal.h"

#undef mock

namespace prov::cmocka {
namespace {

// One declared value, expectation or call; `count` as in the macros, a used WILL_RETURN_ALWAYS becomes
// WILL_RETURN_ONCE.
template <class T>
struct Entry {
  T value;
  int count;
  Place place;

  bool IsLeftover() const { return count > WILL_RETURN_ONCE; }
  // Uses it once; true when that was the last time.
  bool Use() {
    if (count == 1) return true;
    if (count > WILL_RETURN_ONCE) --count;
    return false;
  }
};

// Queues by name, in the order in which the names were first used, as reports list them. A queue that runs empty goes.
template <class Queue>
class Named {
 public:
  Queue* Find(const std::string& name) {
    for (auto& [key, queue] : queues_) {
      if (key == name) return &queue;
    }
    return nullptr;
  }
  Queue& At(const std::string& name) {
    if (Queue* queue = Find(name)) return *queue;
    return queues_.emplace_back(name, Queue()).second;
  }
  void Remove(const std::string& name) {
    std::erase_if(queues_, [&](const auto& pair) { return pair.first == name; });
  }
  bool empty() const { return queues_.empty(); }
  void clear() { queues_.clear(); }
  auto begin() const { return queues_.begin(); }
  auto end() const { return queues_.end(); }

 private:
  std::vector<std::pair<std::string, Queue>> queues_;
};

// What is wrong with a parameter's value, nullopt if nothing is.
using Check = std::function<Fault(LargestIntegralType)>;
using Values = std::deque<Entry<LargestIntegralType>>;
using Checks = std::deque<Entry<Check>>;

// CMocka's interface has no object to keep these in.
struct State {
  Named<Values> values;         // by function
  Named<Named<Checks>> checks;  // by function, parameter
  std::deque<Entry<std::string>> calls;
  std::optional<Place> last_value;  // where the latest used one was declared
  std::optional<Place> last_check;
};

State& Now() {
  static State state;
  return state;
}

std::string DescribeLast(const std::optional<Place>& place, std::string_view one, std::string_view many) {
  if (place) return fmt::format("{}: note: Previously {} was declared here\n", ToText(*place), one);
  return fmt::format("There were no previously {} for this test.\n", many);
}

void AddCheck(const char* function, const char* parameter, Check check, int count, Place place) {
  Now().checks.At(function).At(parameter).push_back({std::move(check), count, place});
}

template <class T>
void Describe(const Entry<T>& entry, const std::string& text, std::string& out) {
  if (entry.IsLeftover())
    out += fmt::format("{}\n{}: note: remaining item was declared here\n", text, ToText(entry.place));
}

const void* PointerOf(LargestIntegralType value) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the interface carries pointers so
  return reinterpret_cast<const void*>(static_cast<uintptr_t>(value));
}

}  // namespace

void ClearExpectations() { Now() = {}; }

std::string DescribeLeftovers() {
  std::string out;
  for (const auto& [function, values] : Now().values) {
    for (const auto& entry : values)
      Describe(entry, fmt::format("{}() has remaining non-returned values.", function), out);
  }
  for (const auto& [function, parameters] : Now().checks) {
    std::string prefix = function + ": ";
    for (const auto& [parameter, checks] : parameters) {
      for (const auto& entry : checks) {
        if (!entry.IsLeftover()) continue;
        Describe(entry, fmt::format("{}'{}' parameter still has values that haven't been checked.", prefix, parameter),
                 out);
        prefix.clear();
      }
    }
  }
  for (const auto& call : Now().calls)
    Describe(call, fmt::format("{} function was expected to be called but was not.", call.value), out);
  return out;
}

void WillReturn(const char* function, LargestIntegralType value, int count, Place place) {
  Now().values.At(function).push_back({value, count, place});
}

LargestIntegralType Mock(const char* function, Place place) {
  State& state = Now();
  Values* queue = state.values.Find(function);
  if (queue == nullptr) {
    FailWith(fmt::format("No entries for symbol {}.\n{}: error: Could not get value to mock function {}\n{}", function,
                         ToText(place), function,
                         DescribeLast(state.last_value, "returned mock value", "returned mock values")));
  }
  auto& entry = queue->front();
  const LargestIntegralType value = entry.value;
  state.last_value = entry.place;
  if (entry.Use()) queue->pop_front();
  if (queue->empty()) state.values.Remove(function);
  return value;
}

void ExpectAny(const char* function, const char* parameter, int count, Place place) {
  AddCheck(function, parameter, [](LargestIntegralType) { return std::nullopt; }, count, place);
}

void ExpectCheck(const char* function, const char* parameter, CheckParameterValue check, LargestIntegralType data,
                 Place place) {
  const auto run = [check, data](LargestIntegralType value) { return check(value, data) != 0 ? Fault() : Fault(""); };
  AddCheck(function, parameter, run, 1, place);
}

void ExpectEqual(const char* function, const char* parameter, LargestIntegralType value, bool equal, int count,
                 Place place) {
  AddCheck(
      function, parameter, [=](LargestIntegralType actual) { return CompareValues(actual, value, equal); }, count,
      place);
}

void ExpectString(const char* function, const char* parameter, const char* text, bool equal, int count, Place place) {
  if (text == nullptr) FailAt(place, "string");
  const auto run = [text = std::string(text), equal](LargestIntegralType actual) {
    return CompareStrings(static_cast<const char*>(PointerOf(actual)), text.c_str(), equal);
  };
  AddCheck(function, parameter, run, count, place);
}

void ExpectMemory(const char* function, const char* parameter, const void* bytes, size_t size, bool equal, int count,
                  Place place) {
  if (bytes == nullptr) FailAt(place, "memory");
  const auto run = [copy = std::string(static_cast<const char*>(bytes), size), equal](LargestIntegralType actual) {
    if (actual == 0) return Fault("the memory is NULL");
    return CompareMemory(PointerOf(actual), copy.data(), copy.size(), equal);
  };
  AddCheck(function, parameter, run, count, place);
}

void ExpectRange(const char* function, const char* parameter, LargestIntegralType minimum, LargestIntegralType maximum,
                 bool inside, int count, Place place) {
  AddCheck(
      function, parameter, [=](LargestIntegralType actual) { return CompareRange(actual, minimum, maximum, inside); },
      count, place);
}

void ExpectSet(const char* function, const char* parameter, const LargestIntegralType* values, size_t values_count,
               bool inside, int count, Place place) {
  const auto run = [copy = std::vector<LargestIntegralType>(values, values + values_count), inside](
                       LargestIntegralType actual) { return CompareSet(actual, copy.data(), copy.size(), inside); };
  AddCheck(function, parameter, run, count, place);
}

void CheckExpected(const char* function, const char* parameter, LargestIntegralType value, Place place) {
  State& state = Now();
  Named<Checks>* parameters = state.checks.Find(function);
  Checks* queue = parameters == nullptr ? nullptr : parameters->Find(parameter);
  if (queue == nullptr) {
    FailWith(fmt::format(
        "No entries for symbol {}.\n{}: error: Could not get value to check parameter {} of function {}\n{}",
        parameters == nullptr ? function : parameter, ToText(place), parameter, function,
        DescribeLast(state.last_check, "declared parameter value", "declared parameter values")));
  }
  auto& entry = queue->front();
  const Check check = entry.value;
  const Place declared = entry.place;
  state.last_check = declared;
  if (entry.Use()) queue->pop_front();
  if (queue->empty()) parameters->Remove(parameter);
  if (parameters->empty()) state.checks.Remove(function);
  const auto fault = check(value);
  if (!fault) return;
  FailAt(place,
         fmt::format(
             "{}{}{}: error: Check of parameter {}, function {} failed\n{}: note: Expected parameter declared here",
             *fault, fault->empty() ? "" : "\n", ToText(place), parameter, function, ToText(declared)));
}

void ExpectCall(const char* function, int count, Place place) { Now().calls.push_back({function, count, place}); }

void FunctionCalled(const char* function, Place place) {
  auto& calls = Now().calls;
  if (calls.empty())
    FailWith(
        fmt::format("{}: error: No mock calls expected but called() was invoked in {}\n", ToText(place), function));
  // Calls that are only allowed stand in nobody's way.
  auto call = calls.begin();
  while (call != calls.end() && call->count <= WILL_RETURN_ONCE && call->value != function) ++call;
  if (call == calls.end()) {
    FailWith(
        fmt::format("{}: error: No expected mock calls matching called() invocation in {}", ToText(place), function));
  }
  if (call->value != function) {
    FailWith(fmt::format("{}: error: Expected call to {} but received called() in {}\n", ToText(place), call->value,
                         function));
  }
  if (call->Use()) calls.erase(call);
}

}  // namespace prov::cmocka
