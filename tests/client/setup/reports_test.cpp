// Tests output that needs no controller: progress of a wait, reports as JSON, times in the styles
// of SLURM_TIME_FORMAT, and the report on a configuration.
#include <gtest/gtest.h>

#include "client/setup/config_report.h"
#include "client/show/json.h"
#include "client/show/wait_progress.h"
#include "client/submit/job_changes.h"
#include "client/text/node_state.h"
#include "client/text/time_style.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

ConfigReport a_config_report() {
  ConfigReport report;
  report.path = "/etc/x.toml";
  report.lines = {{"[controller]", "name", {"lake"}, true},
                  {"[controller]", "hosts", {"a", "b"}, false},
                  {"[scheduling]", "order", {}, true},
                  {"[topology]", "block_sizes", {"2"}, false},
                  {"[client]", "controller", {}, false}};
  return report;
}

TEST(ConfigReport, shows_the_settings_of_each_program_and_their_source) {
  ConfigReport report = a_config_report();
  EXPECT_EQ(show_config_report(report, {}).out,
            "cox-controller takes from [controller]\n"
            "KEY    VALUE  FROM\n"
            "name   lake   the file\n"
            "hosts  a, b   default\n"
            "\n"
            "and from [scheduling]\n"
            "KEY    VALUE  FROM\n"
            "order  -      the file\n"
            "\n"
            "and, without a [[partition]], has one partition, main, with all nodes\n"
            "\n"
            "cox-worker: the file has no [worker], so it cannot run from this file\n"
            "\n"
            "cox takes from [client]\n"
            "KEY         VALUE  FROM\n"
            "controller  -      default\n"
            "\n"
            "/etc/x.toml: no problems\n");
  report.lines.push_back({"[[partition]]", "name", {"main"}, true});
  const std::string page = show_config_report(report, {}).out;
  EXPECT_EQ(page.find("has one partition, main"), std::string::npos);
  EXPECT_NE(page.find("and from [[partition]]\nKEY   VALUE  FROM\nname  main   the file\n"),
            std::string::npos)
      << page;
}

TEST(ConfigReport, counts_its_problems) {
  ConfigReport report = a_config_report();
  report.problems = {{"x.toml:1: no", "go"}};
  EXPECT_EQ(show_config_report(report, {}).out, "x.toml:1: no\n  go\n1 problem\n");
  report.problems.push_back({"x.toml:2: no", ""});
  const Shown shown = show_config_report(report, {});
  EXPECT_EQ(shown.out, "x.toml:1: no\n  go\nx.toml:2: no\n2 problems\n");
  EXPECT_EQ(shown.exit_code, exit_refused);
  for (const ConfigProgram& program : programs_of(report))
    EXPECT_FALSE(program.can_run) << program.name;
}

TEST(ConfigReport, shows_warnings_before_its_last_line) {
  ConfigReport report = a_config_report();
  report.warnings = {{"x.toml: no program", "install it"}};
  Shown shown = show_config_report(report, {});
  EXPECT_TRUE(
      shown.out.ends_with("\nwarning: x.toml: no program\n  install it\n"
                          "/etc/x.toml: no problems, 1 warning\n"))
      << shown.out;
  EXPECT_EQ(shown.exit_code, exit_ok);
  report.warnings.push_back({"x.toml: no node", ""});
  shown = show_config_report(report, {});
  EXPECT_TRUE(shown.out.ends_with("no problems, 2 warnings\n")) << shown.out;
}

