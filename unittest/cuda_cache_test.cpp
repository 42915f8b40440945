// links: runtime
// Compiled kernels on disk.
#include "cuda_fixture.h"

#include <set>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "runtime/code_cache.h"

using namespace bsgp::test;
using bsgp::runtime::CodeCache;
using bsgp::runtime::Hash128;
using bsgp::runtime::hash128;
namespace fs = std::filesystem;

namespace {

class CodeCacheTest : public testing::Test {
protected:
  std::vector<fs::path> files() const {
    std::set<fs::path> sorted;
    for (auto& entry : fs::directory_iterator(folder.path))
      sorted.insert(entry.path());
    return {sorted.begin(), sorted.end()};
  }
  void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
  std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TempFolder folder;
  CodeCache cache{folder.path, 1 << 20};
  const Hash128 key = hash128("key");
  const std::string code = std::string("machine\0code", 12), other = std::string(5000, 'o');
};

class CudaCacheTest : public CudaTest {
protected:
  CudaCacheTest() { unsetenv("BSGP_CACHE"); }

  // A new process, as far as the driver can see.
  int32_t runOnce() {
    open();
    TestPlan plan;
    plan.step(BSGP_STEP_LAUNCH, plan.kernel(nullptr, {}, 1, "one", code.kernel()));
    Frame frame{10};
    int32_t status = run(plan, frame);
    compiled = count("cuLinkCreate_v2");
    context.reset();
    return status;
  }
  fs::path file() {
    auto at = fs::directory_iterator(folder.path);
    return at == fs::directory_iterator() ? fs::path() : at->path();
  }

  TempFolder folder;
  Environment where{"BSGP_CACHE_DIR", folder.path};
  TestCode code{"kernel one 3\n"};
  int compiled = 0;
};

} // namespace

TEST(Hash128, IsTheFunctionItsAuthorPublished) {
  EXPECT_EQ(hash128("").hex(), "00000000000000000000000000000000");
  EXPECT_EQ(hash128("hello").hex(), "5b1e906a48ae1d19cbd8a7b341bd9b02");
  EXPECT_EQ(hash128("The quick brown fox jumps over the lazy dog").hex(), "7a433ca9c49a9347e34bbc7bbc071b6c");
}

TEST_F(CodeCacheTest, FindsWhatItKeeps) {
  EXPECT_FALSE(cache.find(key));
  cache.keep(key, code);
  EXPECT_EQ(cache.find(key), code);
  EXPECT_FALSE(cache.find(hash128("another key")));
  cache.keep(key, other);
  EXPECT_EQ(cache.find(key), other);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(CodeCacheTest, DoesNotTakeADamagedFile) {
  cache.keep(key, other);
  fs::path path = files().at(0);
  std::string whole = read(path);
  for (size_t at = 0; at < whole.size(); at += at < 64 ? 1 : 997) {
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 4);
    write(path, damaged);
    EXPECT_FALSE(cache.find(key)) << at;
  }
  for (size_t length : {size_t(0), size_t(20), size_t(48), whole.size() - 1}) {
    write(path, whole.substr(0, length));
    EXPECT_FALSE(cache.find(key)) << length;
  }
  write(path, whole + "x");
  EXPECT_FALSE(cache.find(key));
  fs::rename(path, folder.path / (hash128("another key").hex() + ".code"));
  write(folder.path / (hash128("another key").hex() + ".code"), whole);
  EXPECT_FALSE(cache.find(hash128("another key"))) << "made of something else";
  cache.keep(key, other);
  EXPECT_EQ(cache.find(key), other);
}

