// Tests what `cox submit` and sbatch resolve before they send a request: the limits of each value,
// and what they copy into the plan.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/submit/submit.h"
#include "common/base/limits.h"
#include "common/base/moment_text.h"

namespace cox {
namespace {

using BoundWords = std::vector<std::string>;

const std::string bare_script = "#!/bin/sh\n";

Result<SubmitPlan> try_submit(const BoundWords& words, bool as_sbatch = false,
                              std::string work_dir = "/home/ann") {
  const Result<SubmitCommand> command = parse_submit(words, as_sbatch);
  if (!command) return command.refusal();
  const bool reads_script =
      command->source == SubmitSource::ScriptFile || command->source == SubmitSource::ScriptStdin;
  SubmitSurroundings around{{"PATH=/bin"}, std::move(work_dir), "login1"};
  around.here = {*parse_moment("2026-11-22T11:00:00Z"), {3600, {}}};
  around.soft_limits = {{"CORE", 7, false}, {"MEMLOCK", 8, false}};
  return build_submit(*command, reads_script ? std::optional(bare_script) : std::nullopt, around);
}

SubmitPlan plan_submitted(const BoundWords& words, bool as_sbatch = false) {
  const auto plan = try_submit(words, as_sbatch);
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.refusal().fact);
  return plan.ok() ? *plan : SubmitPlan{};
}

std::string why_not_submitted(const BoundWords& words, const std::string& work_dir = "/home/ann") {
  const auto plan = try_submit(words, false, work_dir);
  return plan.ok() ? "" : plan.refusal().fact + "; " + plan.refusal().hint;
}

TEST(SubmitBounds, command_words_script_paths_and_folders_are_accepted_up_to_their_limits) {
  BoundWords most(limits::command_words_max, "x");
  most.insert(most.begin(), "--");
  EXPECT_EQ(why_not_submitted(most), "");
  most.push_back("x");
  EXPECT_EQ(why_not_submitted(most),
            "the command has 4097 words, and one may have 4096; put its arguments in a file");
  // "x" and two separators take 3 of the bytes.
  const std::string rest(limits::command_bytes_max - 3, 'a');
  EXPECT_EQ(why_not_submitted({"--", "x", rest}), "");
  EXPECT_NE(why_not_submitted({"--", "x", rest + "a"}), "");
  EXPECT_NE(why_not_submitted({"--", "x", std::string("a\0b", 3)}), "");
  const std::string path(limits::path_bytes_max, 'p');
  EXPECT_EQ(why_not_submitted({"-Jx", path}), "");
  EXPECT_NE(why_not_submitted({"-Jx", path + "p"}), "");
  const std::string folder = "/" + std::string(limits::path_bytes_max - 1, 'd');
  EXPECT_EQ(why_not_submitted({"job.sh"}, folder), "");
  for (const std::string& wrong : {folder + "d", std::string("/a\x01"), std::string("/a\xff")})
    EXPECT_TRUE(
        why_not_submitted({"job.sh"}, wrong).ends_with("choose another folder with --chdir"));
}

TEST(SubmitBounds, the_job_name_defaults_to_that_of_the_program) {
  const auto name_of = [](const BoundWords& words, bool as_sbatch) {
    return plan_submitted(words, as_sbatch).request.spec.name;
  };
  EXPECT_EQ(name_of({"--", "/usr/bin/python3", "x"}, false), "python3");
  EXPECT_EQ(name_of({"jobs/a.sh", "x"}, true), "a.sh");
  EXPECT_EQ(name_of({}, true), "sbatch");
  EXPECT_EQ(name_of({}, false), "stdin");
  EXPECT_EQ(name_of({"--wrap=date"}, true), "wrap");
  EXPECT_EQ(name_of({"-J", "mine", "--wrap=date"}, true), "mine");
  const std::string longest(limits::name_bytes_max, 'x');
  EXPECT_EQ(name_of({"jobs/" + longest}, false), longest);
  for (const std::string& wrong : {longest + "x", std::string("a\x01"), std::string("a\xff")})
    EXPECT_TRUE(why_not_submitted({wrong}).ends_with("name it with --job-name")) << wrong;
}

TEST(SubmitBounds, memory_options_are_mutually_exclusive) {
  const std::string both =
      "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive; ask for memory in one way";
  EXPECT_EQ(why_not_submitted({"--mem=1", "--mem-per-cpu=1", "job.sh"}), both);
  EXPECT_EQ(why_not_submitted({"--mem=1", "--mem-per-gpu=1", "job.sh"}), both);
  for (const char* one : {"--mem=1", "--mem-per-cpu=1", "--mem-per-gpu=1"})
    EXPECT_EQ(why_not_submitted({one, "job.sh"}), "");
}

TEST(SubmitBounds, sbatch_rounds_times_up_to_minutes) {
  const auto limits_of = [](const std::string& most, const std::string& least, bool as_sbatch) {
    const JobSpec spec =
        plan_submitted({"-t", most, "--time-min", least, "job.sh"}, as_sbatch).request.spec;
    return std::to_string(spec.time_limit_s) + " " + std::to_string(spec.time_min_s);
  };
  EXPECT_EQ(limits_of("2:00", "1:00", true), "120 60");
  EXPECT_EQ(limits_of("2:01", "1:01", true), "180 120");
  EXPECT_EQ(limits_of("1:59", "0:01", true), "120 60");
  EXPECT_EQ(limits_of("1:59", "0:01", false), "119 1");
  EXPECT_EQ(plan_submitted({"job.sh"}, true).request.spec.time_limit_s, 0);
}

TEST(SubmitBounds, begin_and_deadline_are_in_the_time_zone_of_the_user) {
  const JobSpec spec =
      plan_submitted({"--begin=13:00", "--deadline=2026-11-23T08:00", "job.sh"}).request.spec;
  EXPECT_EQ(moment_text(spec.begin) + " " + moment_text(spec.deadline),
            "2026-11-22T12:00:00Z 2026-11-23T07:00:00Z");
  const JobSpec none = plan_submitted({"job.sh"}).request.spec;
  EXPECT_TRUE(none.begin == Wall{} && none.deadline == Wall{});
}

TEST(SubmitBounds, a_request_contains_the_script_its_path_and_the_shells_limits) {
  const SubmitJob file = plan_submitted({"jobs/a.sh", "1", "2"}).request;
  EXPECT_EQ(file.script, bare_script);
  EXPECT_EQ(file.spec.command_path, "/home/ann/jobs/a.sh");
  EXPECT_EQ(file.spec.command, (BoundWords{"1", "2"}));
  EXPECT_EQ(plan_submitted({"/jobs/a.sh"}).request.spec.command_path, "/jobs/a.sh");
  const SubmitJob wrapped = plan_submitted({"--wrap=date; date"}).request;
  EXPECT_EQ(wrapped.script,
            "#!/bin/sh\n# This script was created by sbatch --wrap.\n\ndate; date\n");
  EXPECT_EQ(wrapped.spec.command_path, "");
  EXPECT_EQ(wrapped.spec.form, JobForm::Batch);
  const SubmitJob gang = plan_submitted({"--", "date"}).request;
  EXPECT_EQ(gang.environment, std::string("PATH=/bin\0SLURM_RLIMIT_CORE=7\0", 30));
  EXPECT_EQ(gang.spec.form, JobForm::Gang);
  EXPECT_EQ(plan_submitted({"--propagate=NONE", "--", "date"}).request.environment,
            std::string("PATH=/bin\0", 10));
}

TEST(SubmitBounds, the_options_parsable_quiet_json_wait_and_test_are_in_the_plan) {
  const auto flags = [](const BoundWords& words) {
    const SubmitPlan plan = plan_submitted(words);
    std::string text;
    for (const bool is_set : {plan.parsable, plan.quiet, plan.json, plan.wait, plan.test})
      text += is_set ? '1' : '0';
    return text + plan.request.request_id;
  };
  EXPECT_EQ(flags({"job.sh"}), "00000");
  EXPECT_EQ(flags({"--parsable", "job.sh"}), "10000");
  EXPECT_EQ(flags({"-Q", "job.sh"}), "01000");
  EXPECT_EQ(flags({"--json", "job.sh"}), "00100");
  EXPECT_EQ(flags({"--wait", "job.sh"}), "00010");
  EXPECT_EQ(flags({"--test", "job.sh"}), "00001");
  EXPECT_EQ(flags({"--request-id=r1", "job.sh"}), "00000r1");
  EXPECT_EQ(why_not_submitted({"-O", "--", "date"}),
            "--overcommit (-O) is only for batch scripts: each rank of a gang has CPUs of its own; "
            "ask for fewer CPUs with --cpus-per-task");
  EXPECT_EQ(why_not_submitted({"-O", "job.sh"}), "");
  EXPECT_EQ(plan_submitted({"-M", "lab,,lake", "job.sh"}, true).clusters,
            (BoundWords{"lab", "lake"}));
  EXPECT_EQ(plan_submitted({"-M", "lab", "job.sh"}, false).clusters, BoundWords{"lab"});
}

}  // namespace
}  // namespace cox
