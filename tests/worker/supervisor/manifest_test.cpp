// Tests manifests of saved steps. They are in a folder that the job's user may write, so only text
// in the exact form that a supervisor writes is accepted.
#include "worker/supervisor/manifest.h"

#include <gtest/gtest.h>

#include "common/base/content_hash.h"
#include "common/base/limits.h"

namespace cox {
namespace {

const std::string hash(32, 'a');

// Returns a manifest of these lines, with a valid last line that has the right hash.
std::string ended(const std::string& lines) {
  const std::string text = "coxswain-manifest 1\n" + lines;
  return text + "end " + content_hash(text) + "\n";
}

TEST(Manifest, IsReadAsItWasWritten) {
  const Manifest manifest{
      "", {{"rank-0/model.pt", 3'000'000, hash}, {"rank-0/a b%\n\x7f\xff", 0, hash}}};
  const std::string text = manifest_text(manifest);
  EXPECT_EQ(text, ended("3000000 " + hash + " rank-0/model.pt\n0 " + hash +
                        " rank-0/a b%25%0A%7F\xff\n"));
  EXPECT_EQ(parse_manifest(text), manifest);
  EXPECT_EQ(parse_manifest(manifest_text({})), Manifest{});
}

TEST(Manifest, NamesTheJobThatSavedIt) {
  const Manifest manifest{"0123abcd-99", {{"rank-0", 7, hash}}};
  const std::string text = manifest_text(manifest);
  EXPECT_TRUE(text.starts_with("coxswain-manifest 2 0123abcd-99\n"));
  EXPECT_EQ(parse_manifest(text), manifest);
  for (const std::string& identity : {std::string(), std::string("a b"), std::string("../a")}) {
    const std::string lines = "coxswain-manifest 2 " + identity + "\n";
    EXPECT_FALSE(parse_manifest(lines + "end " + content_hash(lines) + "\n")) << identity;
  }
}

TEST(Manifest, IsRejectedInAnyOtherForm) {
  EXPECT_TRUE(parse_manifest(ended("7 " + hash + " a\n")));
  for (const std::string& lines :
       {"-7 " + hash + " a\n", "07 " + hash + " a\n", " 7 " + hash + " a\n", "7  " + hash + " a\n",
        "7 " + hash + "\n", "7 " + hash + " \n", "7 " + hash + " a", "7 " + hash + " %0a\n",
        "7 " + hash + " %41\n", "7 " + hash + " a%00b\n", "7 " + hash + " a%zz\n",
        "7 " + hash + " a%\n", "99999999999999999999 " + hash + " a\n", std::string("\n"),
        "7 " + hash + " a\x1b\n", std::string("end x\n")})
    EXPECT_FALSE(parse_manifest(ended(lines))) << lines;
  for (const std::string& text : {std::string(), std::string("\n"), std::string("end "),
                                  ended("") + "x", ended("").substr(1), "\n" + ended("")})
    EXPECT_FALSE(parse_manifest(text)) << text;
}

TEST(Manifest, HasALimitOfFiles) {
  std::string lines;
  for (std::size_t i = 0; i < limits::checkpoint_files_max; ++i) lines += "7 " + hash + " a\n";
  EXPECT_TRUE(parse_manifest(ended(lines)));
  EXPECT_FALSE(parse_manifest(ended(lines + "7 " + hash + " a\n")));
}

}  // namespace
}  // namespace cox
