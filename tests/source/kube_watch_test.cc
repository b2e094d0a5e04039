#include "provisioner/source/kube_watch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace prov::source {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using Kind = KubeEvent::Kind;

std::string Event(std::string_view type, std::string_view version, std::string_view config,
                  std::string_view name = "worker") {
  return fmt::format(
      "{{\"type\":\"{}\",\"object\":{{\"metadata\":{{\"name\":\"{}\",\"resourceVersion\":\"{}\"}},\"status\":{{"
      "\"configuration\":{{\"name\":\"{}\"}}}}}}}}\n",
      type, name, version, config);
}

constexpr std::string_view kBookmark =
    "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"MachineConfigPool\",\"metadata\":{\"resourceVersion\":\"12\"}}}\n";

std::vector<KubeEvent> All(std::string_view bytes, KubeKind kind = KubeKind::kPool) {
  KubeWatchReader reader(kind, "worker");
  return reader.Feed(bytes);
}

TEST(KubeWatch, ReadsEventsOfOneObject) {
  const auto events =
      All(Event("ADDED", "10", "a") + Event("MODIFIED", "11", "b") + "\r\n" + std::string(kBookmark) +
          Event("MODIFIED", "13", "c", "infra") + Event("NEW_TYPE", "14", "x") + Event("DELETED", "15", "b"));
  ASSERT_THAT(events, SizeIs(4));
  EXPECT_EQ(events[0].kind, Kind::kState);
  EXPECT_EQ(events[0].state, (KubeState{"10", "config a"}));
  EXPECT_EQ(events[1].state, (KubeState{"11", "config b"}));
  EXPECT_EQ(events[2].kind, Kind::kBookmark);
  EXPECT_EQ(events[2].state, (KubeState{"12", ""}));
  EXPECT_EQ(events[3].kind, Kind::kState);
  EXPECT_EQ(events[3].state, (KubeState{"15", ""}));
}

TEST(KubeWatch, WhereTheBytesAreCutMakesNoDifference) {
  const std::string bytes = Event("ADDED", "10", "\xc3\xa4\\n") + std::string(kBookmark) +
                            Event("MODIFIED", "13", "b") + "{\"type\":\"ERROR\",\"object\":{\"code\":410}}\n" +
                            Event("ADDED", "14", "never");
  const auto whole = All(bytes);
  ASSERT_THAT(whole, SizeIs(4));
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (const std::size_t second : {first, std::min(first + 1, bytes.size()), bytes.size()}) {
      KubeWatchReader reader(KubeKind::kPool, "worker");
      std::vector<KubeEvent> events;
      const std::string_view view = bytes;
      for (const std::string_view piece :
           {view.substr(0, first), view.substr(first, second - first), view.substr(second)}) {
        for (KubeEvent& event : reader.Feed(piece)) events.push_back(std::move(event));
      }
      ASSERT_EQ(events, whole) << first << " " << second;
    }
  }
}

TEST(KubeWatch, AnUnfinishedLineIsNoEvent) {
  std::string line = Event("ADDED", "10", "a");
  line.pop_back();
  EXPECT_THAT(All(line), SizeIs(0));
}

TEST(KubeWatch, GoneMeansToListAgain) {
  for (const char* status : {R"({"code":410})", R"({"code":504,"reason":"Expired"})", R"({"reason":"Gone"})"}) {
    KubeWatchReader reader(KubeKind::kPool, "worker");
    const auto events = reader.Feed(fmt::format("{{\"type\":\"ERROR\",\"object\":{}}}\n", status));
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].kind, Kind::kGone) << status;
    EXPECT_TRUE(reader.ended());
    EXPECT_THAT(reader.Feed(Event("ADDED", "1", "a")), SizeIs(0));
  }
}

TEST(KubeWatch, OtherErrorsAreTold) {
  const struct {
    std::string line;
    Code code;
    const char* part;
  } cases[] = {
      {R"({"type":"ERROR","object":{"code":500,"message":"etcd is away"}})", Code::kNetwork, "etcd is away"},
      {R"({"type":"ERROR","object":{}})", Code::kNetwork, "ended the watch"},
      {R"({"type":"ADDED"})", Code::kType, "no object"},
      {R"({"type":"ADDED","object":{"metadata":{"name":"worker"}}})", Code::kType, "resource version"},
      {R"([1])", Code::kType, "no object"},
      {R"(<html>)", Code::kJson, "not an event"},
      {R"({"type":"ADDED","object":)" + std::string(200, '['), Code::kJson, "nested"},
  };
  for (const auto& c : cases) {
    const auto events = All(c.line + "\n" + Event("ADDED", "1", "a"));
    ASSERT_THAT(events, SizeIs(1)) << c.line;
    EXPECT_EQ(events[0].kind, Kind::kError);
    EXPECT_EQ(events[0].error.code, c.code) << events[0].error.message;
    EXPECT_THAT(events[0].error.message, HasSubstr(c.part));
  }
}

