// Tests the keys under which the database stores scripts and environments.
#include "controller/change/blob_key.h"

#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

TEST(BlobKey, a_key_is_the_user_and_the_sha_256_of_the_content) {
  EXPECT_EQ(blob_key(1000, "abc"),
            "sha256:1000:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(blob_key(0, ""),
            "sha256:0:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_NE(blob_key(1000, "abc"), blob_key(1001, "abc"))
      << "the blob of one user never stands for another user's";
}

class BlobKeys : public testing::Test, public Bench {};

// The keys are made with SHA-256. XXH3 would not do: anybody can make two scripts with the same
// XXH3 hash.
TEST_F(BlobKeys, jobs_store_the_keys_of_their_script_and_environment) {
  const JobId id = submit({.with = [](JobSpec& s) {
    s.form = JobForm::Batch;
    s.command = {};
  }});
  EXPECT_EQ(job(id).job.spec->script_hash, blob_key(1000, "#!/bin/sh\n"));
  EXPECT_EQ(job(id).job.spec->environment_hash, blob_key(1000, std::string("A=1\0", 4)));
}

// The rows have keys of another length, as an older version wrote them.
TEST_F(BlobKeys, scripts_stored_under_keys_of_an_older_version_are_still_launched) {
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
  row.spec = spec;
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
