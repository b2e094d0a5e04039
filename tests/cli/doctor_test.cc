// `doctor`, and --this-machine in the place of SOURCE, as their callers see them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "images/registry/hive_editor.h"
#include "provisioner/cli/settings_spec.h"
#include "tests/cli/machine_commands_fixture.h"
#include "tests/cli/settings_of_words.h"
#include "tests/support/program_file.h"
#include "tests/support/result.h"
#include "tests/support/sample_image.h"

namespace prov::cli {
namespace {

class DoctorCommands : public machine_commands::MachineCommands {
 protected:
  // Runs a plan or an apply as it was printed, for the fixture's source.
  Result<Outcome> Type(const std::string& command) {
    std::vector<std::string> words = TypedWords(command);
    std::ranges::replace(words, std::string("SOURCE"), source_);
    return Run(words.at(1) == "plan" ? PlanCommand : ApplyCommand, {words.begin() + 2, words.end()});
  }
};

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(DoctorCommands, DoctorSaysWhatIsWrongAndWhatToType) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_, "--service", "containerd"}));
  const auto well = Json(DoctorCommand, {});
  EXPECT_EQ(well["problems"].Size(), 0U);
  EXPECT_STREQ(well["target"].GetString(), "this machine");
  EXPECT_THAT(Run(DoctorCommand, {})->out, HasSubstr("nothing is wrong with what was checked\nchecked  clock, "));
  auto& containerd = host_.services_by_name["containerd"];
  containerd.process_id = 42;
  const auto sick = Json(DoctorCommand, {}, 4);
  ASSERT_EQ(sick["problems"].Size(), 1U);
  const auto& problem = sick["problems"][0];
  EXPECT_STREQ(problem["code"].GetString(), "service-stale");
  EXPECT_STREQ(problem["key"].GetString(), "serviceEnv:containerd");
  EXPECT_THAT(problem["remedy"].GetString(), HasSubstr("Drain the node"));
  EXPECT_STREQ(problem["commands"][0].GetString(), "Restart-Service -Force 'containerd'");
  EXPECT_THAT(
      Run(DoctorCommand, {})->out,
      StartsWith("target   this machine\n1. [service-stale] containerd (process 42) runs with another HTTP_PROXY"));
  containerd.process_id = 0;
  const auto stopped = Json(DoctorCommand, {}, 4);
  EXPECT_FALSE(stopped["problems"][0].HasMember("key")) << "it is about no item";
}

TEST_F(DoctorCommands, AnImageThatDoesNotArriveIsAProblem) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_, "--service", "containerd"}));
  const auto lost = Json(DoctorCommand, {"--image", "quay.io/org/app:v1"}, 4);
  ASSERT_EQ(lost["problems"].Size(), 1U);
  EXPECT_STREQ(lost["problems"][0]["code"].GetString(), "image-failed");
  EXPECT_THAT(lost["problems"][0]["message"].GetString(), StartsWith("quay.io/org/app:v1: "));
  EXPECT_STREQ(lost["problems"][0]["commands"][0].GetString(),
               "provisioner check --this-machine --image 'quay.io/org/app:v1' --verbose");
  EXPECT_THAT(Run(DoctorCommand, {"--image", "quay.io/org/app:v1"})->out, HasSubstr(", images\n"));
}

TEST_F(DoctorCommands, ACertificateHasOneNameInAllText) {
  const std::string name = "CA 734B5852D40BDC0AD7E1AB2DACBA4FC9BA34854C";
  ASSERT_TRUE(Run(ApplyCommand, {source_}));
  host_.now = 2'400'000'000;  // in 2046, after its end
  EXPECT_THAT(Run(DoctorCommand, {})->out, HasSubstr("[cert-expired] certificate " + name));
  EXPECT_THAT(Run(RollbackCommand, {})->out,
              HasSubstr("deleted  certificate  " + name + "  CN=Example Corp Issuing CA 1"));
}

TEST_F(DoctorCommands, WhatDoctorPrintsCanBeTyped) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_, "--service", "containerd", "--scope", "machine,services"}));
  ASSERT_TRUE(Run(RollbackCommand, {}));
  const auto held = Json(DoctorCommand, {}, 4);
  const std::string command = held["problems"][0]["commands"][0].GetString();
  EXPECT_EQ(command, "provisioner apply " + ShellWord(source_) + " --scope 'machine,services' --service containerd");
  ASSERT_TRUE(Type(command));
  EXPECT_EQ(Json(DoctorCommand, {})["problems"].Size(), 0U);
}