TEST(JsonReports, contain_every_field) {
  std::string all = json_text(MadeKey{"a.key", "a.pub", "abc"});
  all += json_text(SavedSnapshot{"s.json", 17});
  all += json_text(std::vector<CheckpointFolder>{{"/a", 1}, {"/b", 2}});
  all += json_text(Imported{{{"f", "text", false}}, {"note"}});
  all += json_text(std::vector<Finding>{{Health::Warning, "clock", "it is off", "set it"}});
  ConfigReport report = a_config_report();
  report.lines.resize(1);
  report.problems = {{"no", "go"}};
  report.warnings = {{"hm", "so"}};
  all += json_text(report);
  std::erase(all, '\n');
  std::erase(all, ' ');
  EXPECT_EQ(all,
            "{\"key_file\":\"a.key\",\"public_file\":\"a.pub\",\"public_key\":\"abc\"}{\"file\":"
            "\"s.json\",\"bytes\":17}[{\"path\":\"/a\",\"bytes\":1},{\"path\":\"/"
            "b\",\"bytes\":2}]{\"files\":{\"f\":\"text\"},\"notes\":[\"note\"]}{\"findings\":[{"
            "\"health\":\"warning\",\"check\":\"clock\",\"fact\":\"itisoff\",\"hint\":\"setit\"}]}{"
            "\"path\":\"/etc/"
            "x.toml\",\"problems\":[{\"fact\":\"no\",\"hint\":\"go\"}],\"warnings\":[{\"fact\":"
            "\"hm\",\"hint\":\"so\"}],\"programs_can_run\":{\"cox-"
            "controller\":false,\"cox-worker\":false,\"cox\":false},\"values\":[{\"table\":\"["
            "controller]\",\"key\":\"name\",\"value\":[\"lake\"],\"given\":true}]}");
}

TEST(TimeStyle, relative_names_the_day_of_near_and_far_times) {
  std::string all;
  for (const std::int64_t days : {-366, -365, -2, -1, 0, 1, 2, 6, 7, 365, 366})
    all +=
        styled_moment(at_noon().now + std::chrono::hours{24 * days}, "relative", at_noon()) + "\n";
  EXPECT_EQ(all,
            "20 Nov 2025\n"
            "21 Nov 13:00\n"
            "19 Nov 13:00\n"
            "Ystday 13:00\n"
            "13:00:00\n"
            "Tomorr 13:00\n"
            "Mon 13:00\n"
            "Fri 13:00\n"
            "28 Nov 13:00\n"
            "21 Nov 13:00\n"
            "22 Nov 2027\n");
  const auto styled = [](const std::string& style) {
    return styled_moment(at_noon().now, style, at_noon());
  };
  EXPECT_EQ(styled(""), "2026-11-21T13:00:00");
  EXPECT_EQ(styled("standard"), "2026-11-21T13:00:00");
  EXPECT_EQ(styled("%s"), "1795262400");
  EXPECT_EQ(styled("%H-%M"), "13-00");
  EXPECT_EQ(date_line(at_noon()), "Sat Nov 21 13:00:00 2026\n");
}

TEST(WaitProgress, shows_each_state_with_its_reason_and_the_nodes_or_the_exit_code) {
  std::string all;
  for (const JobState state : all_job_states) {
    JobDetail detail = a_job(state);
    detail.view.job.attempt = AttemptNumber{2};
    detail.view.job.why = "its why";
    detail.view.job.exit_code = 3;
    detail.view.reason_detail = "its reason";
    detail.attempts.resize(1);
    detail.attempts[0].nodes.resize(1);
    detail.attempts[0].nodes[0].grant.node = "n1";
    detail.attempts[0].nodes[0].note = "disk full";
    all += progress_lines({}, detail, at_noon());
  }
  EXPECT_EQ(all,
            "13:00:00  PENDING  its reason\n"
            "13:00:00  CONFIGURING  attempt 2 on n[1-2]  its why\n"
            "13:00:00  RUNNING  attempt 2 on n[1-2]  its why\n"
            "13:00:00  SIGNALING  attempt 2 on n[1-2]  its why\n"
            "13:00:00  COMPLETING  attempt 2 on n[1-2]  its why\n"
            "13:00:00  COMPLETED  its why  (exit code 3)\n"
            "13:00:00  FAILED  its why  (exit code 3)  n1: disk full\n"
            "13:00:00  CANCELLED  its why\n"
            "13:00:00  TIMEOUT  its why\n"
            "13:00:00  NODE_FAIL  its why\n"
            "13:00:00  PREEMPTED  its why\n"
            "13:00:00  OUT_OF_MEMORY  its why\n"
            "13:00:00  SUSPENDED  attempt 2 on n[1-2]  its why\n"
            "13:00:00  DEADLINE  its why\n");
}

