#include "worker/io/term_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>

#include "tests/worker/temporary_folder.h"

namespace cox {
namespace {

class TermFileTest : public ::testing::Test {
 protected:
  // Blocks the name of the temporary file beside the term file, so that no new file can be written,
  // as on a full disk. It works for root too.
  void let_nothing_be_written_beside() {
    const std::string beside = path + "." + std::to_string(::getpid()) + ".tmp";
    ASSERT_EQ(::mkdir(beside.c_str(), 0700), 0);
  }
  Term found() { return TermFile(folder.path()).load(); }

  TemporaryFolder folder;
  std::string path = folder / "term";
  TermFile terms{folder.path()};
};

TEST_F(TermFileTest, StoresTheTerm) {
  EXPECT_EQ(terms.load(), Term{0});
  EXPECT_FALSE(terms.keep(Term{7}));
  EXPECT_EQ(found(), Term{7});
}

TEST_F(TermFileTest, StoresTheTermEvenIfNoNewFileCanBeWritten) {
  terms.load();
  let_nothing_be_written_beside();
  const Term longest{std::numeric_limits<std::int64_t>::max()};
  for (const Term term : {Term{9}, Term{10}, longest}) {
    EXPECT_FALSE(terms.keep(term));
    EXPECT_EQ(found(), term);
  }
}

// keep() returns an error, and the stored term stays, so that the worker does not obey a term that
// it would forget.
TEST_F(TermFileTest, ReportsThatTheTermCannotBeStored) {
  let_nothing_be_written_beside();
  EXPECT_TRUE(terms.keep(Term{7}));
  EXPECT_EQ(found(), Term{0});
  write_text(path, "5\n");  // as the previous version wrote it: no space is reserved
  EXPECT_TRUE(terms.keep(Term{7}));
  EXPECT_EQ(found(), Term{5});
}

// Term 0 would obey a leader that was replaced long ago.
TEST_F(TermFileTest, ATermThatCannotBeReadIsNotTerm0) {
  EXPECT_FALSE(terms.check()) << "a new spool";
  for (const char* damaged : {"", "\n", "seven\n", "7", "7\n8\n", "-7\n", "7 \n"}) {
    write_text(path, damaged);
    EXPECT_TRUE(terms.check()) << damaged;
    EXPECT_EQ(found(), Term{std::numeric_limits<std::int64_t>::max()}) << damaged;
  }
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  const Failure why = terms.check();
  ASSERT_TRUE(why);
  EXPECT_NE(why->fact.find("Is a directory"), std::string::npos) << why->fact;
}

TEST_F(TermFileTest, ReservesItsSpaceWhenItIsLoaded) {
  write_text(path, "5\n");
  EXPECT_EQ(terms.load(), Term{5});
  let_nothing_be_written_beside();
  EXPECT_FALSE(terms.keep(Term{6}));
  EXPECT_EQ(found(), Term{6});
}

}  // namespace
}  // namespace cox