TEST_F(CodeCacheTest, TakesNothingButPlainFiles) {
  fs::path path = folder.path / (key.hex() + ".code");
  fs::create_directory(path);
  EXPECT_FALSE(cache.find(key));
  cache.keep(key, code);
  EXPECT_EQ(cache.find(key), code) << "an empty folder makes way";
  fs::remove(path);
  fs::create_directories(path / "something");
  EXPECT_FALSE(cache.find(key));
  cache.keep(key, code);
  EXPECT_FALSE(cache.find(key));
  EXPECT_TRUE(fs::exists(path / "something"));
  EXPECT_EQ(files().size(), 1u) << "nothing unfinished is left";
  fs::remove_all(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(cache.find(key)) << "nobody waits for a writer";
  fs::remove(path);
  fs::create_symlink("/dev/zero", path);
  EXPECT_FALSE(cache.find(key)) << "it has no end";
  fs::remove(path);
  fs::create_symlink(path, path);
  EXPECT_FALSE(cache.find(key));
}

TEST_F(CodeCacheTest, DoesNotTakeWhatAnotherUserWrote) {
  cache.keep(key, code);
  if (geteuid() != 0)
    GTEST_SKIP() << "giving a file away takes root's rights";
  ASSERT_EQ(chown(files().at(0).c_str(), 12345, 12345), 0);
  EXPECT_FALSE(cache.find(key));
  cache.keep(key, other);
  EXPECT_EQ(cache.find(key), other);
}

TEST_F(CodeCacheTest, StaysWithinItsBound) {
  using namespace std::chrono_literals;
  write(folder.path / "letter.txt", std::string(2'000'000, 'x'));
  auto keyOf = [](int i) { return hash128(std::to_string(i)); };
  std::string quarter(250'000, 'q');
  for (int i = 0; i < 4; ++i) {
    cache.keep(keyOf(i), quarter);
    fs::last_write_time(folder.path / (keyOf(i).hex() + ".code"), fs::file_time_type::clock::now() - 100s + i * 1s);
  }
  EXPECT_TRUE(cache.find(keyOf(0))); // used: now it is the youngest
  cache.keep(keyOf(4), quarter);
  EXPECT_TRUE(cache.find(keyOf(0)));
  EXPECT_FALSE(cache.find(keyOf(1))) << "the one whose last use is longest ago";
  EXPECT_TRUE(cache.find(keyOf(2)));
  EXPECT_TRUE(cache.find(keyOf(4)));
  EXPECT_TRUE(fs::exists(folder.path / "letter.txt")) << "not ours";
  cache.keep(keyOf(5), std::string(2'000'000, 'b'));
  EXPECT_FALSE(cache.find(keyOf(5))) << "larger than all of it may be";
  EXPECT_TRUE(cache.find(keyOf(2)));
}

TEST_F(CodeCacheTest, TakesManyWritersAtATime) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  std::string codes[] = {std::string(100'000, 'a'), std::string(70'000, 'b')};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        cache.keep(key, codes[t % 2]);
        auto found = cache.find(key);
        wrong += !found || (*found != codes[0] && *found != codes[1]);
      }
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(files().size(), 1u) << "nothing unfinished is left";
}

TEST_F(CodeCacheTest, DoesWithoutAFolderItCannotMake) {
  write(folder.path / "file", "");
  CodeCache nowhere(folder.path / "file" / "below", 1 << 20);
  nowhere.keep(key, code);
  EXPECT_FALSE(nowhere.find(key));
}

TEST_F(CodeCacheTest, LivesWhereTheEnvironmentSays) {
  Environment on("BSGP_CACHE", "1"), xdg("XDG_CACHE_HOME", "/some/caches");
  EXPECT_EQ(CodeCache::fromEnvironment()->folder(), "/some/caches/bsgp");
  Environment given("BSGP_CACHE_DIR", "/some/folder");
  EXPECT_EQ(CodeCache::fromEnvironment()->folder(), "/some/folder");
  Environment off("BSGP_CACHE", "0");
  EXPECT_EQ(CodeCache::fromEnvironment()->folder(), "");
}

TEST_F(CudaCacheTest, CompilesOnce) {
  ASSERT_EQ(runOnce(), BSGP_OK) << error();
  EXPECT_EQ(compiled, 1);
  ASSERT_EQ(runOnce(), BSGP_OK) << error();
  EXPECT_EQ(compiled, 0);
}

TEST_F(CudaCacheTest, CompilesAgainForOtherCodeAndOtherGpus) {
  ASSERT_EQ(runOnce(), BSGP_OK);
  code.ptx += "kernel two 3\n";
  ASSERT_EQ(runOnce(), BSGP_OK);
  EXPECT_EQ(compiled, 1);
  fake->capability = 90;
  ASSERT_EQ(runOnce(), BSGP_OK);
  EXPECT_EQ(compiled, 1);
  ASSERT_EQ(runOnce(), BSGP_OK);
  EXPECT_EQ(compiled, 0);
}

TEST_F(CudaCacheTest, CompilesAgainWhatIsDamaged) {
  ASSERT_EQ(runOnce(), BSGP_OK);
  fs::resize_file(file(), fs::file_size(file()) - 3);
  ASSERT_EQ(runOnce(), BSGP_OK);
  EXPECT_EQ(compiled, 1);
  ASSERT_EQ(runOnce(), BSGP_OK);
  EXPECT_EQ(compiled, 0) << "it was replaced";
}

TEST_F(CudaCacheTest, CompilesAgainWhatTheDriverDoesNotTake) {
  ASSERT_EQ(runOnce(), BSGP_OK);
  fake->failures["cuModuleLoadDataEx"] = {fake->counts["cuModuleLoadDataEx"] + 1, 200};
  ASSERT_EQ(runOnce(), BSGP_OK);
  EXPECT_EQ(compiled, 1);
}

TEST_F(CudaCacheTest, CanBeTurnedOff) {
  Environment off("BSGP_CACHE", "0");
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(runOnce(), BSGP_OK);
    EXPECT_EQ(compiled, 1);
  }
  EXPECT_TRUE(fs::is_empty(folder.path));
}

TEST_F(CudaCacheTest, DoesWithoutAFolderItMayNotWriteTo) {
  fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
  Environment below("BSGP_CACHE_DIR", folder.path / "below");
  if (geteuid() == 0) { // root may write to any folder, but not below a file
    fs::permissions(folder.path, fs::perms::owner_all);
    std::ofstream(folder.path / "below") << "a file";
  }
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(runOnce(), BSGP_OK) << error();
    EXPECT_EQ(compiled, 1);
  }
}
