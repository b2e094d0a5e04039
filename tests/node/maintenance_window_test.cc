#include "provisioner/node/maintenance_window.h"

#include <gmock/gmock.h>

namespace prov::node {
namespace {

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kDay = 24 * kHour;

// 2027-01-10, midnight.
constexpr std::int64_t kSunday = 1'799'539'200;

bool Open(std::string_view text, std::int64_t day, std::int64_t hour, std::int64_t minute = 0) {
  const auto window = ParseMaintenanceWindow(text, "--reboot-window");
  EXPECT_TRUE(window) << text;
  return window && window->Contains(kSunday + day * kDay + hour * kHour + minute * 60);
}

TEST(MaintenanceWindow, IsOpenFromItsBeginUntilItsEnd) {
  EXPECT_TRUE(Open("02:30-04:00", 3, 2, 30));
  EXPECT_TRUE(Open("02:30-04:00", 3, 3, 59));
  EXPECT_FALSE(Open("02:30-04:00", 3, 4));
  EXPECT_FALSE(Open("02:30-04:00", 3, 2, 29));
}

TEST(MaintenanceWindow, GoesOverMidnightAndOverTheWeeksEnd) {
  EXPECT_TRUE(Open("22:00-04:00", 1, 23));
  EXPECT_TRUE(Open("22:00-04:00", 1, 3));
  EXPECT_FALSE(Open("22:00-04:00", 1, 4));
  EXPECT_TRUE(Open("Sat 22:00-04:00", 6, 23));
  EXPECT_TRUE(Open("Sat 22:00-04:00", 0, 3)) << "the day is the one on which it begins";
  EXPECT_FALSE(Open("Sat 22:00-04:00", 6, 3));
}

TEST(MaintenanceWindow, TakesDaysAsListsAndRanges) {
  for (int day = 0; day < 7; ++day) {
    EXPECT_EQ(Open("mon-FRI 01:00-02:00", day, 1), day >= 1 && day <= 5) << day;
    EXPECT_EQ(Open("Sat,Sun 01:00-02:00", day, 1), day == 0 || day == 6) << day;
    EXPECT_EQ(Open("Sat-Mon 01:00-02:00", day, 1), day == 0 || day == 1 || day == 6) << day;
    EXPECT_TRUE(Open("00:00-00:00", day, 13)) << "a whole day";
  }
}

TEST(MaintenanceWindow, ComesBackFromItsText) {
  for (const char* text :
       {"22:00-04:00", "00:00-00:00", "Sat,Sun 01:00-05:00", "Mon-Fri 02:30-03:30", "Sat-Mon 23:59-00:01"}) {
    const auto window = ParseMaintenanceWindow(text, "x");
    ASSERT_TRUE(window) << text;
    EXPECT_EQ(ParseMaintenanceWindow(window->text, "x"), *window) << text;
  }
}

TEST(MaintenanceWindow, RefusesWhatIsNone) {
  for (const char* text : {"", "2:30-04:00", "02:30", "02:30-", "24:00-01:00", "01:60-02:00", "Son 01:00-02:00",
                           "Mon- 01:00-02:00", "01:00-02:00 Mon", "01:00 - 02:00", "01:00-02:00Z"}) {
    const auto window = ParseMaintenanceWindow(text, "--reboot-window");
    ASSERT_FALSE(window) << text;
    EXPECT_EQ(window.error().code, Code::kUsage);
    EXPECT_THAT(window.error().message, testing::HasSubstr("takes times in UTC such as 22:00-04:00"));
  }
}

}  // namespace
}  // namespace prov::node
