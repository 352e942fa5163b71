// Tests replies of the controller about jobs: where their logs are, the details of one job, and
// lists of jobs.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class JobAnswers : public testing::Test, public Bench {
 protected:
  // Registers two nodes with two CPUs and one GPU each, whose workers answer requests for logs.
  void two_nodes() {
    for (const char* name : {"n1", "n2"}) {
      node(name, 2, {}, {}, 1);
      WorkerHello hello;
      hello.node = *controller->cluster().node(name);
      hello.node.log_endpoint = "tcp://" + hello.node.address + ":7000";
      hello.node.log_key = std::string("key-") + name;
      hello.session = session[name];
      hello.number = ++numbers[name];
      hello.term_seen = controller->cluster().term();
      deliver(name, hello);
    }
  }
  // Reports all ranks of the gang as running, or as ended if `phase` is Gone. At the start, the
  // output files of rank 0 had the sizes `output` and `error` in bytes; those of each further rank
  // were one byte longer.
  void report_ranks(JobId id, NodePhase phase, std::int64_t output, std::int64_t error) {
    const Attempt live = attempt(id);
    for (const AttemptNode& n : live.nodes) {
      AttemptStatus s = status_of(id, phase);
      for (std::int32_t k = 0; k < n.grant.ranks; ++k) {
        RankStatus& rank = s.ranks.emplace_back();
        rank.rank = n.grant.first_rank + k;
        rank.phase = phase == NodePhase::Gone ? RankPhase::Exited : RankPhase::Running;
        rank.exit_code = phase == NodePhase::Gone ? 143 : 0;
        rank.output_from = output + rank.rank;
        rank.error_from = error + rank.rank;
      }
      status(n.grant.node, s);
    }
  }
  void run_and_requeue(JobId id, std::int64_t output, std::int64_t error) {
    ready(id);
    report_ranks(id, NodePhase::Running, output, error);
    ask(ActOnJobs{JobVerb::Requeue, {id}});
    report_ranks(id, NodePhase::Gone, output, error);
    pass_with_beats(Milliseconds{2'000}, {"n1", "n2"});  // the pause before the job may start again
  }
  // Returns where the log of a rank is, as "JOB.ATTEMPT on NODE at ENDPOINT with KEY: PATH
  // BEGIN-END, RANKS ranks, live"; BEGIN and END are in bytes. Returns the refusal if there is no
  // log.
  std::string log(JobId id, std::int32_t attempt, std::int32_t rank, bool error_stream = false) {
    const Reply reply = ask(LocateLog{id, AttemptNumber{attempt}, rank, error_stream});
    if (const auto* no = std::get_if<Refused>(&reply.body))
      return no->why.fact + " / " + no->why.hint;
    const LogPlace& place = std::get<LogPlace>(reply.body);
    return std::to_string(place.job.value) + "." + std::to_string(place.attempt.value) + " on " +
           place.node + " at " + place.endpoint + " with " + place.key + ": " + place.path + " " +
           std::to_string(place.from) + "-" + (place.to ? std::to_string(*place.to) : "") + ", " +
           std::to_string(place.ranks) + " ranks" + (place.live ? ", live" : "");
  }
  JobDetail detail(JobId id) { return std::get<JobDetail>(ask(ShowJob{id}).body); }
};

TEST_F(JobAnswers, TheLogOfAnAttemptEndsWhereTheNextBeganToWrite) {
  two_nodes();
  const JobId id = submit({.nodes = 2, .tasks = 4, .with = [](JobSpec& s) {
                             s.output = "out.%t";
                             s.error = "err.%t";
                           }});
  EXPECT_EQ(log(id, 0, 0), "job 1 has not run yet / see `cox why 1`");
  run_and_requeue(id, 0, 0);
  const std::string on_n1 = " on n1 at tcp://10.0.0.1:7000 with key-n1: /home/u/";
  const std::string on_n2 = " on n2 at tcp://10.0.0.2:7000 with key-n2: /home/u/";
  EXPECT_EQ(log(id, 1, 1), "1.1" + on_n1 + "out.1 1-, 4 ranks") << "the next has not begun";
  EXPECT_EQ(log(id, 0, 0),
            "attempt 2 of job 1 has not run / `cox logs -a 1 1` shows the output of attempt 1, the "
            "newest that has; see also `cox why 1`");
  run_and_requeue(id, 100, 10);
  ready(id);
  report_ranks(id, NodePhase::Running, 300, 30);
  EXPECT_EQ(log(id, 1, 0), "1.1" + on_n1 + "out.0 0-100, 4 ranks");
  EXPECT_EQ(log(id, 1, 2, true), "1.1" + on_n2 + "err.2 2-12, 4 ranks");
  EXPECT_EQ(log(id, 2, 3), "1.2" + on_n2 + "out.3 103-303, 4 ranks");
  EXPECT_EQ(log(id, 3, 3, true), "1.3" + on_n2 + "err.3 33-, 4 ranks, live");
  EXPECT_EQ(log(id, 0, 3), "1.3" + on_n2 + "out.3 303-, 4 ranks, live") << "the newest";
  EXPECT_EQ(log(id, 0, 4), "job 1 has ranks 0 to 3 / name one of them with -r");
  EXPECT_EQ(log(id, 0, -1), "job 1 has ranks 0 to 3 / name one of them with -r");
  EXPECT_EQ(log(id, 4, 0), "job 1 has no attempt 4 / it has attempts 1 to 3");
}

TEST_F(JobAnswers, AnAttemptThatWritesToAnotherFileEndsNoLog) {
  two_nodes();
  const JobId id = submit({.with = [](JobSpec& s) { s.output = "/logs/%N"; }});
  ASSERT_EQ(nodes(id), "n1");
  ask(ActOnNodes{true, {"n1"}, "bad fan"});
  run_and_requeue(id, 0, 0);
  ASSERT_EQ(nodes(id), "n2");
  ready(id);
  report_ranks(id, NodePhase::Running, 50, 50);
  EXPECT_EQ(log(id, 1, 0), "1.1 on n1 at tcp://10.0.0.1:7000 with key-n1: /logs/n1 0-, 1 ranks");
}

TEST_F(JobAnswers, ASmallerAttemptDoesNotEndTheLogsOfRanksThatItLacks) {
  two_nodes();
  const JobId id = submit({.nodes = 0, .tasks = 0, .with = [](JobSpec& s) {
                             s.node_sizes = "1-2";
                             s.tasks_per_node = 2;
                             s.output = "%t";
                           }});
  ASSERT_EQ(nodes(id), "n1n2");
  ask(ActOnNodes{true, {"n2"}, "bad fan"});
  run_and_requeue(id, 0, 0);
  ASSERT_EQ(nodes(id), "n1");
  ready(id);
  report_ranks(id, NodePhase::Running, 50, 50);
  EXPECT_EQ(log(id, 1, 1), "1.1 on n1 at tcp://10.0.0.1:7000 with key-n1: /home/u/1 1-51, 4 ranks");
  EXPECT_EQ(log(id, 1, 2), "1.1 on n2 at tcp://10.0.0.2:7000 with key-n2: /home/u/2 2-, 4 ranks");
}

TEST_F(JobAnswers, TheDetailOfAJobHasAllAttemptsAndCheckpoints) {
  two_nodes();
  const JobId id = submit({.nodes = 2, .tasks = 4});
  ready(id);
  const Attempt first = attempt(id);
  for (const AttemptNode& n : first.nodes) {
    AttemptStatus s = status_of(id, NodePhase::Running);
    for (std::int32_t k = 0; k < n.grant.ranks; ++k) {
      RankStatus& rank = s.ranks.emplace_back();
      rank.rank = n.grant.first_rank + k;
      rank.phase = RankPhase::Running;
      rank.saved = {{7, 10, 1, false}};
    }
    status(n.grant.node, s);
  }
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  finish(id, 143);
  pass_with_beats(Milliseconds{5'000}, {"n1", "n2"});  // the pause before the job may start again
  const JobEntry& known = job(id);
  ASSERT_EQ(known.attempts.size(), 2U);
  ASSERT_EQ(known.checkpoints.size(), 1U);
  const JobDetail shown = detail(id);
  EXPECT_EQ(shown.attempts, known.attempts);
  EXPECT_EQ(shown.checkpoints, known.checkpoints);
  EXPECT_EQ(shown.change_count, known.change_count);
  EXPECT_EQ(shown.job_checkpoint_dir, "/checkpoints/1-" + known.job.identity.text());
  EXPECT_EQ(shown.view.job, known.job);
  EXPECT_TRUE(shown.why.empty()) << shown.why.front();
  EXPECT_TRUE(shown.priority_parts.empty()) << "the job is not queued";
}

// Returns what a row of a job list shows of the job's last attempt, such as "n1 n2 in main, 4
// ranks, 4 CPUs, ...".
std::string has_text(const JobView& view) {
  std::string text;
  for (const std::string& node : view.nodes) text += node + " ";
  text += "in " + view.partition;
  for (const auto& [count, what] : {std::pair{view.ranks, " ranks"},
                                    {view.cpus, " CPUs"},
                                    {view.memory_mb, " MB"},
                                    {view.gpus, " GPUs"},
                                    {view.progress.step, " steps"},
                                    {view.ran_ms, " ms run"},
                                    {view.left_ms, " ms left"}})
    text += ", " + std::to_string(count) + what;
  return text + "; " + view.system_comment;
}

TEST_F(JobAnswers, ARowShowsTheLastAttemptUntilTheJobIsPendingAgain) {
  config.partitions.push_back({"other", {}, false, 0, 0, 0});
  restart();
  two_nodes();
  const JobId id = submit({.nodes = 2, .tasks = 4, .time_limit_s = 60, .with = [](JobSpec& s) {
                             s.partition = "other,main";
                             s.gpus_per_node = 1;
                             s.memory_mb_per_node = 300;
                           }});
  EXPECT_EQ(has_text(detail(id).view),
            "n1 n2 in other, 4 ranks, 4 CPUs, 600 MB, 2 GPUs, 0 steps, 0 ms run, -1 ms left; ");
  ready(id);
  for (const char* name : {"n1", "n2"}) {
    AttemptStatus s = status_of(id, NodePhase::Running);
    s.note = std::string("no room on ") + name;
    s.progress = {5, 10, {}, now.wall, 1, now.wall};
    status(name, s);
  }
  pass(Milliseconds{3'000});
  const std::string has = "n1 n2 in other, 4 ranks, 4 CPUs, 600 MB, 2 GPUs, 5 steps, ";
  const std::string notes = "; n1: no room on n1; n2: no room on n2";
  const JobView running = detail(id).view;
  EXPECT_EQ(has_text(running), has + "3000 ms run, 57000 ms left" + notes);
  EXPECT_EQ(running.reason, WaitReason::None);
  EXPECT_EQ(running.expected_start, Wall{});
  EXPECT_EQ(running.priority, 0);
  EXPECT_FALSE(running.at_the_earliest);
  ask(ActOnNodes{true, {"n1", "n2"}, "bad fans"});
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  for (const char* name : {"n1", "n2"}) status(name, status_of(id, NodePhase::Gone));
  ASSERT_EQ(state(id), "PENDING");
  const JobView waits = detail(id).view;
  EXPECT_EQ(has_text(waits),
            "in other,main, 0 ranks, 0 CPUs, 0 MB, 0 GPUs, 0 steps, 3000 ms run, -1 ms left; ");
  EXPECT_EQ(waits.reason, WaitReason::ReqNodeNotAvail);
}

TEST_F(JobAnswers, NoTimeIsLeftOnceTheLimitHasPassed) {
  node("n1", 2);
  const JobId id = submit({.time_limit_s = 60});
  ready(id);
  pass_with_beats(Milliseconds{61'000}, {"n1"});
  EXPECT_EQ(attempt(id).stop.why, StopWhy::TimeLimit);
  EXPECT_EQ(detail(id).view.left_ms, 0);
}

class JobLists : public JobAnswers {
 protected:
  std::string listed(const std::function<void(ListJobs&)>& edit) {
    ListJobs which;
    edit(which);
    const Reply reply = ask(which);
    std::string ids;
    for (const JobView& one : std::get<JobList>(reply.body).jobs)
      ids += (ids.empty() ? "" : " ") + std::to_string(one.job.id.value);
    for (const JobId unknown : std::get<JobList>(reply.body).unknown)
      ids += " not " + std::to_string(unknown.value);
    return ids;
  }
};

TEST_F(JobLists, AListHasTheJobsThatMatchAllFilters) {
  config.partitions.push_back({"other", {}, false, 0, 0, 0});
  restart();
  node("n1", 4);
  node("n2", 4);
  const auto held_in = [](const std::string& partition) {
    return Ask{.with = [partition](JobSpec& s) { s.partition = partition, s.hold = true; }};
  };
  const JobId runs = submit({}), ended = submit({});
  ready(runs);
  ready(ended);
  finish(ended, 0);
  submit(held_in("other"));
  user = "bob";
  submit(held_in("other"));
  const JobId in_both = submit(held_in("main,other"));
  user = "ada";
  submit({.with = [](JobSpec& s) {
    s.form = JobForm::Batch;
    s.hold = true;
    s.components.resize(1);
    s.components[0].nodes = s.components[0].tasks = 1;
    s.components[0].partition = "other";
  }});
  using L = ListJobs;
  EXPECT_EQ(listed([](L&) {}), "1 3 4 5 6") << "all that have not ended";
  EXPECT_EQ(listed([](L& l) { l.states = {JobState::Completed}; }), "2");
  EXPECT_EQ(listed([](L& l) { l.states = {JobState::Completed, JobState::Pending}; }), "2 3 4 5 6");
  EXPECT_EQ(listed([](L& l) { l.user_name = "bob"; }), "4 5");
  EXPECT_EQ(listed([](L& l) { l.partition = "other"; }), "3 4 5 6");
  EXPECT_EQ(listed([](L& l) { l.partition = "main"; }), "1 5 6");
  EXPECT_EQ(listed([](L& l) { l.partition = "other", l.user_name = "bob"; }), "4 5");
  EXPECT_EQ(listed([](L& l) { l.partition = "none"; }), "");
  EXPECT_EQ(listed([&](L& l) { l.after = in_both; }), "6");
  EXPECT_EQ(listed([&](L& l) { l.ids = {ended, runs}; }), "1 2") << "ended or not";
  EXPECT_EQ(listed([&](L& l) { l.ids = {ended, JobId{99}, runs}; }), "1 2 not 99");
  EXPECT_EQ(listed([&](L& l) { l.ids = {ended, runs}, l.after = runs; }), "2");
  EXPECT_EQ(listed([&](L& l) { l.ids = {ended, runs}, l.states = {JobState::Running}; }), "1");
  EXPECT_EQ(listed([&](L& l) { l.ids = {ended, in_both}, l.user_name = "bob"; }), "5");
}

TEST_F(JobLists, AFullPageOfJobsHasAThousandRowsAndABriefPageHasMore) {
  SubmitJobs many;
  many.request_id = "many";
  JobSpec spec;
  spec.command = {"train"};
  spec.work_dir = "/home/u";
  spec.hold = true;
  many.specs.assign(limits::page_rows_max, spec);
  EXPECT_EQ(refusal_of(ask(many)), "");
  const auto page = [&](JobId after, bool brief) {
    ListJobs which;
    which.after = after;
    which.brief = brief;
    const JobList list = std::get<JobList>(ask(which).body);
    return std::to_string(list.jobs.size()) + " and " + std::to_string(list.brief.size()) +
           (list.more ? ", and more" : "");
  };
  EXPECT_EQ(page(JobId{}, false), "1000 and 0");
  submit({.with = [](JobSpec& s) { s.hold = true; }});
  EXPECT_EQ(page(JobId{}, false), "1000 and 0, and more");
  EXPECT_EQ(page(JobId{1000}, false), "1 and 0");
  EXPECT_EQ(page(JobId{}, true), "0 and 1001");
}

// Each of ten jobs has a field that fills a quarter of a page.
TEST_F(JobLists, APageEndsAfterTheJobThatMakesItTooLarge) {
  constexpr std::size_t quarter = limits::page_bytes_max / 4;
  const std::string half(quarter / 2, 'x');
  using Words = std::vector<std::string>;
  const std::vector<std::pair<const char*, std::function<void(JobSpec&, const Words&)>>> fields = {
      {"command", [](JobSpec& s, const Words& words) { s.command = words; }},
      {"nodelist", [](JobSpec& s, const Words& words) { s.nodelist = words; }},
      {"exclude", [](JobSpec& s, const Words& words) { s.exclude = words; }},
      {"nodelist of a component",
       [](JobSpec& s, const Words& words) {
         s.components.resize(1);
         s.components[0].nodes = s.components[0].tasks = 1;
         s.components[0].nodelist = words;
       }},
      {"exclude of a component",
       [](JobSpec& s, const Words& words) {
         s.components.resize(1);
         s.components[0].nodes = s.components[0].tasks = 1;
         s.components[0].exclude = words;
       }},
      {"both lists", [](JobSpec& s, const Words& words) {
         s.nodelist = {words[0]};
         s.exclude = {words[1]};
       }}};
  for (const auto& [name, set] : fields) {
    database->tables.jobs.clear();
    JobSpec spec;
    spec.partition = "main";
    spec.qos = "standard";
    spec.nodes = spec.tasks = 1;
    set(spec, {half, half});
    for (std::int64_t i = 1; i <= 10; ++i) {
      Job one;
      one.id = JobId{i};
      one.spec = spec;
      one.held = true;
      one.submitted = one.eligible = now.wall;
      database->tables.jobs[one.id] = std::move(one);
    }
    restart();
    const JobList list = std::get<JobList>(ask(ListJobs{}).body);
    EXPECT_EQ(list.jobs.size(), 5u)
        << name << ": four fill the page exactly, so that one more fits";
    EXPECT_TRUE(list.more) << name;
    ListJobs brief;
    brief.brief = true;
    EXPECT_EQ(std::get<JobList>(ask(brief).body).brief.size(), 10u) << name;
  }
}

TEST_F(JobAnswers, NotesOfNodesAreShownUpToTheLimitOfTheirLength) {
  two_nodes();
  const JobId id = submit({.nodes = 2, .tasks = 4});
  ready(id);
  const auto say = [&](std::size_t bytes) {
    AttemptStatus first = status_of(id, NodePhase::Running);
    first.note = std::string(bytes, 'x');
    status("n1", first);
    AttemptStatus second = status_of(id, NodePhase::Running);
    second.note = "no room";
    status("n2", second);
    return detail(id).view.system_comment;
  };
  const std::size_t longest = limits::reason_bytes_max - std::string("n1: ").size();
  EXPECT_EQ(say(longest - 1), "n1: " + std::string(longest - 1, 'x') + "; n2: no room");
  EXPECT_EQ(say(longest), "n1: " + std::string(longest, 'x'));
}

}  // namespace
}  // namespace cox