TEST(WaitProgress, shows_the_checkpoint_that_a_new_attempt_resumes_from) {
  const JobDetail none = a_job(JobState::Running);
  JobDetail next = none;
  next.attempts.resize(1);
  next.attempts[0].key.attempt = AttemptNumber{2};
  EXPECT_EQ(progress_lines(none, next, at_noon()), "");
  next.attempts[0].resume = ResumeFrom{AttemptNumber{1}, 40, JobId{}};
  EXPECT_EQ(progress_lines(none, next, at_noon()),
            "13:00:00  attempt 2 resumes from step 40 of attempt 1\n");
  EXPECT_EQ(progress_lines(next, next, at_noon()), "");
  next.attempts[0].resume->job = JobId{12};
  EXPECT_EQ(progress_lines(none, next, at_noon()),
            "13:00:00  attempt 2 resumes from step 40 of job 12\n");
}

TEST(WaitProgress, shows_each_change_of_a_job_once) {
  JobDetail before = a_job(JobState::Pending);
  before.checkpoints.push_back({{JobId{17}, AttemptNumber{1}}, 30, 2048, 1, at_noon().now});
  JobDetail now = before;
  now.checkpoints.push_back({{JobId{17}, AttemptNumber{1}}, 40, 2048, 1, at_noon().now});
  now.checkpoints.push_back({{JobId{17}, AttemptNumber{2}}, 30, 2048, 2, at_noon().now});
  EXPECT_EQ(progress_lines(before, now, at_noon()),
            "13:00:00  checkpoint of step 40 committed, 2.0 KiB in 1 file\n"
            "13:00:00  checkpoint of step 30 committed, 2.0 KiB in 2 files\n");
  now = before;
  now.tasks_left = 1;
  EXPECT_EQ(progress_lines(before, now, at_noon()), "");
  now.tasks_left = 2;
  EXPECT_EQ(progress_lines(before, now, at_noon()), "13:00:00  2 tasks have not ended\n");
  EXPECT_EQ(progress_lines(now, now, at_noon()), "");
  for (const bool in_why : {true, false}) {
    now = before;
    if (in_why) now.view.job.why = "changed";
    if (!in_why) now.view.reason_detail = "changed";
    EXPECT_EQ(progress_lines(before, now, at_noon()), "13:00:00  PENDING  changed\n");
  }
  now = before;
  now.view.job.attempt = AttemptNumber{5};
  EXPECT_EQ(progress_lines(before, now, at_noon()), "13:00:00  PENDING\n");
}

TEST(WaitProgress, ends_with_the_exit_code_of_the_job) {
  JobDetail detail = a_job(JobState::Completed);
  EXPECT_TRUE(has_ended(detail));
  EXPECT_EQ(exit_code_of(detail), 0);
  detail.tasks_failed = 1;
  EXPECT_EQ(exit_code_of(detail), 1);
  detail.tasks_left = 1;
  EXPECT_FALSE(has_ended(detail));
  EXPECT_FALSE(has_ended(a_job(JobState::Running)));
  detail.view.job.state = JobState::Failed;
  detail.view.job.exit_signal = 9;
  EXPECT_EQ(exit_code_of(detail), 137);
  detail.view.job.exit_code = 257;
  EXPECT_EQ(exit_code_of(detail), 1);
  EXPECT_EQ(exit_code_of(a_job(JobState::Cancelled)), 1);
}

