// Environment variables as items: those of the machine, and those of a service.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"

namespace prov::reconcile {

struct EnvironmentVariable {
  std::string name;
  Secret value;  // never empty: unset is an absent item
};

// Some older tools cut longer values.
inline constexpr std::size_t kCarefulVariableUnits = 2047;

// size-limit when the variable is too long for Windows; `where` is the variable's name.
Result<void> CheckLength(const EnvironmentVariable& variable);

// REG_SZ always: REG_EXPAND_SZ would expand the `%40` of a password.
images::RegValue EncodeVariable(const EnvironmentVariable& variable);

// The `Environment` value of one service: a REG_MULTI_SZ of NAME=VALUE entries. Facts:
// docs/formats/environment.md#a-services-environment.
struct ServiceEnvironment {
  std::string service;
  std::vector<EnvironmentVariable> variables;
};

inline constexpr std::string_view kServiceEnvironmentValue = "Environment";

// The name of a NAME=VALUE entry; the whole entry where there is no '='.
std::string_view NameOfEntry(std::string_view entry);
// Whether it is an entry of that variable; names compare without case.
bool IsEntryOf(std::string_view entry, std::string_view name);

// Whether the value is a proxy URL with a user or a password.
bool IsSecret(const EnvironmentVariable& variable);
// Whether any of its values is. If so, only administrators and the service itself may read the key.
bool HoldsCredentials(const ServiceEnvironment& service);

// The `existing` entries with ours set. Names compare without case. Entries of others, among them those without '=',
// stay in their order; new ones of ours are appended.
std::vector<std::string> MergeServiceEnvironment(const std::vector<std::string>& existing,
                                                 const std::vector<EnvironmentVariable>& ours);

// A list in which the entries `from` are replaced by the entries `to`, one variable at a time. `is_foreign`: another
// program changed a variable since, so that it has neither its entries of `from` nor those of `to`; it is left
// unchanged.
struct ReplacedEntries {
  std::vector<std::string> entries;
  bool is_foreign = false;
};
ReplacedEntries ReplaceEntries(std::vector<std::string> entries, const std::vector<std::string>& from,
                               const std::vector<std::string>& to);

// Whether two lists hold the same entries, in whatever order.
bool SameEntries(std::vector<std::string> a, std::vector<std::string> b);

// `entries`: UTF-8, in which an unpaired surrogate may take three bytes.
images::RegValue EncodeServiceEnvironment(const std::vector<std::string>& entries);

}  // namespace prov::reconcile
