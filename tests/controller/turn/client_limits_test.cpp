// Tests how many jobs, steps, nodes or partitions one request may name, and the replies to requests
// that act on them.
#include "common/base/limits.h"
#include "controller/turn/notices.h"
#include "tests/controller/array_story.h"

namespace cox {
namespace {

class ClientLimits : public JobArrays {
 protected:
  static inline const std::string of_owner = "ask that user, or run the command as that user";
  static std::string text(const Acted::Outcome& one) {
    return one.what + ": " +
           (one.refused ? one.refused->fact + " / " + one.refused->hint : one.done);
  }
  std::string only(decltype(Request::body) body, std::uint32_t uid = 1000) {
    const Reply reply = ask_as(uid, std::move(body));
    const auto* acted = std::get_if<Acted>(&reply.body);
    EXPECT_NE(acted, nullptr) << refusal_of(reply);
    return acted == nullptr ? "" : text(acted->outcomes.at(0));
  }
};

TEST_F(ClientLimits, ARequestNamesNoMoreJobsChangesOrNodesThanItsLimit) {
  const auto fact = [&](decltype(Request::body) body) { return refusal_of(ask(std::move(body))); };
  const auto jobs = [](std::vector<JobId> ids, std::vector<std::string> tasks = {}) {
    ListJobs list;
    list.ids = std::move(ids);
    list.tasks = std::move(tasks);
    return list;
  };
  const auto steps = [](std::vector<JobId> ids) {
    ListSteps list;
    list.ids = std::move(ids);
    return list;
  };
  const auto ids = [](std::size_t count) { return std::vector<JobId>(count, JobId{1}); };
  constexpr std::size_t rows = limits::page_rows_max, few = limits::request_ids_max;
  EXPECT_EQ(fact(jobs(ids(rows))), "");
  EXPECT_EQ(fact(jobs(ids(rows + 1))), "more than 1000 ids");
  EXPECT_EQ(fact(jobs(ids(2), {"0-49999", "0-49999"})), "");
  EXPECT_EQ(fact(jobs(ids(2), {"0-49999", "0-50000"})), "more than 100000 tasks");
  EXPECT_EQ(fact(steps(ids(rows))), "");
  EXPECT_EQ(fact(steps(ids(rows + 1))), "more than 1000 ids");
  const std::string many = "more than 64 jobs in one request";
  EXPECT_EQ(fact(ActOnJobs{JobVerb::Hold, ids(few)}), "");
  EXPECT_EQ(fact(ActOnJobs{JobVerb::Hold, ids(few + 1)}), many);
  EXPECT_EQ(fact(ListCheckpoints{ids(few), {}}), "");
  EXPECT_EQ(fact(ListCheckpoints{ids(few + 1), {}}), many);
  const std::string changes =
      "more than 64 jobs or changes in one request, or a name without a value";
  const std::vector<std::string> most(few, "Nice"), over(few + 1, "Nice");
  EXPECT_EQ(fact(UpdateJobs{ids(few), {}, most, most}), "");
  EXPECT_EQ(fact(UpdateJobs{ids(few + 1), {}, most, most}), changes);
  EXPECT_EQ(fact(UpdateJobs{ids(1), {}, over, over}), changes);
  EXPECT_EQ(fact(UpdateJobs{ids(1), {}, {"Nice"}, {}}), changes);
  constexpr std::size_t hosts = limits::hostlist_nodes_max;
  EXPECT_EQ(fact(ActOnNodes{true, std::vector<std::string>(hosts + 1, "n"), "r"}),
            "more than 65536 nodes");
  EXPECT_EQ(fact(UpdatePartitions{std::vector<std::string>(hosts + 1, "p"), {}}),
            "more than 65536 partitions");
  EXPECT_EQ(fact(SampleUsage{}), "the controller runs no jobs");
  EXPECT_EQ(fact(ReadLog{}), "the controller carries no logs");
}

TEST_F(ClientLimits, TheReplyToAnActionOnAJobSaysItsEffect) {
  node("n1", 4);
  const JobId runs = submit({}), ended = submit({});
  const JobId held = submit({.with = [](JobSpec& s) { s.hold = true; }});
  ready(runs);
  end(ended);
  const auto act_as = [&](std::uint32_t uid, JobVerb verb, JobId id) {
    return only(ActOnJobs{verb, {id}}, uid);
  };
  using enum JobVerb;
  const std::string has_ended = "2: job 2 has ended / see `cox history 2`";
  for (const JobVerb verb : {Hold, Release, Suspend})
    EXPECT_EQ(act_as(1000, verb, ended), has_ended);
  EXPECT_EQ(act_as(1000, Cancel, ended), "2: had already ended: COMPLETED");
  for (const JobVerb verb : {Cancel, Hold, Release, Requeue, Preempt, RequeueHold, Suspend, Resume})
    EXPECT_EQ(act_as(2000, verb, runs), "1: job 1 belongs to ada / ");
  EXPECT_EQ(act_as(1000, Hold, held), "3: was held already");
  EXPECT_EQ(act_as(1000, Hold, runs), "1: still running, will be held when requeued");
  EXPECT_EQ(act_as(1000, Release, runs), "1: released");
  EXPECT_EQ(act_as(1000, Release, runs), "1: was not held");
  EXPECT_EQ(act_as(1000, Suspend, held),
            "3: Job is pending execution: job 3 does not run / `cox hold` keeps it from starting");
  EXPECT_EQ(act_as(1000, Resume, held),
            "3: Job is not suspended: job 3 is PENDING / `cox release` lets it start");
  EXPECT_EQ(act_as(1000, Resume, runs), "1: Job is not suspended: job 1 is RUNNING / ");
  EXPECT_EQ(act_as(1000, Requeue, held), "3: is already pending");
  EXPECT_EQ(act_as(1000, Preempt, held),
            "3: job 3 is PENDING; only a running job can be preempted / see `cox why 3`");
  EXPECT_EQ(act_as(1000, Preempt, ended), "2: job 2 has ended / `cox requeue 2` queues it again");
  config.owner_uid = 7;
  restart();
  for (const JobVerb verb : {Suspend, Resume})
    EXPECT_EQ(act_as(1000, verb, runs), "1: only the cluster's own user may do that / " + of_owner);
  EXPECT_EQ(act_as(7, Hold, runs), "1: still running, will be held when requeued");
  EXPECT_EQ(act_as(1000, Cancel, held), "3: cancelled") << "its own";
  EXPECT_EQ(act_as(1000, Cancel, runs), "1: being cancelled");
}

TEST_F(ClientLimits, ASignalNeedsARunningJobAndItsOwner) {
  node("n1", 4);
  const JobId runs = submit({}), waits = submit({.nodes = 1, .tasks = 4});
  ready(runs);
  const auto sends = [&](std::int32_t signal, JobId id, std::int32_t step = -1,
                         std::uint32_t uid = 1000) {
    SignalJobs signals;
    signals.ids = {id};
    signals.signal = signal;
    signals.step = step;
    return only(signals, uid);
  };
  EXPECT_EQ(sends(1, runs), "1: sent signal 1");
  EXPECT_EQ(sends(64, runs), "1: sent signal 64");
  EXPECT_EQ(take<SignalAttempt>().size(), 2U);
  for (const std::int32_t wrong : {-1, 0, 65})
    EXPECT_EQ(sends(wrong, runs), ": there is no signal " + std::to_string(wrong) + " / ");
  EXPECT_EQ(sends(9, runs, -1, 2000), "1: job 1 belongs to ada / ");
  EXPECT_EQ(sends(9, waits),
            "2: Job is pending execution: job 2 does not run / only running jobs can get signals");
  EXPECT_EQ(sends(9, JobId{99}), "99: Invalid job id specified / ");
  for (const std::int32_t signal : {0, 9})
    EXPECT_EQ(sends(signal, runs, 3), "1.3: there is no step 1.3 / ");
  SignalJobs many;
  many.signal = 9;
  many.ids.assign(limits::request_ids_max + 1, runs);
  EXPECT_EQ(only(many), ": more than 64 jobs in one request / name fewer at a time");
  EXPECT_TRUE(take<SignalAttempt>().empty());
}

TEST_F(ClientLimits, StepsAreListedByJobAndUserPageByPage) {
  node("n1", 4);
  const JobId first = submit({.tasks = 2}), second = submit({.tasks = 2});
  for (const JobId id : {first, second}) {
    ready(id);
    for (const char* name : {"a", "b"}) {
      CreateStep step;
      step.request_id = name;
      step.job = id;
      step.spec.tasks = 1;
      step.spec.overlap = true;
      step.streams.endpoint = "ipc:///tmp/a";
      ask(step);
    }
  }
  StepStatus gone;
  gone.phase = StepPhase::Gone;
  AttemptStatus s = status_of(first, NodePhase::Running);
  s.steps = {gone};
  status("n1", s);
  const auto listed = [&](const auto& choose) {
    ListSteps wish;
    choose(wish);
    const auto list = std::get<StepList>(ask(wish).body);
    EXPECT_FALSE(list.more);
    std::string steps;
    for (const StepView& view : list.steps)
      steps += std::to_string(view.step.key.attempt.job.value) + "." +
               std::to_string(view.step.key.number) + " ";
    return steps;
  };
  EXPECT_EQ(listed([](ListSteps&) {}), "1.1 2.0 2.1 ");
  EXPECT_EQ(listed([](ListSteps& l) { l.ended = true; }), "1.0 1.1 2.0 2.1 ");
  EXPECT_EQ(listed([&](ListSteps& l) { l.ids = {second}; }), "2.0 2.1 ");
  EXPECT_EQ(listed([&](ListSteps& l) { l.ids = {second, first}; }), "1.1 2.0 2.1 ");
  EXPECT_EQ(listed([](ListSteps& l) { l.user_name = "ada"; }), "1.1 2.0 2.1 ");
  EXPECT_EQ(listed([](ListSteps& l) { l.user_name = "eve"; }), "");
  EXPECT_EQ(listed([&](ListSteps& l) { l.after = {attempt(second).key, 0}; }), "2.1 ");
  EXPECT_EQ(listed([&](ListSteps& l) { l.after = {attempt(first).key, 0}; }), "1.1 2.0 2.1 ");
}

TEST_F(ClientLimits, TheReplyToAnActionOnANodeOrAPartitionSaysItsEffect) {
  node("n1", 4);
  const std::string longest(limits::reason_bytes_max, 'x');
  const auto drained = [&](const std::string& name, const std::string& reason,
                           std::uint32_t uid = 1000) {
    return only(ActOnNodes{true, {name}, reason}, uid);
  };
  EXPECT_EQ(drained("m1", "r"), "m1: there is no node \"m1\" / did you mean n1?");
  EXPECT_EQ(drained("elsewhere", "r"),
            "elsewhere: there is no node \"elsewhere\" / `cox nodes` lists them");
  EXPECT_EQ(drained("n1", "r", 2000), "n1: only the cluster's own user may do that / " + of_owner);
  EXPECT_EQ(drained("n1", ""), "n1: a drain needs a reason / cox drain n1 --reason 'bad fan'");
  const std::string plain =
      "the reason is longer than 1024 bytes, or not printable / make it plain and shorter";
  for (const std::string& wrong : {longest + "x", std::string("a\nb"), std::string("\xff")})
    EXPECT_EQ(drained("n1", wrong), "n1: " + plain);
  EXPECT_EQ(drained("n1", longest), "n1: drained");
  EXPECT_EQ(only(ActOnNodes{false, {"n1"}, ""}), "n1: takes work again");
  EXPECT_EQ(only(ActOnNodes{false, {"n1"}, ""}), "n1: was not drained");
  submit({});
  EXPECT_EQ(drained("n1", "r"), "n1: draining: 1 job still runs");
  const auto set = [&](const std::string& name, const std::string& value,
                       const std::string& partition = "main", std::uint32_t uid = 1000) {
    return only(UpdatePartitions{{partition}, {{name, value}}}, uid);
  };
  EXPECT_EQ(set("State", "UP", "mian"),
            "mian: there is no partition \"mian\" / did you mean main?");
  EXPECT_EQ(set("State", "DOWN", "main", 2000),
            "main: only the cluster's own user may do that / " + of_owner);
  EXPECT_EQ(set("state", "on"),
            "main: \"on\" is not a state of a partition / it may be UP, DOWN, DRAIN or INACTIVE");
  for (const std::string& wrong : {longest + "x", std::string("a\nb"), std::string("\xff")})
    EXPECT_EQ(set("reason", wrong), "main: " + plain);
  EXPECT_EQ(set("STATE", "DOWN"),
            "main: is DOWN: jobs are accepted, but none starts; running jobs continue");
  EXPECT_EQ(set("Reason", longest),
            "main: is DOWN: jobs are accepted, but none starts; running jobs continue");
  EXPECT_EQ(database->tables.partitions.at("main").reason, longest);
  EXPECT_EQ(set("State", "UP"), "main: is UP: jobs are accepted, and start");
  EXPECT_EQ(database->tables.partitions.at("main").reason, "")
      << "the reason belonged to the former state";
}

TEST(NoticeEnvironment, TheProgramReceivesAllFactsAboutTheJob) {
  Notice notice;
  notice.job.id = JobId{7};
  notice.job.state = JobState::Failed;
  notice.job.exit_code = 3;
  notice.job.exit_signal = 9;
  notice.job.why = "exit code 3";
  JobSpec spec;
  spec.name = "deep";
  spec.user_name = "ada";
  spec.account = "physics";
  spec.partition = "gpu";
  spec.qos = "gold";
  spec.work_dir = "/home/u";
  spec.comment = "none";
  notice.job.spec = spec;
  std::vector<std::string> expected{"SLURM_CLUSTER_NAME=cox",      "SLURM_JOB_ID=7",
                                    "SLURM_JOB_NAME=deep",         "SLURM_JOB_USER=ada",
                                    "SLURM_JOB_ACCOUNT=physics",   "SLURM_JOB_PARTITION=gpu",
                                    "SLURM_JOB_QOS=gold",          "SLURM_JOB_STATE=FAILED",
                                    "SLURM_JOB_EXIT_CODE=3",       "SLURM_JOB_EXIT_SIGNAL=9",
                                    "SLURM_JOB_WORK_DIR=/home/u",  "SLURM_JOB_COMMENT=none",
                                    "SLURM_JOB_REASON=exit code 3"};
  EXPECT_EQ(notice_environment(notice, "cox"), expected);
  notice.job.array_job = JobId{5};
  notice.job.array_task = 2;
  expected.emplace_back("SLURM_ARRAY_JOB_ID=5");
  expected.emplace_back("SLURM_ARRAY_TASK_ID=2");
  EXPECT_EQ(notice_environment(notice, "cox"), expected);
}

}  // namespace
}  // namespace cox