TEST(NodeStates, have_slurms_names_and_may_be_abbreviated) {
  std::string all;
  for (const NodeBase base : {NodeBase::Down, NodeBase::Idle, NodeBase::Allocated, NodeBase::Mixed})
    for (const int flags : {0, 1, 2, 4, 8, 15}) {
      const NodeState state{base, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0,
                            (flags & 8) != 0};
      all += compact_name(state) + " " + long_name(state) + " " + flags_name(state) + ":";
      for (const char* word : {"unk", "DOWN", "idle", "alloc", "mix", "drain", "drained",
                               "draining", "drng", "no_r", "reserved", "resv", "maint", "fail"})
        if (is_in_state(state, word).value()) all += std::string(" ") + word;
      all += "\n";
    }
  EXPECT_EQ(all,
            "down down down: DOWN\n"
            "drain drained down+drain: DOWN drain drained\n"
            "down* down* down+not_responding: DOWN no_r\n"
            "down down down+maintenance: DOWN maint\n"
            "down down down+reserved: DOWN reserved resv\n"
            "drain* drained* down+drain+maintenance+reserved+not_responding: DOWN drain drained "
            "no_r reserved resv maint\n"
            "idle idle idle: idle\n"
            "drain drained idle+drain: idle drain drained\n"
            "idle* idle* idle+not_responding: idle no_r\n"
            "maint maint idle+maintenance: idle maint\n"
            "resv reserved idle+reserved: idle reserved resv\n"
            "drain* drained* idle+drain+maintenance+reserved+not_responding: idle drain drained "
            "no_r reserved resv maint\n"
            "alloc allocated allocated: alloc\n"
            "drng draining allocated+drain: alloc drain draining drng\n"
            "alloc* allocated* allocated+not_responding: alloc no_r\n"
            "alloc$ allocated$ allocated+maintenance: alloc maint\n"
            "alloc allocated allocated+reserved: alloc reserved resv\n"
            "drng* draining* allocated+drain+maintenance+reserved+not_responding: alloc drain "
            "draining drng no_r reserved resv maint\n"
            "mix mixed mixed: alloc mix\n"
            "drng draining mixed+drain: alloc mix drain draining drng\n"
            "mix* mixed* mixed+not_responding: alloc mix no_r\n"
            "mix$ mixed$ mixed+maintenance: alloc mix maint\n"
            "mix mixed mixed+reserved: alloc mix reserved resv\n"
            "drng* draining* mixed+drain+maintenance+reserved+not_responding: alloc mix drain "
            "draining drng no_r reserved resv maint\n");
  EXPECT_EQ(is_in_state({}, ""), std::nullopt);
  EXPECT_EQ(is_in_state({}, "nosuch"), std::nullopt);
}

TEST(NodeStates, follow_from_the_facts_of_the_node) {
  NodeView view;
  view.node.responding = true;
  view.node.total.cpus = 4;
  EXPECT_EQ(node_state(view), NodeState{});
  view.reservations = {"class"};
  view.maint = true;
  view.node.drained = true;
  view.jobs = {JobId{4}};
  view.cpus_used = 3;
  EXPECT_EQ(node_state(view), (NodeState{NodeBase::Mixed, true, false, true, true}));
  view.cpus_used = 4;
  EXPECT_EQ(node_state(view).base, NodeBase::Allocated);
  view.node.responding = false;
  EXPECT_EQ(node_state(view), (NodeState{NodeBase::Down, true, true, true, true}));
}

TEST(JobChanges, have_relative_values_sizes_and_times_converted_for_the_controller) {
  std::vector<std::string> names{"TimeLimit+", "Nice-", "MinMemoryNode", "StartTime", "+", "X"};
  std::vector<std::string> values{"30", "5", "2G", "2026-11-21T12:00:00Z", "1", "2"};
  EXPECT_EQ(resolve_job_changes(names, values, {}), std::nullopt);
  EXPECT_EQ(names, (std::vector<std::string>{"TimeLimit", "Nice", "MinMemoryNode", "StartTime", "+",
                                             "X"}));
  EXPECT_EQ(values,
            (std::vector<std::string>{"+30", "-5", "2048", "2026-11-21T12:00:00Z", "1", "2"}));
  for (const char* name : {"StartTime", "EligibleTime", "EndTime", "Deadline", "MinMemoryNode"}) {
    std::vector<std::string> one{name};
    std::vector<std::string> wrong{"x"};
    const Failure failure = resolve_job_changes(one, wrong, {});
    ASSERT_TRUE(failure) << name;
    EXPECT_EQ(failure->fact.find("Invalid " + std::string(name) + " value: "), 0u);
  }
}

}  // namespace
}  // namespace cox
