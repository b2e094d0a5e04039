// User data that is read: what a node's data.egress says (a first byte 'c'), and another script that ours is put
// before. What a container says survives being written again, and no step of ours changes the other script.
#include "provisioner/userdata/user_data.h"
#include "provisioner/userdata/user_data_container.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

void CheckContainer(std::string_view bytes) {
  const auto read = userdata::ReadContainer(bytes, "data.egress");
  if (!read) return CheckError(read.error());
  const auto state = reconcile::MakeDesiredState(read->config, read->options);
  if (!state) return CheckError(state.error());
  const std::string written = userdata::MakeContainer(read->config, *state, {.generation = read->generation});
  const auto again = userdata::ReadContainer(written, "again");
  FUZZ_CHECK(again.has_value());
  FUZZ_CHECK(again->generation == read->generation);
  const auto same = reconcile::MakeDesiredState(again->config, again->options);
  FUZZ_CHECK(same.has_value());
  FUZZ_CHECK(same->scope == state->scope && same->certificates.size() == state->certificates.size());
  FUZZ_CHECK(userdata::MakeContainer(again->config, *same, {.generation = again->generation}) == written);
}

void CheckForeign(std::string_view bytes) {
  auto read = userdata::ReadForeignUserData(bytes, "FILE");
  if (!read) {
    CheckError(read.error());
    FUZZ_CHECK(read.error().code == Code::kKind);
    return;
  }
  FUZZ_CHECK(bytes.find(read->script) != std::string_view::npos);
  userdata::UserDataOptions options{.platform = userdata::Platform::kAws};
  options.foreign = *read;
  const auto made = userdata::MakeUserData({}, {}, options);
  if (!made) return CheckError(made.error());
  FUZZ_CHECK(made->bytes.find(read->script) != std::string::npos);
  // What was made has our step, and is not taken again.
  FUZZ_CHECK(!userdata::ReadForeignUserData(made->bytes, "FILE"));
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string_view text = TextOf(data, size);
  if (text.starts_with('c')) {
    CheckContainer(text.substr(1));
  } else {
    CheckForeign(text);
  }
  return 0;
}
