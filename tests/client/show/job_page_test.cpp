// Tests the whole page of `cox show job`, for a single job and for an array.
#include <gtest/gtest.h>

#include "client/show/show_job.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

// Returns the value of the line with this name, or "(none)" if the page has no such line.
std::string line_of_page(const JobDetail& job, const std::string& name) {
  const std::string page = "\n" + show_job(job, at_noon());
  const std::size_t at = page.find("\n" + name + "  ");
  if (at == std::string::npos) return "(none)";
  const std::size_t value = page.find_first_not_of(' ', at + 1 + name.size());
  return page.substr(value, page.find('\n', value) - value);
}

void ask_for_everything(JobSpec& spec) {
  spec.account = "physics";
  spec.cpus_per_task = 3;
  spec.memory_mb_per_node = 2048;
  spec.gpus_per_node = 2;
  spec.gpu_type = "h100";
  spec.gres = "fpga:1";
  spec.constraint = "fast";
  spec.min_cpus = 6;
  spec.prefer = "new";
  spec.contiguous = true;
  spec.exclusive_user = true;
  spec.topology = "required:leaf";
  spec.switches = "1@60";
  spec.licences = "matlab:2";
  spec.nodelist = {"n1", "n2"};
  spec.exclusive = true;
  spec.nice = 5;
  spec.reservation = "class";
  spec.command = {"./train", "--lr=0.1", "it's", "", "a b", "x_y,z@1"};
  spec.work_dir = "/data";
  spec.output = "out";
  spec.error = "err";
  spec.time_limit_s = 3600;
  spec.time_min_s = 600;
  spec.dependency = "afterok:12";
  spec.begin = before(at_noon(), minute_ms);
  spec.deadline = before(at_noon(), -120 * minute_ms);
}

TEST(JobPage, a_running_job_shows_its_whole_request_and_its_grants) {
  JobDetail detail = a_job(JobState::Running);
  Job& job = detail.view.job;
  JobSpec asked = *job.spec;
  ask_for_everything(asked);
  job.spec = asked;
  job.held = true;
  job.why = "started on 2 nodes";
  job.started = before(at_noon(), 2 * minute_ms);
  job.restarts = 1;
  job.avoid_nodes = {"n3", "n4"};
  job.exit_code = 3;  // the exit code of the previous attempt
  detail.view.partition = "gpu";
  detail.view.reason_detail = "2 nodes are busy";
  detail.view.expected_start = at_noon().now;
  detail.view.priority = 7;
  detail.view.ran_ms = 65'000;
  detail.view.left_ms = 0;
  detail.job_checkpoint_dir = "/ckpt/17";
  Attempt& attempt = detail.attempts.emplace_back();
  attempt.key.attempt = AttemptNumber{2};
  attempt.began = before(at_noon(), 2 * minute_ms);
  attempt.went = before(at_noon(), minute_ms);
  attempt.nodes.resize(2);
  attempt.nodes[0].grant.node = "n1";
  attempt.nodes[1].grant.node = "n2";
  attempt.nodes[0].note = "cannot write out";
  attempt.nodes[1].note = "disk full";
  EXPECT_EQ(show_job(detail, at_noon()),
            "job             17  digits\n"
            "state           RUNNING (held)\n"
            "why             started on 2 nodes\n"
            "node notes      n1: cannot write out; n2: disk full\n"
            "depends on      afterok:12\n"
            "earliest start  1 min ago  (2026-11-21 12:59:00)\n"
            "ends by         in 2 h  (2026-11-21 15:00:00)\n"
            "user            ada\n"
            "account         physics\n"
            "partition       gpu\n"
            "qos             standard\n"
            "nice            5\n"
            "reservation     class\n"
            "wants           2 nodes, 4 ranks, 3 CPUs a rank, 2.0 GiB a node, 2 h100 GPUs a "
            "node, fpga:1 a node, at least 6 CPUs a node, feature new preferred, feature fast, "
            "next to one another, topology required:leaf, switches 1@60, licences matlab:2, on "
            "n[1-2], shared only with jobs of the same user, exclusive\n"
            "command         ./train --lr=0.1 'it'\\''s' '' 'a b' x_y,z@1\n"
            "folder          /data\n"
            "output          out\n"
            "error           err\n"
            "time limit      1 h\n"
            "time min        10 min\n"
            "time left       0 s\n"
            "nodes           n[1-2]\n"
            "submitted       3 min ago  (2026-11-21 12:57:00)\n"
            "started         2 min ago  (2026-11-21 12:58:00)\n"
            "ran             1 min 5 s\n"
            "restarts        1\n"
            "avoids          n[3-4]\n"
            "checkpoints in  /ckpt/17\n"
            "\n"
            "ATTEMPT  NODES   FROM           BEGAN      STARTED    ENDED  STATE\n"
            "      2  n[1-2]  the beginning  2 min ago  1 min ago  -      running\n");
}

