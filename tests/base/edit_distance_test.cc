#include "provisioner/base/edit_distance.h"

#include <gtest/gtest.h>

namespace prov {
namespace {

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(EditDistance("", ""), 0U);
  EXPECT_EQ(EditDistance("abc", ""), 3U);
  EXPECT_EQ(EditDistance("", "abc"), 3U);
  EXPECT_EQ(EditDistance("Containerd", "containerd"), 0U);
  EXPECT_EQ(EditDistance("contanerd", "containerd"), 1U);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
}

}  // namespace
}  // namespace prov