TEST_F(DoctorCommands, WhatDoctorPrintsOfAnImageCanBeTyped) {
  const std::string image = (root_ / "image").string(), exe = (root_ / "provisioner.exe").string();
  const std::string hives = image + "/Windows/System32/config/";
  std::filesystem::create_directories(hives);
  const auto put = [](const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  };
  put(hives + "SYSTEM", testing_support::SampleHive(testing_support::SampleSystem(), "SYSTEM"));
  put(hives + "SOFTWARE", testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE"));
  put(exe, testing_support::MakeProgram());
  const auto doctor = [&](int exit) { return Json(DoctorCommand, {"--root", image}, exit); };
  EXPECT_STREQ(doctor(4)["problems"][0]["commands"][0].GetString(),
               ("provisioner plan --root " + ShellWord(image) + " SOURCE").c_str());
  ASSERT_TRUE(Run(ApplyCommand, {source_, "--root", image, "--service", "containerd", "--install", "--exe", exe}));
  ASSERT_EQ(doctor(0)["problems"].Size(), 0U);

  const std::string payload = image + "/Windows/Setup/Scripts/Provisioner";
  const std::string program = image + "/Program Files/Provisioner/provisioner.exe";
  const std::string install = " --install --exe " + ShellWord(program);
  const struct {
    std::function<void()> harm;
    std::string rest;
  } rows[] = {
      {[&] {
         auto hive = images::HiveEditor::Open(testing_support::ReadAll(hives + "SYSTEM")).value();
         ASSERT_TRUE(hive.DeleteValue(R"(ControlSet001\Control\Session Manager\Environment)", "NO_PROXY"));
         put(hives + "SYSTEM", hive.Finish(0).value());
       },
       ShellWord(payload)},
      {[&] { std::filesystem::remove(program); },
       ShellWord(payload) + " --install --exe " + ShellWord(payload + "/provisioner.exe")},
      {[&] { std::filesystem::remove_all(payload); }, "SOURCE --service containerd" + install},
      {[&] { std::filesystem::remove(payload + "/egress.json"); }, "SOURCE --service containerd" + install},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.rest);
    row.harm();
    const auto sick = doctor(4);
    ASSERT_EQ(sick["problems"].Size(), 1U);
    const auto& commands = sick["problems"][0]["commands"];
    ASSERT_EQ(commands.Size(), 2U);
    for (const unsigned at : {0U, 1U}) {
      const std::string command = commands[at].GetString();
      EXPECT_EQ(command,
                fmt::format("provisioner {} --root {} {}", at == 0 ? "plan" : "apply", ShellWord(image), row.rest));
      Must(Type(command));
    }
    EXPECT_EQ(doctor(0)["problems"].Size(), 0U);
  }
  put(image + "/ProgramData/Provisioner/provisioner.log", "applied");
  std::filesystem::remove(program);
  std::filesystem::remove_all(payload);
  EXPECT_THAT(doctor(4)["problems"][0]["commands"][0].GetString(), testing::EndsWith("--install --exe provisioner.exe"))
      << "a run takes the payload's folder away";
}

TEST_F(DoctorCommands, ImagesAreAskedForAsTheFilesOfTheNodeSay) {
  const std::string image = (root_ / "image").string();
  const std::string hives = image + "/Windows/System32/config/";
  const auto put = [](const std::string& path, std::string_view bytes) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  };
  images::RegKey system = testing_support::SampleSystem();
  images::KeyAt(system, R"(ControlSet001\Services\containerd)").values = {
      reconcile::Sz("ImagePath", "containerd.exe --run-service")};
  put(hives + "SYSTEM", testing_support::SampleHive(system, "SYSTEM"));
  put(hives + "SOFTWARE", testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE"));
  put(image + "/Program Files/ContainerD/Config.toml",
      "[plugins.cri.registry]\nconfig_path = 'C:\\none;C:\\containerd\\certs.d'\n");
  const std::string folder = image + "/Containerd/certs.d";
  put(folder + "/quay.io/hosts.toml", "[host.\"https://m.example.com\"]\n");
  const auto asked = [&](const std::vector<std::string>& target) {
    std::vector<std::string> words = {"--image", "quay.io/org/app:v1"};
    words.insert(words.end(), target.begin(), target.end());
    const auto explained = Json(ExplainCommand, words);
    std::vector<std::string> out;
    for (const auto& endpoint : explained["images"][0]["endpoints"].GetArray())
      out.emplace_back(endpoint["url"].GetString());
    for (const auto& finding : explained["findings"].GetArray()) {
      if (std::string_view(finding["code"].GetString()) == "hosts-toml")
        out.emplace_back(finding["message"].GetString());
    }
    return out;
  };
  const std::string mirror = "https://m.example.com/v2", own = "https://quay.io/v2";
  EXPECT_THAT(asked({"--root", image}),
              testing::ElementsAre(mirror, own, HasSubstr(R"(because C:\none is not in the image: add --registries)")));
  EXPECT_THAT(asked({"--root", image, "--registries", folder}), testing::ElementsAre(mirror, own));

  const auto of_machine = [&] { return asked({"--this-machine"}); };
  host_.memory.Erase(reconcile::kContainerd, "ImagePath");
  EXPECT_THAT(of_machine(), testing::ElementsAre(own, HasSubstr("there is no service containerd")));
  host_.memory.Put(reconcile::kContainerd, reconcile::Sz("ImagePath", "containerd.exe -c C:\\c.toml"));
  EXPECT_THAT(of_machine(), testing::ElementsAre(own, HasSubstr("because C:\\c.toml is not there: add --registries")));
  host_.memory.PutFileOf("C:\\c.toml", "version = 2\n");
  EXPECT_THAT(of_machine(), testing::ElementsAre(own)) << "no folder counts, which is known";
  const auto name = [&](const std::string& path) {
    host_.memory.PutFileOf("C:\\c.toml", fmt::format("[plugins.cri.registry]\nconfig_path = '{}'\n", path));
  };
  name(folder);
  EXPECT_THAT(of_machine(), testing::ElementsAre(mirror, own));
  name(folder + "/absent;" + folder);
  EXPECT_THAT(of_machine(), testing::ElementsAre(mirror, own, HasSubstr("is not there, so containerd asks")));
}