TEST(JobPage, a_small_pending_job_shows_no_lines_of_options_that_were_not_requested) {
  JobDetail detail = a_job(JobState::Pending);
  detail.view.job.spec.change().nodes = 1;
  detail.view.job.spec.change().tasks = 1;
  detail.view.nodes.clear();
  detail.view.reason_detail = "1 node is busy until 2026-11-21T12:05:00Z";
  detail.attempts.resize(1);
  detail.attempts[0].nodes.resize(1);
  detail.attempts[0].nodes[0].note = "of the attempt before";
  detail.attempts[0].ended = before(at_noon(), minute_ms);
  EXPECT_EQ(show_job(detail, at_noon()),
            "job        17  digits\n"
            "state      PENDING\n"
            "waits for  1 node is busy until 2026-11-21 13:05:00 (in 5 min)\n"
            "user       ada\n"
            "qos        standard\n"
            "wants      1 node, 1 rank, 1 CPU a rank\n"
            "submitted  3 min ago  (2026-11-21 12:57:00)\n"
            "\n"
            "ATTEMPT  NODES  FROM           BEGAN  STARTED  ENDED      STATE\n"
            "      0         the beginning  -      -        1 min ago  ended\n");
}

TEST(JobPage, a_finished_job_shows_how_it_ended) {
  JobDetail detail = a_job(JobState::Completed);
  Job& job = detail.view.job;
  job.spec.change().form = JobForm::Batch;
  job.spec.change().command = {"input.txt"};
  job.ended = before(at_noon(), minute_ms);
  job.started = before(at_noon(), 2 * minute_ms);
  detail.view.ran_ms = minute_ms;
  detail.view.partition = "main";
  detail.view.reason_detail = "not shown of a job that ended";
  EXPECT_EQ(show_job(detail, at_noon()),
            "job        17  digits\n"
            "state      COMPLETED\n"
            "user       ada\n"
            "partition  main\n"
            "qos        standard\n"
            "wants      2 nodes, 4 ranks, 1 CPU a rank\n"
            "command    (batch script) input.txt\n"
            "nodes      n[1-2]\n"
            "submitted  3 min ago  (2026-11-21 12:57:00)\n"
            "started    2 min ago  (2026-11-21 12:58:00)\n"
            "ended      1 min ago  (2026-11-21 12:59:00)\n"
            "ran        1 min\n"
            "result     exit code 0\n");
}

TEST(JobPage, a_job_that_did_not_exit_by_itself_shows_its_result_if_any) {
  JobDetail detail = a_job(JobState::Cancelled);
  EXPECT_EQ(line_of_page(detail, "result"), "(none)");
  detail.view.job.exit_code = 2;
  EXPECT_EQ(line_of_page(detail, "result"), "exit code 2");
  detail.view.job.exit_code = 0;
  detail.view.job.exit_signal = 9;
  EXPECT_EQ(line_of_page(detail, "result"), "killed by signal 9");
  EXPECT_EQ(line_of_page(a_job(JobState::Failed), "result"), "exit code 0");
}

