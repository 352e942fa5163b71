// Tests that seff, sstat and sacct --json print what Slurm prints.
#include <nlohmann/json.hpp>

#include "client/slurm/records/sstat.h"
#include "tests/client/sacct_story.h"

namespace cox::test {
namespace {

std::string seff(const JobRecord& record) {
  const std::string id = std::to_string(record.job.id.value);
  return shown_by("seff", a_page({record}), slurm_options<SeffOptions>("seff", {id})).out;
}

TEST(Seff, ShowsHowMuchOfItsGrantAJobUsed) {
  JobRecord done = a_run_record(10, JobState::Completed);
  done.steps = {a_step(10, 0, JobState::Completed)};
  EXPECT_EQ(seff(done),
            "Job ID: 10\n"
            "Cluster: ocean\n"
            "User/Group: ann/users\n"
            "State: COMPLETED (exit code 0)\n"
            "Nodes: 2\n"
            "Cores per node: 2\n"
            "CPU Utilized: 00:01:06\n"
            "CPU Efficiency: 2.75% of 00:40:00 core-walltime\n"
            "Job Wall-clock time: 00:10:00\n"
            "Memory Utilized: 256.00 MB\n"
            "Memory Efficiency: 6.25% of 4.00 GB (2.00 GB/node)\n");
}

TEST(Seff, ShowsPendingAndRunningJobsAndRefusesUnknownJobs) {
  EXPECT_EQ(seff(a_record(10, JobState::Pending)),
            "Job ID: 10\nCluster: ocean\nUser/Group: ann/users\nState: PENDING\nCores: 1\n"
            "Efficiency not available for jobs in the PENDING state.\n");
  EXPECT_NE(seff(a_run_record(10, JobState::Running)).find("State: RUNNING\n"), std::string::npos);
  const Shown none = shown_by("seff", a_page({}), slurm_options<SeffOptions>("seff", {"7"}));
  EXPECT_EQ(none.err, "Job not found.\n");
  EXPECT_EQ(none.exit_code, 2);
}

std::vector<SampledStep> two_nodes() {
  return {{"10.0",
           {{"n1", {{100, 0, 0, 61'000, 1024, 4096, 0, 512, 3}, {101, 0, 1, 1'000, 512, 2048}}},
            {"n2", {{200, 0, 2, 30'000, 2048, 4096}, {201, 0, 2, 2'000, 128, 4096}}}}}};
}

std::string sstat(const std::vector<SampledStep>& steps, const std::vector<std::string>& words) {
  return show_samples(steps, slurm_options<SstatOptions>("sstat", words)).out;
}

TEST(Sstat, ShowsTheCurrentUsageOfTheTasksOfAStep) {
  EXPECT_EQ(sstat(two_nodes(), {"-j", "10.0", "-P", "-o",
                                "jobid,ntasks,nodelist,avecpu,mincpu,mincputask,maxrss,maxrssnode,"
                                "maxrsstask,averss,maxvmsize,maxdiskwrite,maxpages"}),
            "JobID|NTasks|Nodelist|AveCPU|MinCPU|MinCPUTask|MaxRSS|MaxRSSNode|MaxRSSTask|AveRSS|"
            "MaxVMSize|MaxDiskWrite|MaxPages\n"
            "10.0|3|n[1-2]|00:00:31|00:00:01|1|2M|n2|2|1223338|4M|512|3\n");
  EXPECT_EQ(sstat(two_nodes(), {"-i", "-j", "10"}),
            "JobID                    Nodelist                 Pids \n"
            "------------ -------------------- -------------------- \n"
            "10.0                           n1              100,101 \n"
            "10.0                           n2              200,201 \n");
  EXPECT_EQ(sstat(two_nodes(), {"-n", "-p", "-j10", "-o", "tresusageintot"}),
            "cpu=00:01:34,fs/disk=0,mem=3.50M,pages=3,vmem=10M|\n");
}

TEST(Sstat, PrintsJson) {
  const auto json = nlohmann::json::parse(samples_json(two_nodes(), {}));
  ASSERT_EQ(json.at("steps").size(), 1u);
  const auto& step = json.at("steps").at(0);
  EXPECT_EQ(step.at("step").at("id"), "10.0");
  EXPECT_EQ(step.at("nodes").at("range"), "n[1-2]");
  EXPECT_GT(step.at("tasks").at("count"), 0);
  EXPECT_EQ(step.at("used").at("cpu_ms").at("total").get<std::int64_t>() / 1000, 94);
  EXPECT_TRUE(step.at("used").at("rss_bytes").at("maximum").at("node").is_string());
}

TEST(Sstat, SelectsTheLowestRunningStepOrAllOrTheScript) {
  Job job = a_run_record(10, JobState::Running).job;
  std::vector<StepView> steps(3);
  for (std::int32_t k = 0; k < 3; ++k)
    steps[static_cast<std::size_t>(k)].step =
        a_step(10, k, k == 0 ? JobState::Completed : JobState::Running);
  const auto selected = [&](std::int32_t step, bool all) {
    const auto numbers = steps_to_sample({JobId{10}, "", step}, job, steps, all);
    return numbers ? *numbers : std::vector<std::int32_t>{-9};
  };
  using Numbers = std::vector<std::int32_t>;
  EXPECT_EQ(selected(RecordSelector::all, false), Numbers{1});
  EXPECT_EQ(selected(RecordSelector::all, true), (Numbers{-1, 1, 2}));
  EXPECT_EQ(selected(RecordSelector::batch, false), Numbers{-1});
  EXPECT_EQ(selected(2, false), Numbers{2});
  EXPECT_EQ(selected(0, false), Numbers{-9}) << "step 0 has ended";
  steps.clear();
  EXPECT_EQ(steps_to_sample({JobId{10}, "", RecordSelector::all}, job, steps, false).refusal().fact,
            "no steps running for job 10");
}

TEST(Sstat, RefusesMissingAndWrongJobs) {
  EXPECT_EQ(show_sample_help(slurm_options<SstatOptions>("sstat", {}))->err,
            "sstat: error: You didn't give me any jobs to stat.\n");
  EXPECT_EQ(slurm_refusal("sstat", {"-j", "5.foo"}), "Bad job/step specified: 5.foo");
  EXPECT_TRUE(show_sample_help(slurm_options<SstatOptions>("sstat", {"-e"}))
                  ->out.starts_with("AveCPU              AveCPUFreq "));
}

TEST(SacctJson, HasTheStructureOfTheJsonOfSlurm) {
  JobRecord done = a_run_record(10, JobState::Completed);
  done.steps = {a_step(10, 0, JobState::Completed)};
  const auto json = nlohmann::json::parse(sacct(a_page({done}), {"--json", "-j", "10"}));
  const auto& job = json.at("jobs").at(0);
  EXPECT_EQ(job.at("job_id"), 10);
  EXPECT_EQ(job.at("state").at("current").at(0), "COMPLETED");
  EXPECT_EQ(job.at("state").at("reason"), "None");
  EXPECT_EQ(job.at("time").at("elapsed"), 600);
  EXPECT_EQ(job.at("time").at("start"), noon_s + 60);
  EXPECT_EQ(job.at("time").at("total").at("seconds"), 65);
  EXPECT_EQ(job.at("exit_code").at("return_code").at("number"), 0);
  EXPECT_EQ(job.at("tres").at("allocated").at(0).at("count"), 4);
  EXPECT_EQ(job.at("user"), "ann");
  ASSERT_EQ(job.at("steps").size(), 3u);
  EXPECT_EQ(job.at("steps").at(2).at("step").at("id"), "10.0");
  EXPECT_EQ(job.at("steps").at(2).at("tasks").at("count"), 4);
  EXPECT_EQ(json.at("meta").at("plugin").at("data_parser"), "data_parser/v0.0.40");
  EXPECT_TRUE(json.at("errors").empty());
}

}  // namespace
}  // namespace cox::test