// A hostile image leads to no file of this system.
TEST_F(DoctorCommands, AConfigPathThatIsALinkInAnImageIsRefused) {
  const std::string image = (root_ / "image").string();
  const std::string hives = image + "/Windows/System32/config/";
  std::filesystem::create_directories(hives);
  std::filesystem::create_directories(image + "/containerd");
  std::filesystem::create_directories(root_ / "elsewhere/quay.io");
  std::error_code error;
  std::filesystem::create_directory_symlink(root_ / "elsewhere", image + "/containerd/certs.d", error);
  if (error) GTEST_SKIP() << "SKIPPED: this system makes no symbolic link";
  images::RegKey system = testing_support::SampleSystem();
  images::KeyAt(system, R"(ControlSet001\Services\containerd)").values = {
      reconcile::Sz("ImagePath", "containerd.exe -c C:\\c.toml")};
  std::ofstream(hives + "SYSTEM", std::ios::binary) << testing_support::SampleHive(system, "SYSTEM");
  std::ofstream(hives + "SOFTWARE", std::ios::binary)
      << testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE");
  std::ofstream(image + "/c.toml") << "[plugins.cri.registry]\nconfig_path = 'C:\\containerd\\certs.d'\n";
  EXPECT_EQ(ErrorIn(Run(ExplainCommand, {"--root", image, "--image", "quay.io/org/app:v1"})).code, Code::kLink);
}

// The record keeps no places.
TEST_F(DoctorCommands, AFileOfTheLastRunIsNotNamed) {
  const std::string bundle = (root_ / "bundle.pem").string();
  std::ofstream(bundle) << Run(ExtractCommand, {source_, "--format", "pem"})->out;
  ASSERT_TRUE(Run(ApplyCommand, {source_, "--service", "containerd", "--subtract", bundle}));
  ASSERT_TRUE(Run(RollbackCommand, {}));
  EXPECT_STREQ(Json(DoctorCommand, {}, 4)["problems"][0]["commands"][0].GetString(),
               "provisioner apply SOURCE --service containerd --subtract FILE");
}

TEST_F(DoctorCommands, ExplainAndCheckTakeWhatIsSet) {
  host_.waits_left = 100;
  ASSERT_TRUE(Run(ApplyCommand, {source_}));
  const auto decided = Json(ExplainCommand, {"--this-machine", "--url", "https://quay.io/", "--for", "go"});
  EXPECT_STREQ(decided["decisions"][0]["decision"].GetString(), "proxy");
  const auto probed = Json(CheckCommand, {"--this-machine", "--probe", "https://quay.io/"});
  EXPECT_TRUE(probed["probes"][0]["ok"].GetBool());
  EXPECT_THAT(probed["findings"][0]["message"].GetString(),
              HasSubstr("containerd would start with; the whole ROOT store is trusted"));
  EXPECT_THAT(host_.requests.back(), HasSubstr("with 0 roots")) << "what the machine trusts";
  host_.memory.Erase(reconcile::kEnv, "HTTPS_PROXY");
  EXPECT_STREQ(
      Json(ExplainCommand, {"--this-machine", "--url", "https://quay.io/", "--for", "go"})["decisions"][0]["decision"]
          .GetString(),
      "direct");
  host_.memory.Put(reconcile::kContainerd, reconcile::ServiceList({"HTTPS_PROXY=http://own:1"}));
  EXPECT_STREQ(
      Json(ExplainCommand, {"--this-machine", "--url", "https://quay.io/", "--for", "go"})["decisions"][0]["proxy"]
          .GetString(),
      "http://own:1");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{source_, "--this-machine"}, {"--this-machine", "--root", "x"}, {}}) {
    EXPECT_EQ(ErrorIn(Run(CheckCommand, words)).code, Code::kUsage);
  }
}

}  // namespace
}  // namespace prov::cli