TEST(JobPage, each_attempt_shows_where_it_resumed_and_its_state) {
  JobDetail detail = a_job(JobState::Running);
  for (int number = 1; number <= 6; ++number) {
    Attempt& attempt = detail.attempts.emplace_back();
    attempt.key.attempt = AttemptNumber{number};
    attempt.nodes.resize(1);
    attempt.nodes[0].grant.node = "n" + std::to_string(number);
    attempt.began = before(at_noon(), (10 - number) * minute_ms);
  }
  detail.attempts[0].ended = before(at_noon(), 8 * minute_ms);
  detail.attempts[0].outcome = "node n1 lost";
  detail.attempts[1].resume = ResumeFrom{AttemptNumber{1}, 40, JobId{}};
  detail.attempts[1].went = before(at_noon(), 7 * minute_ms);
  detail.attempts[1].ended = before(at_noon(), 6 * minute_ms);
  detail.attempts[1].stop.why = StopWhy::Preempt;
  detail.attempts[2].resume = ResumeFrom{AttemptNumber{3}, 50, JobId{12}};
  detail.attempts[2].stop.why = StopWhy::Preempt;
  detail.attempts[2].suspension.suspended = true;
  detail.attempts[3].suspension.suspended = true;
  detail.attempts[3].went = before(at_noon(), 5 * minute_ms);
  detail.attempts[5].went = before(at_noon(), 3 * minute_ms);
  const std::string page = show_job(detail, at_noon());
  EXPECT_EQ(
      page.substr(page.find("\n\n")),
      "\n"
      "\n"
      "ATTEMPT  NODES  FROM                  BEGAN      STARTED    ENDED      STATE\n"
      "      1  n1     the beginning         9 min ago  -          8 min ago  node n1 lost\n"
      "      2  n2     step 40 of attempt 1  8 min ago  7 min ago  6 min ago  ended\n"
      "      3  n3     step 50 of job 12     7 min ago  -          -          stopping: preempt\n"
      "      4  n4     the beginning         6 min ago  5 min ago  -          suspended\n"
      "      5  n5     the beginning         5 min ago  -          -          preparing\n"
      "      6  n6     the beginning         4 min ago  3 min ago  -          running\n");
}

TEST(JobPage, each_rank_shows_its_node_its_result_and_its_newest_saved_step) {
  JobDetail detail = a_job(JobState::Running);
  Attempt& attempt = detail.attempts.emplace_back();
  attempt.nodes.resize(2);
  attempt.nodes[0].grant = {"n1", 0, 2, 0, 0, {}};
  attempt.nodes[1].grant = {"n2", 2, 2, 0, 0, {}};
  attempt.ranks.resize(5);
  for (std::int32_t rank = 0; rank < 5; ++rank) attempt.ranks[rank].rank = rank;
  attempt.ranks[1].phase = RankPhase::Running;
  attempt.ranks[1].started = before(at_noon(), 3 * minute_ms);
  attempt.ranks[1].saved.resize(2);
  attempt.ranks[1].saved[0].step = 10;
  attempt.ranks[1].saved[1].step = 20;
  attempt.ranks[2].phase = RankPhase::Exited;
  attempt.ranks[2].exit_code = 4;
  attempt.ranks[2].ended = before(at_noon(), minute_ms);
  attempt.ranks[3].phase = RankPhase::Exited;
  attempt.ranks[3].exit_signal = 15;
  const std::string page = show_job(detail, at_noon());
  EXPECT_EQ(page.substr(page.find("\nRANK")),
            "\n"
            "RANK  NODE  STATE                SAVED STEP  STARTED    ENDED\n"
            "   0  n1    waiting                       -  -          -\n"
            "   1  n1    running                      20  3 min ago  -\n"
            "   2  n2    exit code 4                   -  -          1 min ago\n"
            "   3  n2    killed by signal 15           -  -          -\n"
            "   4  -     waiting                       -  -          -\n");
}

