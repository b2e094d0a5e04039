// The editor of answer files against Python's ElementTree: over random answer files, and over damaged ones, it says the
// same about what is well-formed, and in the tree nothing differs but our command.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "provisioner/base/text.h"
#include "provisioner/unattend/xml_text.h"
#include "tests/differential/seed.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/replaced.h"
#include "tests/support/scratch_folder.h"
#include "tests/unattend/answer_files.h"

namespace prov::unattend {
namespace {

namespace fs = std::filesystem;
using differential::Random;

constexpr std::size_t kFiles = 3000;

// A random answer file: one layout and one way with namespaces, all else by chance.
class Generator {
 public:
  explicit Generator(Random& random) : random_(random) {
    newline_ = Pick({"\n", "\n", "\r\n", ""});
    unit_ = newline_.empty() ? "" : Pick({"  ", "\t", "    ", "", "   "});
    prefix_ = Pick({"", "", "", "u:", "wcm:"});
    state_ = Pick({"", "", "wcm", "s"});
    if (prefix_ == "wcm:" && state_ == "wcm") state_ = "";
  }

  std::string Make(std::string_view encoding) {
    if (random_.OneIn(2)) out_ = fmt::format("<?xml version=\"1.0\" encoding=\"{}\"?>{}", encoding, newline_);
    Noise();
    const std::string own = prefix_.empty() ? "" : ":" + prefix_.substr(0, prefix_.size() - 1);
    std::string root = fmt::format(" xmlns{}=\"urn:schemas-microsoft-com:unattend\"", own);
    if (!state_.empty()) root += fmt::format(" xmlns:{}=\"http://schemas.microsoft.com/WMIConfig/2002/State\"", state_);
    Element("unattend", root, 3, [this] { Settings(); });
    if (random_.OneIn(2)) out_ += newline_;
    Noise();
    return out_;
  }

 private:
  std::string Pick(std::initializer_list<std::string_view> pieces) {
    return std::string(random_.Pick({pieces.begin(), pieces.size()}));
  }

  void Line() {
    if (newline_.empty() || random_.OneIn(20)) return;
    if (random_.OneIn(10)) out_ += newline_;
    out_ += newline_;
    for (std::size_t i = 0; i < depth_; ++i) out_ += unit_;
  }

  void Noise() {
    if (!random_.OneIn(6)) return;
    out_ += Pick({"<!-- <settings pass=\"specialize\"> -->", "<?p <component?>", "<!---->", " "});
    if (random_.OneIn(2)) out_ += newline_;
  }

  // Things inside of an element that mean nothing to the editor.
  void Stranger() {
    Line();
    out_ += Pick({"<!-- c -->", "<x:settings xmlns:x=\"urn:x\" pass=\"specialize\"/>", "<?p?>",
                  "<![CDATA[<Order>9</Order>]]>", "text &amp; text", "<y xmlns=\"urn:y\"><Order>400</Order></y>",
                  "\xC3\xA4\xF0\x9F\x98\x80 "});
  }

  template <class F>
  void Element(std::string_view local, std::string_view attributes, std::size_t most, const F& inside) {
    const std::string name = prefix_ + std::string(local);
    out_ += fmt::format("<{}{}", name, attributes);
    if (random_.OneIn(5)) {
      out_ += Pick({"/>", " />"});
      return;
    }
    out_ += ">";
    ++depth_;
    const std::size_t count = random_.Below(most + 1);
    for (std::size_t i = 0; i < count; ++i) {
      if (random_.OneIn(8)) Stranger();
      Line();
      inside();
    }
    if (random_.OneIn(10)) Stranger();
    --depth_;
    if (count > 0 || random_.OneIn(2)) Line();
    out_ += fmt::format("</{}>", name);
  }

  void Settings() {
    const std::string pass = Pick({"specialize", "specialize", "oobeSystem", "oobeSystem", "generalize", "Specialize"});
    Element("settings", fmt::format(" pass=\"{}\"", pass), 2, [this] { Component(); });
  }

  void Component() {
    const std::string name = Pick({"Microsoft-Windows-Deployment", "Microsoft-Windows-Shell-Setup"});
    std::string attributes = fmt::format(
        " name=\"{}\" processorArchitecture=\"{}\" publicKeyToken=\"31bf3856ad364e35\" language=\"neutral\"", name,
        Pick({"amd64", "amd64", "AMD64", "x86", "arm64", "wow64"}));
    if (random_.OneIn(4) && prefix_ != "wcm:")
      attributes += " xmlns:wcm=\"http://schemas.microsoft.com/WMIConfig/2002/State\"";
    const bool deployment = name.ends_with("Deployment") != random_.OneIn(8);
    const char* list = deployment ? "RunSynchronous" : "FirstLogonCommands";
    const char* item = deployment ? "RunSynchronousCommand" : "SynchronousCommand";
    const char* line = deployment ? "Path" : "CommandLine";
    Element("component", attributes, 1,
            [&] { Element(list, "", 3, [&] { Element(item, "", 1, [&] { Fields(line); }); }); });
  }

