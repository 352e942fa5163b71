// Tests scrontab: how it parses crontabs, its command line, and its messages.
#include "client/slurm/scrontab.h"

#include <gtest/gtest.h>

#include "client/slurm/control/records.h"
#include "common/base/limits.h"

namespace cox {
namespace {

SubmitSurroundings around() {
  SubmitSurroundings here;
  here.environment = {"PATH=/bin", "SECRET=1", "SBATCH_PARTITION=gpu", "COX_CONFIG=/c.toml"};
  here.work_dir = "/tmp/here";
  here.submit_host = "login1";
  here.login = {"HOME=/home/ada", "USER=ada"};
  here.soft_limits.resize(1);
  return here;
}

CrontabPlan plan_of(const std::string& text) {
  auto read = read_crontab(text, around());
  if (const auto* bad = std::get_if<BadCronLines>(&read)) {
    ADD_FAILURE() << bad->why.fact;
    return {};
  }
  return std::get<CrontabPlan>(std::move(read));
}

// Returns the refused lines and the refusal's fact, such as "2-3: what is wrong"; "(not refused)"
// if the crontab is valid.
std::string wrong(const std::string& text) {
  const auto read = read_crontab(text, around());
  const auto* bad = std::get_if<BadCronLines>(&read);
  if (bad == nullptr) return "(not refused)";
  EXPECT_FALSE(bad->why.hint.empty()) << bad->why.fact;
  return std::to_string(bad->first) + "-" + std::to_string(bad->last) + ": " + bad->why.fact;
}

TEST(Crontab, has_a_job_for_each_line) {
  const CrontabPlan plan = plan_of(
      "# mine\n"
      "\n"
      "#SCRON -J tidy --time=10:30\n"
      "# in between\n"
      " #SCRON -p short\n"
      "0 5 * * * /opt/tidy  --all\n"
      "@hourly probe now");
  ASSERT_EQ(plan.lines.size(), 2u);
  const CronLineAsked& tidy = plan.lines[0];
  EXPECT_EQ(tidy.first_line, 3);
  EXPECT_EQ(tidy.last_line, 6);
  EXPECT_EQ(tidy.schedule, "0 5 * * *");
  EXPECT_EQ(tidy.spec.name, "tidy");
  EXPECT_EQ(tidy.spec.partition, "short");
  EXPECT_EQ(tidy.spec.time_limit_s, 660) << "times are rounded up to minutes, as by sbatch";
  EXPECT_EQ(tidy.spec.form, JobForm::Batch);
  EXPECT_EQ(tidy.script,
            "#!/bin/sh\n"
            "# This job was submitted through scrontab\n"
            "#SCRON -J tidy --time=10:30\n"
            "#SCRON -p short\n"
            "# crontab time request was: '0 5 * * *'\n"
            "/opt/tidy  --all\n");
  const CronLineAsked& probe = plan.lines[1];
  EXPECT_EQ(probe.first_line, 7);
  EXPECT_EQ(probe.last_line, 7);
  EXPECT_EQ(probe.schedule, "0 * * * *");
  EXPECT_EQ(probe.spec.name, "probe");
  EXPECT_EQ(probe.spec.partition, "") << "options apply to one line only";
  EXPECT_EQ(probe.spec.time_limit_s, 0);
}

TEST(Crontab, jobs_have_the_environment_and_folder_of_a_login) {
  const CrontabPlan plan = plan_of("* * * * * a\n#SCRON --chdir=sub\n* * * * * b\n");
  ASSERT_EQ(plan.lines.size(), 2u);
  EXPECT_EQ(plan.lines[0].spec.work_dir, "/home/ada");
  EXPECT_EQ(plan.lines[1].spec.work_dir, "/home/ada/sub");
  using namespace std::string_literals;
  EXPECT_EQ(plan.lines[0].environment,
            "COX_CONFIG=/c.toml\0HOME=/home/ada\0PATH=/bin\0USER=ada\0"s);
  EXPECT_EQ(plan.lines[0].spec.partition, "") << "variables of sbatch do not apply";
}

TEST(Crontab, replaces_the_variables_that_it_sets) {
  const CrontabPlan plan = plan_of(
      "DIR=/opt/a\n"
      "MY_NAME = 'b c'\n"
      "EMPTY=\n"
      "* * * * * $DIR/x $DIRECTORY $MY_NAME ${DIR} $EMPTY. $1 $\n"
      "DIR=\"/opt/b\"\n"
      "* * * * * $DIR$DIR\n");
  ASSERT_EQ(plan.lines.size(), 2u);
  EXPECT_NE(plan.lines[0].script.find("\n/opt/a/x $DIRECTORY b c ${DIR} . $1 $\n"),
            std::string::npos)
      << plan.lines[0].script;
  EXPECT_NE(plan.lines[1].script.find("\n/opt/b/opt/b\n"), std::string::npos);
  EXPECT_EQ(plan.lines[1].spec.name, "/opt/b/opt/b");
}

TEST(Crontab, names_the_lines_that_have_an_error) {
  EXPECT_EQ(wrong("# a\n61 * * * * x\n"), "2-2: \"61\" is not a valid minute of a crontab");
  EXPECT_EQ(wrong("#SCRON -n1\n\n* * * * *\n"), "1-3: this line has no command");
  EXPECT_EQ(wrong("#SCRON -n1\n#SCRON --frob\n* * * * * x\n").substr(0, 5), "1-2: ");
  EXPECT_EQ(wrong("#SCRON go\n* * * * * x\n"), "1-1: Invalid option found in #SCRON line: go");
  EXPECT_EQ(wrong("#SCRON --begin=now\n"), "1-1: option --begin is not allowed in a crontab");
  for (const std::string option : {"--array=1-3", "--hold", "--deadline=tomorrow", "--requeue",
                                   "--no-requeue", "--wait", "--resume-from=3", "-a1", "-H"})
    EXPECT_NE(wrong("#SCRON " + option + "\n").find("is not allowed in a crontab"),
              std::string::npos)
        << option;
  EXPECT_EQ(wrong("A='b\n"), "1-1: \"A='b\" is not a valid minute of a crontab");
  EXPECT_EQ(wrong(std::string("a\0b", 3)),
            "0-0: the crontab is not valid UTF-8, or has a NUL byte");
  EXPECT_EQ(wrong("* * * * * x\r\n"),
            "0-0: the crontab has DOS line breaks (\\r\\n), which no shell accepts");
  std::string swollen = "A=" + std::string(30'000, 'a') + "\n* * * * * ";
  for (int i = 0; i < 100; ++i) swollen += "$A";
  EXPECT_EQ(wrong(swollen),
            "2-2: with its variables expanded the command has more than 1048576 bytes");
  EXPECT_EQ(wrong(std::string(limits::crontab_bytes_max + 1, '#')),
            "0-0: the crontab has more than 65536 bytes, the limit");
}

TEST(Crontab, may_have_no_jobs) {
  EXPECT_TRUE(plan_of("").lines.empty());
  EXPECT_TRUE(plan_of(default_crontab()).lines.empty());
  EXPECT_EQ(plan_of("#SCRON -n1\n").lines.size(), 0u);
}

ScrontabRequest request(const std::vector<std::string>& words, bool is_terminal = true) {
  auto read = read_scrontab_request(words, is_terminal);
  if (const auto* shown = std::get_if<Shown>(&read)) {
    ADD_FAILURE() << shown->err;
    return {};
  }
  return std::get<ScrontabRequest>(std::move(read));
}

Shown shown_by_scrontab(const std::vector<std::string>& words, bool is_terminal = true) {
  const auto read = read_scrontab_request(words, is_terminal);
  const auto* shown = std::get_if<Shown>(&read);
  EXPECT_NE(shown, nullptr);
  return shown == nullptr ? Shown{} : *shown;
}

TEST(Scrontab, parses_its_command_line) {
  using What = ScrontabRequest::What;
  EXPECT_EQ(request({}).what, What::Edit);
  EXPECT_EQ(request({"-e"}).what, What::Edit);
  EXPECT_EQ(request({}, false).what, What::Install);
  EXPECT_EQ(request({}, false).file, "-");
  EXPECT_EQ(request({"-"}).what, What::Install);
  EXPECT_EQ(request({"-"}).file, "-");
  EXPECT_EQ(request({"my.cron"}).file, "my.cron");
  EXPECT_EQ(request({"-l"}, false).what, What::List);
  EXPECT_EQ(request({"-u", "ada", "-r"}).what, What::Remove);
  EXPECT_EQ(request({"-u", "ada", "-r"}).user, "ada");
  EXPECT_EQ(shown_by_scrontab({"-e"}, false).err, "scrontab: error: Standard input is not a TTY\n");
  EXPECT_EQ(shown_by_scrontab({"-l", "x"}).err.substr(0, 6), "usage:");
  EXPECT_EQ(shown_by_scrontab({"a", "b"}).exit_code, exit_refused);
  EXPECT_EQ(shown_by_scrontab({"--help"}).exit_code, exit_ok);
  EXPECT_EQ(shown_by_scrontab({"-x"}).exit_code, exit_refused);
}

TEST(Scrontab, scontrol_shows_the_crontab_times_of_a_job) {
  JobView view;
  const RecordView as;
  EXPECT_EQ(job_record(view, std::nullopt, as).find("Cron"), std::string::npos);
  view.crontab_spec = "0 5 * * *";
  EXPECT_NE(job_record(view, std::nullopt, as).find("\n   CronJob=Yes CrontabSpec=\"0 5 * * *\"\n"),
            std::string::npos);
}

TEST(Scrontab, prints_the_messages_of_slurm) {
  EXPECT_EQ(show_crontab({}, "ada").out, "no crontab for ada\n");
  EXPECT_EQ(show_crontab({}, "ada").exit_code, exit_refused);
  EXPECT_EQ(show_crontab({true, "# x\n"}, "ada").out, "# x\n");
  const CrontabProblem here = problem_of(BadCronLines{{"a fact", "a hint"}, 3, 4});
  EXPECT_EQ(here.out, "There are errors in your crontab.\n");
  EXPECT_EQ(here.err, "scrontab: error: line 3-4: a fact\nscrontab: error: a hint\n");
  EXPECT_EQ(here.first, 3);
  EXPECT_EQ(here.last, 4);
  CrontabUpdated refused;
  refused.refused = Refusal{"there is no partition \"x\"", "possible: main"};
  refused.first_refused = refused.last_refused = 2;
  const CrontabProblem there = problem_of(refused);
  EXPECT_EQ(there.out,
            "There was an issue with the job submission on lines 2\n"
            "The error code return was: Invalid partition name specified\n"
            "The error message was: there is no partition \"x\"; possible: main\n");
  EXPECT_EQ(there.marked, "The failed lines are commented out with #BAD:\n");
}

}  // namespace
}  // namespace cox
