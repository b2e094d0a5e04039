// ValueParts: the value of an item in the parts that people compare, such as a proxy and its exceptions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/secret.h"

namespace prov::reconcile {

struct ValuePart {
  // kData is text and kObjects is an array of JSON; both are for programs only: people read `before` and `after`.
  enum class Form { kText, kUrl, kList, kData, kObjects };

  std::string name;  // "HTTP_PROXY", "proxy", "bypass"
  Secret value;
  Form form = Form::kText;
  std::string_view separators = ",";  // of a list: any of these characters

  std::string Shown() const;                 // without passwords
  std::vector<std::string> Entries() const;  // of a list, without passwords
  bool IsForPeople() const { return form != Form::kData && form != Form::kObjects; }
  bool HoldsPassword() const { return Shown() != value.Reveal(); }
};
using ValueParts = std::vector<ValuePart>;  // names compare without case, and each is there once

// One of the three variables; NO_PROXY is a list.
ValuePart VariablePart(std::string_view name, std::string value);

// A part that two values do not have alike. Without passwords.
struct Difference {
  std::string name;
  bool is_list = false;
  std::vector<std::string> added, removed;  // entries of a list
  std::string before, after;                // of others; "": absent
  bool only_password = false;               // both have it, and nothing else differs
  bool is_for_people = true;
};
std::vector<Difference> DifferencesOf(const ValueParts& before, const ValueParts& after);

}  // namespace prov::reconcile
