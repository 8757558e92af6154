//===- WeightFilesTest.cpp - Tests of packed weights in files -------------===//

#include "../../../lib/Runtime/WeightFiles.h"
#include "../../../lib/Runtime/Context.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace tally::runtime;

namespace {

/// A folder of its own for files, and some weights.
class WeightFilesTest : public testing::Test {
protected:
  void SetUp() override {
    char path[] = "/tmp/tally-weights-XXXXXX";
    ASSERT_NE(mkdtemp(path), nullptr);
    folder = path;
    setenv("TALLY_RT_CACHE", path, 1);
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i] = char(i * i + i / 256);
  }

  void TearDown() override {
    for (const std::string &name : list())
      unlink((folder + "/" + name).c_str());
    EXPECT_EQ(rmdir(folder.c_str()), 0);
    setenv("TALLY_RT_CACHE", "off", 1);
  }

  std::vector<std::string> list() const {
    std::vector<std::string> names;
    DIR *directory = opendir(folder.c_str());
    while (const dirent *entry = readdir(directory))
      if (entry->d_name[0] != '.')
        names.push_back(entry->d_name);
    closedir(directory);
    return names;
  }

  /// The path of the only file.
  std::string getPath() const {
    std::vector<std::string> names = list();
    EXPECT_EQ(names.size(), 1u);
    return folder + "/" + names.front();
  }

  bool isThere(const WeightKey &key) const {
    WeightMemory found = mapWeights(key, weights.size());
    return found &&
           std::memcmp(found.get(), weights.data(), weights.size()) == 0;
  }

  bool store(const WeightKey &key) const {
    WeightMemory found = storeWeights(key, weights.data(), weights.size());
    return found &&
           std::memcmp(found.get(), weights.data(), weights.size()) == 0;
  }

