// Tests how Slurm's patterns in names of output files, such as %j, are replaced.
#include "common/job/output_path.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

JobSpec a_spec(JobForm form) {
  JobSpec spec;
  spec.form = form;
  spec.name = "train";
  spec.user_name = "ada";
  spec.work_dir = "/home/ada";
  return spec;
}

OutputPlace rank_seven() {
  OutputPlace place;
  place.key = {JobId{17}, AttemptNumber{1}};
  place.node = "n5.cluster.org";
  place.node_index = 3;
  place.rank = 7;
  return place;
}

OutputPlace task_of_array() {
  OutputPlace place = rank_seven();
  place.array_job = JobId{12};
  place.array_task = 4;
  return place;
}

std::string filled(const std::string& pattern, JobForm form, const OutputPlace& place) {
  return fill_pattern(pattern, a_spec(form), place);
}

constexpr auto every_letter = "%j %A %a %J %s %t %n %N %u %x %%";

}  // namespace

TEST(OutputPath, FillsInEveryPatternForARankOfAGang) {
  EXPECT_EQ(filled(every_letter, JobForm::Gang, rank_seven()),
            "17 17 4294967294 17.0 0 7 3 n5 ada train %");
}

TEST(OutputPath, ABatchScriptHasNoStepNumber) {
  EXPECT_EQ(filled(every_letter, JobForm::Batch, rank_seven()),
            "17 17 4294967294 17 batch 7 3 n5 ada train %");
}

TEST(OutputPath, AStepOfSrunHasItsNumberInABatchJobToo) {
  for (const JobForm form : {JobForm::Batch, JobForm::Gang}) {
    OutputPlace place = rank_seven();
    place.step = 0;
    EXPECT_EQ(filled("%J %s", form, place), "17.0 0");
    place.step = 2;
    EXPECT_EQ(filled("%J %s", form, place), "17.2 2");
  }
}

TEST(OutputPath, ATaskOfAnArrayHasTheNumberOfItsArray) {
  EXPECT_EQ(filled("%j %A %a", JobForm::Batch, task_of_array()), "17 12 4");
  OutputPlace first = task_of_array();
  first.array_task = 0;
  EXPECT_EQ(filled("%A_%a", JobForm::Batch, first), "12_0");
}

TEST(OutputPath, NumbersArePaddedToTenDigitsAtMost) {
  EXPECT_EQ(filled("%3t %1j %4A %02a %9u", JobForm::Gang, task_of_array()), "007 17 0012 04 ada");
  EXPECT_EQ(filled("%10t", JobForm::Gang, rank_seven()), "0000000007");
  EXPECT_EQ(filled("%11t", JobForm::Gang, rank_seven()), "0000000007");
  EXPECT_EQ(filled("%99999999999999999999t", JobForm::Gang, rank_seven()), "0000000007");
}

TEST(OutputPath, AnUnknownLetterStaysAsItIs) {
  EXPECT_EQ(filled("%q %3q 5% %5", JobForm::Gang, rank_seven()), "%q %3q 5% %5");
  EXPECT_EQ(filled("100j", JobForm::Gang, rank_seven()), "100j");
}

TEST(OutputPath, ABackslashSwitchesAllPatternsOff) {
  EXPECT_EQ(filled("a\\%j\\\\b", JobForm::Gang, rank_seven()), "a%jb");
}

TEST(OutputPath, HasADefaultForGangsAndForBatchScripts) {
  EXPECT_EQ(output_path(a_spec(JobForm::Batch), rank_seven()), "/home/ada/slurm-17.out");
  EXPECT_EQ(output_path(a_spec(JobForm::Gang), rank_seven()), "/home/ada/slurm-17.7.out");
  EXPECT_EQ(output_path(a_spec(JobForm::Batch), task_of_array()), "/home/ada/slurm-12_4.out");
  OutputPlace first = task_of_array();
  first.array_task = 0;
  EXPECT_EQ(output_path(a_spec(JobForm::Gang), first), "/home/ada/slurm-12_0.7.out");
}

TEST(OutputPath, IsAbsoluteFromTheWorkingDirectory) {
  JobSpec spec = a_spec(JobForm::Batch);
  spec.output = "logs/%j";
  EXPECT_EQ(output_path(spec, rank_seven()), "/home/ada/logs/17");
  spec.work_dir = "/";
  EXPECT_EQ(output_path(spec, rank_seven()), "/logs/17");
  spec.output = "/var/%j";
  EXPECT_EQ(output_path(spec, rank_seven()), "/var/17");
}

TEST(OutputPath, ErrorsJoinTheOutputAndInputIsEmptyUnlessTheyAreNamed) {
  JobSpec spec = a_spec(JobForm::Batch);
  spec.output = "out";
  EXPECT_EQ(error_path(spec, rank_seven()), "/home/ada/out");
  EXPECT_EQ(input_path(spec, rank_seven()), "/dev/null");
  spec.error = "err-%j";
  spec.input = "/data/in-%j";
  EXPECT_EQ(error_path(spec, rank_seven()), "/home/ada/err-17");
  EXPECT_EQ(input_path(spec, rank_seven()), "/data/in-17");
}

}  // namespace cox