TEST(JobPage, each_checkpoint_shows_its_size_and_whether_it_is_usable) {
  JobDetail detail = a_job(JobState::Running);
  detail.checkpoints.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    detail.checkpoints[i].step = static_cast<std::int64_t>(10 * (i + 1));
    detail.checkpoints[i].key.attempt = AttemptNumber{static_cast<std::int32_t>(i + 1)};
    detail.checkpoints[i].bytes = std::int64_t{1536} << (10 * i);
    detail.checkpoints[i].files = 4;
    detail.checkpoints[i].committed = before(at_noon(), minute_ms);
  }
  detail.checkpoints[1].pruned = true;
  detail.checkpoints[2].pruned = true;
  detail.checkpoints[2].damaged = true;
  const std::string page = show_job(detail, at_noon());
  EXPECT_EQ(page.substr(page.find("\nCHECKPOINT")),
            "\n"
            "CHECKPOINT  ATTEMPT     SIZE  FILES  COMMITTED\n"
            "   step 10        1  1.5 KiB      4  1 min ago\n"
            "   step 20        2  1.5 MiB      4  1 min ago  pruned\n"
            "   step 30        3  1.5 GiB      4  1 min ago  damaged\n");
}

TEST(JobPage, a_time_limit_of_the_attempt_says_why_it_is_shorter_than_requested) {
  JobDetail detail = a_job(JobState::Running);
  JobSpec& spec = detail.view.job.spec.change();
  detail.attempts.emplace_back().time_limit_s = 1200;
  EXPECT_EQ(line_of_page(detail, "limit now"), "20 min, shortened to start sooner")
      << "the job has neither a limit nor a reservation";
  spec.reservation = "class";
  EXPECT_EQ(line_of_page(detail, "limit now"), "20 min, the rest of reservation class");
  spec.time_limit_s = 3600;
  EXPECT_EQ(line_of_page(detail, "limit now"), "20 min, shortened to start sooner");
  spec.deadline = before(at_noon(), -60 * minute_ms);
  EXPECT_EQ(line_of_page(detail, "limit now"),
            "20 min, shortened to meet its deadline or to start sooner");
  detail.attempts.back().fills = true;
  EXPECT_EQ(
      line_of_page(detail, "limit now"),
      "20 min, in a gap before reserved nodes are needed; then it saves, and continues later");
}

TEST(JobPage, a_pending_job_shows_its_priority) {
  JobDetail detail = a_job(JobState::Pending);
  EXPECT_EQ(line_of_page(detail, "priority"), "(none)");
  detail.view.priority = 7;
  EXPECT_EQ(line_of_page(detail, "priority"),
            "7; within its tier, the higher priority starts first");
  detail.view.job.state = JobState::Running;
  EXPECT_EQ(line_of_page(detail, "priority"), "(none)");
}

TEST(JobPage, numbers_are_written_in_singular_and_plural) {
  JobDetail detail = a_job(JobState::Pending);
  ParsedSpec& spec = detail.view.job.spec.change();
  spec.nodes = spec.tasks = 1;
  EXPECT_EQ(line_of_page(detail, "wants"), "1 node, 1 rank, 1 CPU a rank");
  spec.cpus_per_task = 2;
  spec.gpus_per_node = 1;
  spec.gpu_milli = 250;
  EXPECT_EQ(line_of_page(detail, "wants"), "1 node, 1 rank, 2 CPUs a rank, 0.25 GPU a node");
  spec.gpus_per_node = 0;
  spec.nodes = 0;
  spec.tasks = 3;
  spec.node_sizes = "2-4";
  spec.parse();
  EXPECT_EQ(line_of_page(detail, "wants"), "2-4 nodes, 6-12 ranks, 2 CPUs a rank")
      << "the number per node does not depend on the nodes";
  spec.node_sizes = "many";
  spec.parse();
  EXPECT_EQ(line_of_page(detail, "wants"), "many nodes, 3 ranks, 2 CPUs a rank");
}

TEST(JobPage, a_heterogeneous_job_shows_each_component_and_licences_once) {
  JobDetail detail = a_job(JobState::Pending);
  ParsedSpec& spec = detail.view.job.spec.change();
  spec.partition = "cpu";
  spec.licences = "matlab:1";
  spec.components.resize(2);
  spec.components[0].nodes = spec.components[0].tasks = 1;
  spec.components[0].partition = "gpu";
  spec.components[0].gpus_per_node = 2;
  spec.components[1].nodes = 3;
  spec.components[1].tasks = 6;
  spec.components[1].partition = "cpu";
  spec.parse();
  EXPECT_EQ(line_of_page(detail, "wants"),
            "component 0: 2 nodes, 4 ranks, 1 CPU a rank, licences matlab:1; component 1: 1 node, "
            "1 rank, 1 CPU a rank, 2 GPUs a node, partition gpu; component 2: 3 nodes, 6 ranks, 1 "
            "CPU a rank");
}