  /// Turns the bits of a byte of the file.
  void damage(long offset) const {
    std::fstream file(getPath(),
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(offset);
    int byte = file.get();
    file.seekp(offset);
    file.put(char(~byte));
  }

  /// What was wrong with a file is not there, until it is stored again.
  void expectRepaired() const {
    EXPECT_FALSE(isThere(key));
    EXPECT_TRUE(store(key));
    EXPECT_TRUE(isThere(key));
    EXPECT_EQ(list().size(), 1u);
  }

  const WeightKey key{{1, 2, 3, 4}, "some panels"};
  std::string folder;
  std::vector<char> weights = std::vector<char>(70001);
};

TEST_F(WeightFilesTest, WhatWasStoredIsThere) {
  EXPECT_FALSE(isThere(key));
  EXPECT_TRUE(store(key));
  EXPECT_TRUE(isThere(key));
  EXPECT_FALSE(mapWeights(key, weights.size() - 1));
  EXPECT_FALSE(isThere({{1, 2, 3, 5}, key.description}));
  EXPECT_FALSE(isThere({{1, 2, 3, 4}, "other panels"}));
  // Another process gets the file that is there.
  struct stat before = {}, after = {};
  ASSERT_EQ(stat(getPath().c_str(), &before), 0);
  EXPECT_EQ(before.st_mode & 0777, 0600u);
  EXPECT_TRUE(store(key));
  ASSERT_EQ(stat(getPath().c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(WeightFilesTest, DamageIsNoticed) {
  ASSERT_TRUE(store(key));
  long end = 4096 + long(weights.size());
  for (long offset : {0L, 8L, 16L, 24L, 55L, 56L, 60L, 4095L, 4096L, 4097L,
                      4096L + 63, 40000L, end - 1}) {
    SCOPED_TRACE(offset);
    damage(offset);
    expectRepaired();
  }
  for (long size : {0L, 100L, 4096L, end - 1, end + 1}) {
    SCOPED_TRACE(size);
    ASSERT_EQ(truncate(getPath().c_str(), size), 0);
    expectRepaired();
  }
}

TEST_F(WeightFilesTest, FilesOfOthersAreNotRead) {
  ASSERT_TRUE(store(key));
  for (mode_t mode : {0620, 0602}) {
    ASSERT_EQ(chmod(getPath().c_str(), mode), 0);
    expectRepaired();
  }
  for (mode_t mode : {0720, 0702}) {
    ASSERT_EQ(chmod(folder.c_str(), mode), 0);
    EXPECT_FALSE(isThere(key));
    EXPECT_FALSE(store(key));
  }
  ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
  EXPECT_TRUE(isThere(key));
  if (geteuid() == 0) {
    ASSERT_EQ(chown(getPath().c_str(), 65534, 65534), 0);
    expectRepaired();
    ASSERT_EQ(chown(folder.c_str(), 65534, 65534), 0);
    EXPECT_FALSE(isThere(key));
    EXPECT_FALSE(store(key));
    ASSERT_EQ(chown(folder.c_str(), 0, 0), 0);
  }
  // A link to a file that is right.
  std::string path = getPath(), moved = folder + "/moved";
  ASSERT_EQ(rename(path.c_str(), moved.c_str()), 0);
  ASSERT_EQ(symlink(moved.c_str(), path.c_str()), 0);
  EXPECT_FALSE(isThere(key));
  EXPECT_TRUE(store(key));
  EXPECT_TRUE(isThere(key));
}

TEST_F(WeightFilesTest, FoldersThatCannotBeUsed) {
  for (const char *path :
       {"", "off", "/proc", "/dev/null", "/tmp/no/such/folder"}) {
    setenv("TALLY_RT_CACHE", path, 1);
    EXPECT_FALSE(store(key)) << path;
    EXPECT_FALSE(isThere(key)) << path;
  }
  // The folder is made.
  std::string inner = folder + "/inner";
  setenv("TALLY_RT_CACHE", inner.c_str(), 1);
  EXPECT_TRUE(store(key));
  unsetenv("TALLY_RT_CACHE");
  setenv("XDG_CACHE_HOME", "not/absolute", 1);
  std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  setenv("HOME", "/", 1);
  if (geteuid() != 0)
    EXPECT_FALSE(store(key));
  setenv("HOME", inner.c_str(), 1);
  EXPECT_FALSE(isThere(key));
  EXPECT_TRUE(store(key));
  setenv("XDG_CACHE_HOME", inner.c_str(), 1);
  EXPECT_FALSE(isThere(key));
  EXPECT_TRUE(store(key));
  EXPECT_EQ(std::system(("rm -r " + inner).c_str()), 0);
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", home.c_str(), 1);
}

TEST_F(WeightFilesTest, OldFilesAreRemoved) {
  ASSERT_TRUE(store(key));
  std::string path = getPath(), draft = path + ".1.2.3";
  std::string other = folder + "/other.weights";
  auto write = [](const std::string &name, time_t days) {
    std::ofstream(name, std::ios::app).flush();
    timespec past = {time(nullptr) - days * 24 * 60 * 60, 0};
    timespec times[] = {past, past};
    ASSERT_EQ(utimensat(AT_FDCWD, name.c_str(), times, 0), 0);
  };
  auto isLeft = [](const std::string &name) {
    return access(name.c_str(), F_OK) == 0;
  };
  write(path, 29);
  write(draft, 0);
  write(other, 100);
  EXPECT_TRUE(store({{1}, "first"}));
  EXPECT_TRUE(isLeft(path) && isLeft(draft) && isLeft(other));
  write(path, 31);
  write(draft, 2);
  EXPECT_TRUE(store({{2}, "second"}));
  EXPECT_FALSE(isLeft(path) || isLeft(draft));
  EXPECT_TRUE(isLeft(other));
  EXPECT_EQ(list().size(), 3u);
}

/// A limit would end the process if more were written.
TEST_F(WeightFilesTest, FilesAreLimited) {
  pid_t child = fork();
  if (child == 0) {
    rlimit limit = {weights.size(), weights.size()};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(store(key) ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(list().empty());
}

TEST_F(WeightFilesTest, ManyProcessesShareOneFile) {
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    children.push_back(fork());
    if (children.back() == 0) {
      bool isRight = true;
      for (uint64_t round = 0; round < 50; ++round)
        isRight &= store({{round}, "panels"}) && isThere({{round}, "panels"});
      _exit(isRight ? 0 : 1);
    }
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(list().size(), 50u);
}

/// Multiplies by b, whose columns lie along memory.
std::vector<float> multiply(const std::vector<float> &b, int64_t n,
                            tally_rt_packed *place) {
  const int64_t m = 20, k = int64_t(b.size()) / n,
                type = TALLY_RT_DATA_TYPE(kDLFloat, 32);
  tally_rt_library library = {};
  std::vector<float> a(size_t(m * k)), c(size_t(m * n));
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = float(i % 13) - 6;
  tally_rt_context *ctx = tally_rt_context_create(nullptr);
  ctx->library = &library;
  tally_rt_host_matmul_args args = {
      m,      n,      k, a.data(), b.data(), c.data(), {k, 1},
      {1, k}, {n, 1}, 0, nullptr,  type,     type,     place};
  EXPECT_EQ(tally_rt_host_matmul(ctx, &args), TALLY_RT_OK);
  tally_rt_context_destroy(ctx);
  tally_rt_release_library(&library);
  return c;
}

/// A file whose panels are not those of the constant is not used, even if it
/// says so; nor is one of another constant that nothing is known of.
TEST_F(WeightFilesTest, PanelsOfOtherConstants) {
  const int64_t n = 150, k = 300;
  for (uint64_t word : {0, 7}) {
    std::vector<float> b(size_t(n * k));
    for (float start : {0.0f, 1.0f, 1.0f, 0.0f}) {
      for (size_t i = 0; i < b.size(); ++i)
        b[i] = start + float(i % 11);
      tally_rt_packed place = {nullptr, {word, 0, 0, 0}};
      EXPECT_EQ(multiply(b, n, &place), multiply(b, n, nullptr));
      EXPECT_NE(place.data, nullptr);
    }
    EXPECT_EQ(list().size(), word == 0 ? 2u : 3u);
  }
}

TEST(WeightHashTest, EachByteMatters) {
  std::vector<char> bytes(200, 0);
  uint64_t hash = hashWeights(bytes.data(), bytes.size());
  EXPECT_NE(hash, hashWeights(bytes.data(), bytes.size() - 1));
  for (char &byte : bytes)
    for (int bit = 0; bit < 8; ++bit) {
      byte = char(1 << bit);
      EXPECT_NE(hash, hashWeights(bytes.data(), bytes.size()));
      byte = 0;
    }
  // The same two bits of two words of one lane.
  bytes[7] = bytes[71] = char(0x80);
  EXPECT_NE(hash, hashWeights(bytes.data(), bytes.size()));
}

} // namespace