TEST(KubeWatch, ALineIsBounded) {
  const std::string line = Event("ADDED", "10", "a");
  for (const std::size_t cut : {std::size_t{0}, std::size_t{5}, line.size() - 1}) {
    KubeWatchReader exact(KubeKind::kPool, "worker", line.size() - 1);
    EXPECT_THAT(exact.Feed(line.substr(0, cut)), SizeIs(0));
    EXPECT_THAT(exact.Feed(line.substr(cut)), SizeIs(1));
    EXPECT_FALSE(exact.ended());
    KubeWatchReader less(KubeKind::kPool, "worker", line.size() - 2);
    auto events = less.Feed(line.substr(0, cut));
    for (KubeEvent& event : less.Feed(line.substr(cut))) events.push_back(std::move(event));
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].error.code, Code::kTooLarge);
  }
}

TEST(KubeWatch, AFingerprintIsWhatIsReadOfAnObject) {
  const auto of = [](KubeKind kind, std::string_view members) {
    const auto state = ParseKubeList(
        fmt::format(R"({{"metadata":{{"resourceVersion":"5"}},"items":[{{"metadata":{{"name":"n"}},{}}}]}})", members),
        kind, "n");
    EXPECT_TRUE(state);
    return state ? state->fingerprint : "";
  };
  EXPECT_EQ(of(KubeKind::kPool, R"("status":{"machineCount":3,"configuration":{"name":"r"}})"),
            of(KubeKind::kPool, R"("status":{"machineCount":4,"configuration":{"name":"r"}})"));
  EXPECT_EQ(of(KubeKind::kPool, R"("status":{})"), "config ");
  const auto controller = [&](std::string_view members) { return of(KubeKind::kControllerConfig, members); };
  EXPECT_EQ(controller(R"("spec":{"proxy":null},"status":{"a":1})"),
            controller(R"("spec":{"proxy":null},"status":{"a":2})"));
  EXPECT_NE(controller(R"("spec":{"proxy":null})"), controller(R"("spec":{"proxy":{}})"));
  const auto proxy = [&](std::string_view members) { return of(KubeKind::kProxy, members); };
  EXPECT_NE(proxy(R"("spec":{},"status":{"a":1})"), proxy(R"("spec":{},"status":{"a":2})"));
  EXPECT_NE(proxy(R"("spec":{})"), "");
  const auto map = [&](std::string_view members) { return of(KubeKind::kConfigMap, members); };
  EXPECT_NE(map(R"("data":{"a":"1"})"), map(R"("data":{"a":"2"})"));
  EXPECT_NE(map(R"("binaryData":{"a":"MQ=="})"), map(R"("binaryData":{"a":"Mg=="})"));
  EXPECT_NE(of(KubeKind::kClusterTrustBundle, R"("spec":{"trustBundle":"a"})"),
            of(KubeKind::kClusterTrustBundle, R"("spec":{"trustBundle":"b"})"));
}

TEST(KubeWatch, AListSaysFromWhereToWatch) {
  EXPECT_EQ(*ParseKubeList(R"({"metadata":{"resourceVersion":"5"},"items":[]})", KubeKind::kPool, "n"),
            (KubeState{"5", ""}));
  EXPECT_EQ(*ParseKubeList(R"({"metadata":{"resourceVersion":"5"},"items":null})", KubeKind::kPool, "n"),
            (KubeState{"5", ""}));
  EXPECT_EQ(*ParseKubeList(R"({"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"m"}},7]})",
                           KubeKind::kPool, "n"),
            (KubeState{"5", ""}));
  for (const char* body : {"{}", "[]", R"({"metadata":{}})", R"({"metadata":{"resourceVersion":"5"},"items":{}})"}) {
    const auto state = ParseKubeList(body, KubeKind::kPool, "n");
    ASSERT_FALSE(state) << body;
    EXPECT_EQ(state.error().code, Code::kType);
  }
  EXPECT_EQ(ParseKubeList("{", KubeKind::kPool, "n").error().code, Code::kJson);
}

}  // namespace
}  // namespace prov::source