  void Fields(std::string_view command_line) {
    out_ += fmt::format("<{0}Order>{1}</{0}Order>", prefix_,
                        Pick({"1", "2", " 7\n", "499", "&#51;", "<![CDATA[1]]>2", "x", "", "600"}));
    if (random_.OneIn(2)) Line();
    const std::string line = random_.OneIn(4) ? std::string(answer_files::kCommandLine) : Pick({"a.exe", "b &lt; c"});
    out_ += fmt::format("<{0}{1}>{2}</{0}{1}>", prefix_, command_line, line);
  }

  Random& random_;
  std::string newline_;
  std::string unit_;
  std::string prefix_;
  std::string state_;
  std::size_t depth_ = 0;
  std::string out_;
};

void Damage(std::string& text, Random& random) {
  static const std::vector<std::string_view> kPieces = Split(
      "<|>|&|/|\"|:|=|'|--|]]>|<!--|-->|<![CDATA[|<?xml version=\"1.0\"?>|?>| xmlns:u=\"\"| xmlns=\"\"|"
      " xmlns:a=\"u\" xmlns:b=\"u\" a:c=\"\" b:c=\"\"| xml:lang=\"\"|<a:b/>|&#0;|&#x10FFFF;|&#xFFFE;|\x01|"
      "\xEF\xBF\xBF|<!DOCTYPE a>|&lt|;|<a b='1' b='2'/>|\x7F|</settings>|<?XML?>| |-",
      '|');
  for (std::size_t i = 1 + random.Below(3); i > 0; --i) {
    const std::size_t at = random.Below(text.size() + 1);
    if (random.OneIn(3)) {
      text.erase(at, 1 + random.Below(4));
    } else {
      text.insert(at, random.Pick(kPieces));
    }
  }
}

class AnswerFileAndElementTree : public testing::Test {
 protected:
  void Write(const std::string& name, std::string_view bytes) {
    std::ofstream out(folder_ / name, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  // Edits the file, checks what needs no second opinion, and leaves the rest to the script.
  void Edit(std::size_t number, std::string_view file) {
    const AnswerFileCommand command = answer_files::OurCommand();
    const std::string name = fmt::format("{:05}", number);
    Write(name + ".before", file);
    const auto added = AddCommand(file, command, "f");
    if (!added) {
      verdicts_ += fmt::format("{} refused {}\n", name, Printable(added.error().message));
      return;
    }
    ++accepted_;
    verdicts_ += fmt::format("{} {} {}\n", name, added->changed ? "added" : "there", added->record);
    Write(name + ".after", added->bytes);
    const auto again = AddCommand(added->bytes, command, "f");
    ASSERT_TRUE(again) << file;
    ASSERT_FALSE(again->changed) << file;
    const auto removed = RemoveCommand(added->bytes, command, added->record, "f");
    ASSERT_TRUE(removed) << file;
    ASSERT_EQ(removed->bytes, file);
  }

  testing_support::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path();
  std::string verdicts_;
  std::size_t accepted_ = 0;
};

TEST_F(AnswerFileAndElementTree, AgreeOnRandomAndOnDamagedFiles) {
  if (testing_support::Run({"python3", "-c", "import xml.etree.ElementTree"}).exit != 0) {
    std::cout << "SKIPPED: python3 is missing; scripts/setup installs it\n";
    GTEST_SKIP();
  }
  Random random(differential::Seed("answer files"));
  for (std::size_t i = 0; i < kFiles; ++i) {
    const auto encoding = static_cast<XmlEncoding>(random.Below(3));
    std::string text = Generator(random).Make(encoding == XmlEncoding::kUtf16Le ? "utf-16" : "utf-8");
    if (random.OneIn(2)) Damage(text, random);
    Edit(i, EncodeXml({encoding, text}));
    ASSERT_FALSE(HasFatalFailure()) << "file " << i;
  }
  std::cout << accepted_ << " of " << kFiles << " files edited\n";
  EXPECT_GT(accepted_, kFiles / 3);
  Write("verdicts", verdicts_);
  const auto script = fs::path(testing_support::TestsFolder()) / "unattend" / "answer_file_check.py";
  const auto result = testing_support::Run({"python3", script.string(), folder_.string()});
  std::cout << result.out;
  EXPECT_EQ(result.exit, 0) << result.err;
}

TEST(AnswerFileSchema, WhatWasValidStaysValid) {
  const fs::path schema = fs::path(testing_support::TestsFolder()) / "../../shared/cases/windows/autounattend.xsd";
  const auto validates = [&](const fs::path& file) {
    return testing_support::Run({"xmllint", "--noout", "--schema", schema.string(), file.string()}).exit == 0;
  };
  if (!fs::exists(schema) || testing_support::Run({"xmllint", "--version"}).exit != 0) {
    std::cout << "SKIPPED: xmllint is missing, or the schema is not beside the repository\n";
    GTEST_SKIP();
  }
  std::size_t valid = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(testing_support::TestsFolder()) / "golden" / "unattend")) {
    const std::string before = entry.path().string();
    if (!before.ends_with(".before.xml") || !validates(before)) continue;
    ++valid;
    EXPECT_TRUE(validates(testing_support::Replaced(before, ".before.", ".after."))) << before;
  }
  EXPECT_EQ(valid, 11U) << "all but those with elements that the schema doesn't allow";
}

}  // namespace
}  // namespace prov::unattend