TEST(JobPage, a_task_of_an_array_names_its_array_and_its_own_id) {
  JobDetail detail = a_job(JobState::Running);
  Job& job = detail.view.job;
  EXPECT_EQ(line_of_page(detail, "array"), "(none)");
  job.id = JobId{20};
  job.array_job = JobId{17};
  job.array_task = 3;
  job.spec.change().array = "0-9";
  EXPECT_EQ(line_of_page(detail, "job"), "17_3  digits");
  EXPECT_EQ(line_of_page(detail, "array"), "17, tasks 0-9; the job id of this task is 20");
}

TEST(JobPage, an_array_shows_what_its_tasks_share_and_their_states) {
  JobDetail detail = an_array();
  detail.view.expected_start = before(at_noon(), -5 * minute_ms);
  detail.view.partition = "not that of a row";
  JobSpec& spec = detail.view.job.spec.change();
  spec.partition = "main";
  spec.dependency = "afterok:12";
  spec.begin = before(at_noon(), -minute_ms);
  spec.deadline = before(at_noon(), -60 * minute_ms);
  detail.tasks.push_back({JobState::NodeFail, 0, 9, 1, "10"});
  detail.tasks.push_back({JobState::Failed, 0, 0, 1, "not tasks"});
  EXPECT_EQ(show_job(detail, at_noon()),
            "array           17  digits\n"
            "tasks           0-9: 6 PENDING, 1 RUNNING, 2 COMPLETED, 2 FAILED, 1 NODE_FAIL\n"
            "waits for       17_[4-9]: no room\n"
            "depends on      afterok:12\n"
            "earliest start  in 1 min  (2026-11-21 13:01:00)\n"
            "ends by         in 1 h  (2026-11-21 14:00:00)\n"
            "start expected  17_[4-9]: in 5 min  (2026-11-21 13:05:00)\n"
            "user            ada\n"
            "partition       main\n"
            "qos             standard\n"
            "each wants      2 nodes, 4 ranks, 1 CPU a rank\n"
            "submitted       3 min ago  (2026-11-21 12:57:00)\n"
            "\n"
            "TASKS     STATE      HOW MANY  RESULT\n"
            "17_[4-9]  PENDING           6\n"
            "17_3      RUNNING           1\n"
            "17_[0,2]  COMPLETED         2\n"
            "17_1      FAILED            1  exit code 7\n"
            "17_10     NODE_FAIL         1  killed by signal 9\n"
            "\n"
            "`cox show job 17_10` shows one task in full.\n");
}

TEST(JobPage, a_pending_job_shows_from_which_checkpoint_of_another_job_it_begins) {
  JobDetail detail = a_job(JobState::Pending);
  detail.view.system_comment = "it is to begin from step 20 of job 3";
  EXPECT_EQ(line_of_page(detail, "next start"), "it is to begin from step 20 of job 3");
  EXPECT_EQ(line_of_page(a_job(JobState::Running), "next start"), "(none)");
}

TEST(JobPage, an_array_shows_no_reason_once_no_task_is_pending) {
  JobDetail detail = an_array();
  detail.view.expected_start = before(at_noon(), -5 * minute_ms);
  detail.view.job.state = JobState::Running;
  EXPECT_EQ(line_of_page(detail, "waits for"), "(none)");
  EXPECT_EQ(line_of_page(detail, "start expected"), "(none)");
  detail.view.job.state = JobState::Pending;
  detail.view.system_comment = "it is to begin from step 20 of job 3";
  EXPECT_EQ(line_of_page(detail, "next start"), "17_[4-9]: it is to begin from step 20 of job 3");
  detail.view.reason_detail = "";
  detail.view.expected_start = Wall{};
  EXPECT_EQ(line_of_page(detail, "waits for"), "(none)");
  EXPECT_EQ(line_of_page(detail, "start expected"), "(none)");
}

}  // namespace
}  // namespace cox
