// The keys of scripts and environments.
#include "controller/change/blob_key.h"

#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

TEST(BlobKey, is_sha_256_of_the_content_behind_the_user) {
  EXPECT_EQ(blob_key(1000, "abc"),
            "sha256:1000:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(blob_key(0, ""),
            "sha256:0:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_NE(blob_key(1000, "abc"), blob_key(1001, "abc"))
      << "one user's never stands for another's";
}

class BlobKeys : public testing::Test, public Bench {};

// XXH3 is made to be fast: anybody can find two scripts with one key.
TEST_F(BlobKeys, jobs_are_stored_by_them) {
  const JobId id = submit({.with = [](JobSpec& s) {
    s.form = JobForm::Batch;
    s.command = {};
  }});
  EXPECT_EQ(job(id).job.spec->script_hash, blob_key(1000, "#!/bin/sh\n"));
  EXPECT_EQ(job(id).job.spec->environment_hash, blob_key(1000, std::string("A=1\0", 4)));
}

// A job that a version before accepted, and its rows.
TEST_F(BlobKeys, rows_of_an_older_version_are_still_read) {
  const std::string old_script(32, 'a');
  const std::string old_environment(32, 'b');
  const JobId id = submit({.with = [](JobSpec& s) {
    s.form = JobForm::Batch;
    s.command = {};
  }});
  Job& row = database->tables.jobs.at(id);
  JobSpec spec = *row.spec;
  spec.script_hash = old_script;
  spec.environment_hash = old_environment;
  row.spec = Shared<JobSpec>(spec);
  database->tables.blobs[old_script] = "#!/bin/sh\necho old\n";
  database->tables.blobs[old_environment] = std::string("OLD=1\0", 6);
  restart();
  node("n1", 4);
  const auto prepares = take<Prepare>();
  ASSERT_EQ(prepares.size(), 1u);
  EXPECT_EQ(prepares[0].second.launch.script, "#!/bin/sh\necho old\n");
  EXPECT_EQ(prepares[0].second.launch.environment, std::string("OLD=1\0", 6));
}

}  // namespace
}  // namespace cox
