// Files in an image that is a folder of a system with modes.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "images/registry/registry_key.h"
#include "provisioner/machine/image_ports.h"
#include "tests/images/image_folder.h"
#include "tests/support/memory_machine.h"

namespace prov::machine {
namespace {

constexpr std::string_view kPath = R"(C:\certs.d\quay.io\hosts.toml)";
constexpr const char* kInImage = "certs.d/quay.io/hosts.toml";

unsigned ModeOf(const std::string& path) {
  struct stat info{};
  EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777U;
}

// Of another mode it is not known whom it was made for.
TEST(ImageFilesOnPosix, WhatNotEverybodyMightReadComesBackForTheOwnerAlone) {
  for (const unsigned mode : {0644U, 0600U, 0640U, 0664U}) {
    images::testing::ImageFolder image;
    image.Put(kInImage, "theirs");
    ASSERT_EQ(chmod(image.At(kInImage).c_str(), mode), 0);
    const auto tree = images::testing::OpenTree(image.root());
    testing_support::MemoryMachine registry;
    registry.Put(R"(SOFTWARE\Microsoft\Windows NT\CurrentVersion)",
                 {"SystemRoot", images::RegType::kSz, images::EncodeSz(R"(C:\Windows)")});
    ImageFiles files(*tree, registry);
    const auto open = files.IsForEverybody(kPath);
    ASSERT_TRUE(open) << open.error().message;
    // The files of a tree that another user than root makes belong to that user.
    EXPECT_EQ(*open, mode == 0644U);
    ASSERT_TRUE(files.PutFile(kPath, "ours", FileAccess::kKept));
    EXPECT_EQ(ModeOf(image.At(kInImage)), mode);
    ASSERT_TRUE(files.RemoveFile(kPath));
    ASSERT_TRUE(files.PutFile(kPath, "ours", FileAccess::kKept));
    EXPECT_EQ(ModeOf(image.At(kInImage)), 0644U);
    ASSERT_TRUE(files.PutFile(kPath, "theirs", *open ? FileAccess::kKept : FileAccess::kClosed));
    EXPECT_EQ(ModeOf(image.At(kInImage)), mode == 0644U ? 0644U : 0600U);
    EXPECT_EQ(image.Get(kInImage), "theirs");
  }
}

}  // namespace
}  // namespace prov::machine
