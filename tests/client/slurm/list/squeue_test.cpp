// Compares squeue with what Slurm 22.05.8 printed for the same queue.
#include "client/slurm/list/squeue.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/client/listing_story.h"

namespace cox {
namespace {

JobView a_view(std::int64_t id, const std::string& name) {
  JobView view;
  JobSpec& spec = view.job.spec.change();
  spec.name = name;
  spec.user_name = "ada";
  spec.uid = 1001;
  spec.gid = 100;
  spec.form = JobForm::Batch;
  spec.nodes = 1;
  spec.tasks = 1;
  spec.qos = "standard";
  spec.work_dir = "/home/ada";
  spec.command_path = "/home/ada/ok.sh";
  spec.submit_host = "login";
  view.job.id = JobId{id};
  view.job.submitted = *parse_moment("2026-11-22T12:30:57Z");
  view.job.eligible = view.job.submitted;
  view.partition = "main";
  view.reason = WaitReason::Resources;
  return view;
}

JobView running(std::int64_t id, const std::string& name, std::vector<std::string> nodes) {
  JobView view = a_view(id, name);
  view.job.state = JobState::Running;
  view.job.attempt = AttemptNumber{1};
  view.job.started = *parse_moment("2026-11-22T12:30:58Z");
  view.nodes = std::move(nodes);
  view.cpus = 2;
  view.ran_ms = 65'000;
  view.reason = WaitReason::None;
  return view;
}

JobView with_limit(JobView view, std::int64_t limit_s) {
  view.job.spec.change().time_limit_s = limit_s;
  if (view.job.state == JobState::Running) view.left_ms = limit_s * 1000 - view.ran_ms;
  return view;
}

JobView ended(std::int64_t id, const std::string& name, JobState state) {
  JobView view = running(id, name, {"n2"});
  view.job.state = state;
  view.job.ended = view.job.started;
  view.job.exit_code = state == JobState::Failed ? 3 : 0;
  view.ran_ms = 0;
  return view;
}

JobView array_row(std::int64_t id, const std::string& name, const std::string& tasks,
                  std::int64_t limit) {
  JobView view = a_view(id, name);
  view.job.array_job = JobId{id};
  view.job.array_tasks = *parse_array_tasks(tasks);
  view.job.array_limit = limit;
  return view;
}

JobView held(std::int64_t id, const std::string& name, const std::string& partition) {
  JobView view = a_view(id, name);
  view.job.held = true;
  view.reason = WaitReason::JobHeldUser;
  view.partition = partition;
  return view;
}

// Returns the queue of the Slurm cluster on which Slurm 22.05.8 printed the texts that these tests
// expect.
Desk a_queue(std::vector<std::string> environment = {}) {
  JobView array = with_limit(array_row(5, "arr", "2-5", 3), 26 * 3600);
  array.job.spec.change().nodes = 3;
  array.job.spec.change().tasks = 12;
  JobList list{
      {with_limit(running(1, "run1", {"n1"}), 3600),
       with_limit(running(2, "steps", {"n1", "n2"}), 1800), ended(3, "ok", JobState::Completed),
       ended(4, "fails", JobState::Failed), array, held(6, "held", "high,main")},
      false,
      {}};
  list.jobs[0].job.spec.change().comment = "hello";
  return {read_squeue, {list}, std::move(environment)};
}

TEST(Squeue, prints_the_default_long_and_start_tables_as_slurm_does) {
  const Desk desk = a_queue();
  EXPECT_EQ(desk.out({}),
            "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
            "                 6 high,main     held      ada PD       0:00      1 (JobHeldUser)\n"
            "         5_[2-5%3]      main      arr      ada PD       0:00      3 (Resources)\n"
            "                 1      main     run1      ada  R       1:05      1 n1\n"
            "                 2      main    steps      ada  R       1:05      2 n[1-2]\n");
  EXPECT_EQ(
      desk.out({"-t", "all", "-h"}),
      "                 6 high,main     held      ada PD       0:00      1 (JobHeldUser)\n"
      "                 3      main       ok      ada CD       0:00      1 n2\n"
      "                 4      main    fails      ada  F       0:00      1 (NonZeroExitCode)\n"
      "         5_[2-5%3]      main      arr      ada PD       0:00      3 (Resources)\n"
      "                 1      main     run1      ada  R       1:05      1 n1\n"
      "                 2      main    steps      ada  R       1:05      2 n[1-2]\n");
  EXPECT_EQ(desk.out({"-l", "-j1,5"}),
            "Sun Nov 22 12:32:03 2026\n"
            "             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES "
            "NODELIST(REASON)\n"
            "         5_[2-5%3]      main      arr      ada  PENDING       0:00 1-02:00:00      3 "
            "(Resources)\n"
            "                 1      main     run1      ada  RUNNING       1:05   1:00:00      1 "
            "n1\n");
  EXPECT_EQ(desk.out({"--start"}),
            "             JOBID PARTITION     NAME     USER ST          START_TIME  NODES "
            "SCHEDNODES           NODELIST(REASON)\n"
            "         5_[2-5%3]      main      arr      ada PD                 N/A      3 (null)  "
            "             (Resources)\n"
            "                 6 high,main     held      ada PD                 N/A      1 (null)  "
            "             (JobHeldUser)\n");
}

TEST(Squeue, accepts_every_format_letter) {
  std::string letters = "%a";
  for (const char c : std::string("bcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    letters += std::string("|%") + c;
  EXPECT_EQ(a_queue().out({"-j1", "-o", letters}),
            "ACCOUNT|TRES_PER_NODE|MIN_CPUS|MIN_TMP_DISK|END_TIME|FEATURES|GROUP|OVER_SUBSCRIBE|"
            "JOBID|NAME|COMMENT|TIME_LIMIT|MIN_MEMORY|REQ_NODES|COMMAND|PRIORITY|QOS|REASON||ST|"
            "USER|RESERVATION|WCKEY|EXC_NODES|NICE|S:C:T|JOBID|EXEC_HOST|CPUS|NODES|DEPENDENCY|"
            "ARRAY_JOB_ID|GROUP|SOCKETS_PER_NODE|CORES_PER_SOCKET|THREADS_PER_CORE|ARRAY_TASK_ID|"
            "TIME_LEFT|TIME|NODELIST|CONTIGUOUS|PARTITION|PRIORITY|NODELIST(REASON)|START_TIME|"
            "STATE|UID|SUBMIT_TIME|LICENSES|CORE_SPEC|SCHEDNODES|WORK_DIR\n"
            "(null)|N/A|1|0|2026-11-22T13:30:58|(null)|staff|OK|1|run1|hello|1:00:00|0||"
            "/home/ada/ok.sh|0.00000000023283|standard|None||R|ada|(null)|(null)||0|*:*:*|1|n1|2|"
            "1|(null)|1|100|*|*|*|N/A|58:55|1:05|n1|0|main|1|n1|2026-11-22T12:30:58|RUNNING|1001|"
            "2026-11-22T12:30:57|(null)|N/A|(null)|/home/ada\n");
}

TEST(Squeue, accepts_all_columns_at_once) {
  const std::string all = a_queue().out({"-j1", "-o", "%all"});
  EXPECT_TRUE(all.starts_with("ACCOUNT|TRES_PER_NODE|MIN_CPUS|")) << all;
  EXPECT_TRUE(all.ends_with("|(null)|N/A|(null)|/home/ada\n")) << all;
}

TEST(Squeue, accepts_the_formats_that_other_programs_pass) {
  const Desk desk = a_queue();
  EXPECT_EQ(desk.out({"-h", "-j", "1", "-o", "%T %B"}), "RUNNING n1\n");
  EXPECT_EQ(desk.out({"-a", "-o", "%A %t", "-j", "1"}), "JOBID ST\n1 R\n");
  EXPECT_EQ(desk.out({"--noheader", "--format=%i %t", "--job", "1,2"}), "1 R\n2 R\n");
  EXPECT_EQ(desk.out({"-aho", " %A"}).substr(0, 3), " 6\n");
  EXPECT_EQ(desk.out({"-hj1", "-o", "\"%i\",\"%M\",\"%R\""}), "\"1\",\"1:05\",\"n1\"\n");
  EXPECT_EQ(desk.out({"-hj1", "-o", "%i^^^%C^^^%S"}), "1^^^2^^^2026-11-22T12:30:58\n");
  EXPECT_EQ(desk.out({"-O", "JobArrayID,StateCompact,Reason", "-t", "all", "-j", "1,5"}),
            "JOBID               ST                  REASON              \n"
            "5_[2-5%3]           PD                  Resources           \n"
            "1                   R                   None                \n");
  EXPECT_EQ(desk.out({"-hj1", "--noconvert", "-O", "JobID:\x1f,STDOUT:\x1f,tres-alloc:\x1f"}),
            "1\x1f/home/ada/slurm-1.out\x1f"
            "cpu=2,node=1,billing=2\x1f\n");
  EXPECT_EQ(desk.out({"-hj1", "-O", "name:.3ZZ,Name:-5,Name:6|,jobid"}),
            "runZZrun1 run1  |1                   \n");
}

TEST(Squeue, reports_unknown_columns_and_prints_them_unchanged) {
  const Desk desk = a_queue();
  EXPECT_EQ(desk.out({"-j1", "-o", "%.18i|%-8j|%8j|%.3j|%3j|%j"}),
            "             JOBID|%-8j|NAME    |NAM|NAM|NAME\n"
            "                 1|%-8j|run1    |run|run|run1\n");
  EXPECT_EQ(desk.err({"-j1", "-o", "%-8j"}),
            "squeue: error: Invalid job format specification: -\n");
  EXPECT_EQ(desk.out({"-j1", "-O", "JobID,Bogus,Name"}),
            "JOBID               NAME                \n1                   run1                \n");
  EXPECT_EQ(desk.err({"-j1", "-O", "Bogus"}),
            "squeue: error: Invalid job format specification: Bogus\n");
  EXPECT_EQ(desk.out({"-j1", "-o", "[%%] %5% x"}), "[%] %5% x\n[%] %5% x\n");
  EXPECT_EQ(desk.out({"-j2", "-o", "%N|%1N|%.10N|%12N|%1C|%2R|%.3R"}),
            "NODELIST|N|  NODELIST|NODELIST    |C|NO|NODELIST(REASON)\n"
            "n[1-2]|n|    n[1-2]|n[1-2]      |2|n[|n[1-2]\n");
}

TEST(Squeue, shows_arrays_by_task_or_combined) {
  const Desk desk = a_queue();
  EXPECT_EQ(desk.out({"-r", "-h", "-j5", "-o", "%i %A %F %K"}),
            "5_2 5 5 2\n5_3 5 5 3\n5_4 5 5 4\n5_5 5 5 5\n");
  EXPECT_EQ(desk.out({"-h", "-j5_2,5_4", "-o", "%i"}), "5_2\n5_4\n");
  EXPECT_EQ(desk.out({"-h", "-j5_9", "-o", "%i"}), "");
  EXPECT_EQ(desk.shown({"-j5_9"}).exit_code, 0);
  JobView requeued = a_view(7, "arr");
  requeued.job.array_job = JobId{5};
  requeued.job.array_task = 1;
  Desk more = desk;
  std::get<JobList>(more.answers[0]).jobs.push_back(requeued);
  EXPECT_EQ(more.out({"-h", "-n", "arr", "-o", "%i"}), "5_[1-5%3]\n");
  EXPECT_EQ(more.out({"-h", "-n", "arr", "-S", "-i", "--array-unique", "-o", "%i"}),
            "5_[2-5%3]\n5_1\n");
}

TEST(Squeue, selects_jobs_by_lists) {
  const Desk desk = a_queue();
  const auto ids = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"-h", "-o%A"});
    return desk.out(words);
  };
  EXPECT_EQ(ids({"-p", "high"}), "6\n");
  EXPECT_EQ(ids({"-p", "high,gpu"}), "6\n");
  EXPECT_EQ(ids({"-P", "-p", "high"}), "6\n");
  EXPECT_EQ(desk.out({"-P", "-h", "-t", "PD", "-o", "%P %i"}), "high 6\nmain 5_[2-5%3]\nmain 6\n");
  EXPECT_EQ(ids({"-n", "run1,ok"}), "1\n");
  EXPECT_EQ(ids({"-u", "bob,1001", "-t", "R"}), "1\n2\n");
  EXPECT_EQ(ids({"-u", "bob"}), "");
  EXPECT_EQ(ids({"--me", "--states=running"}), "1\n2\n");
  EXPECT_EQ(ids({"-q", "standard", "-t", "cd,F"}), "3\n4\n");
  EXPECT_EQ(ids({"-A", "physics"}) + ids({"-R", "r1"}) + ids({"-L", "a"}), "");
  EXPECT_EQ(ids({"-S", "-i", "-t", "all"}), "6\n5\n4\n3\n2\n1\n");
  EXPECT_EQ(ids({"-S", "+j", "-t", "all"}), "5\n4\n6\n3\n1\n2\n");
  EXPECT_EQ(ids({"-t", "BOOT_FAIL,rq"}), "");
  Desk with_nodes = desk;
  NodeList nodes;
  nodes.nodes.resize(2);
  nodes.nodes[0].node.name = "n1";
  nodes.nodes[1].node.name = "n2";
  with_nodes.answers.emplace_back(nodes);
  EXPECT_EQ(with_nodes.out({"-h", "-w", "n2", "-o%A"}), "2\n");
  EXPECT_EQ(with_nodes.err({"-w", "n1,n9"}), "squeue: error: Invalid node name n9\n");
}

TEST(Squeue, asks_the_controller_only_for_the_selected_jobs) {
  const auto asked = [](const std::vector<std::string>& words) {
    return std::get<ListJobs>(a_queue().listing(words).questions.at(0));
  };
  EXPECT_EQ(asked({"-u", "ada", "-p", "main"}).user_name, "ada");
  EXPECT_EQ(asked({"-u", "ada", "-p", "main"}).partition, "main");
  EXPECT_EQ(asked({"-u", "ada,bob"}).user_name, "");
  EXPECT_EQ(asked({"-j", "7,8_[1-3]"}).ids, (std::vector{JobId{7}, JobId{8}}));
  EXPECT_EQ(asked({"-t", "R"}).states, std::vector{JobState::Running});
  EXPECT_EQ(a_queue().listing({"-u", "nobodyx"}).notes, "squeue: error: Invalid user: nobodyx\n\n");
  EXPECT_EQ(a_queue().listing({"-i", "5"}).every_s, 5);
}

TEST(Squeue, one_unknown_id_is_an_error_but_several_are_not) {
  const Desk desk{read_squeue, {JobList{{}, false, {JobId{98}, JobId{99}}}}};
  EXPECT_EQ(desk.shown({"-h", "-j", "99"}).exit_code, 1);
  EXPECT_EQ(desk.err({"-h", "-j", "99"}), "slurm_load_jobs error: Invalid job id specified\n");
  EXPECT_EQ(desk.shown({"-hj", "98,99"}).exit_code, 0);
  EXPECT_EQ(desk.out({"-hj98,99"}), "");
}

TEST(Squeue, refuses_in_slurms_words) {
  const Desk desk = a_queue();
  const std::string more = "\nTry \"squeue --help\" for more information\n";
  EXPECT_EQ(desk.err({"--bogus"}), "squeue: unrecognized option '--bogus'" + more);
  EXPECT_EQ(desk.err({"-Z"}), "squeue: invalid option -- 'Z'" + more);
  EXPECT_EQ(desk.err({"-i"}), "squeue: option requires an argument -- 'i'" + more);
  EXPECT_EQ(desk.err({"--all=x"}), "squeue: option '--all' doesn't allow an argument" + more);
  EXPECT_EQ(desk.err({"--a=x"}),
            "squeue: option '--a=x' is ambiguous; possibilities: '--accounts' '--all' '--array' "
            "'--array-unique'" +
                more);
  EXPECT_EQ(desk.out({"--nohead", "-j1", "--form=%i"}), "1\n");
  EXPECT_EQ(desk.err({"-j", "x"}), "squeue: error: Invalid job id: x\n");
  EXPECT_EQ(desk.err({"-s", "2"}), "squeue: error: Invalid job_step id: 2.??\n");
  EXPECT_EQ(desk.err({"-i", "0"}), "squeue: error: --iterate=0\n");
  EXPECT_EQ(desk.err({"-o", "%i", "-O", "jobid"}),
            "squeue: error: -O (--Format) is incompatible with -o (--format)\n");
  EXPECT_EQ(desk.err({"-S", "foo"}), "squeue: error: Invalid sort specification: o\n");
  EXPECT_NE(desk.err({"-t", "PD,foo"}).find("Invalid job state specified: foo\n"),
            std::string::npos);
  EXPECT_NE(desk.err({"-j", "1", "5"}).find("squeue: error: Unrecognized option: 5\nUsage: "),
            std::string::npos);
  EXPECT_NE(desk.err({"-l", "-o", "%i"}).find("squeue: fatal: Options -o(--format) and -l"),
            std::string::npos);
  EXPECT_EQ(desk.err({"--only-job-state", "-s"}),
            "squeue: fatal: Options --only-job-state and -s(--steps) are mutually exclusive. "
            "Please remove one and retry.\n");
  EXPECT_EQ(desk.out({"--only-job-state", "-h", "-j1", "-o", "%i"}), "1\n");
  for (const auto* words : {"--bogus", "-Z", "-jx", "-Sfoo"})
    EXPECT_EQ(desk.shown({words}).exit_code, 1) << words;
}

TEST(Squeue, takes_its_defaults_from_variables) {
  const auto printed = [](const std::vector<std::string>& environment,
                          const std::vector<std::string>& words) {
    return a_queue(environment).out(words);
  };
  EXPECT_EQ(printed({"SQUEUE_FORMAT=%i", "SQUEUE_FORMAT2=Name"}, {"-hj1"}), "1\n");
  EXPECT_EQ(printed({"SQUEUE_FORMAT2=Name:5"}, {"-hj1"}), "run1 \n");
  EXPECT_EQ(printed({"SQUEUE_FORMAT=%i"}, {"-hj1", "-o", "%j"}), "run1\n");
  EXPECT_EQ(printed({"SQUEUE_FORMAT=%i", "SQUEUE_STATES=CD"}, {"-h"}), "3\n");
  EXPECT_EQ(printed({"SQUEUE_FORMAT=%i", "SQUEUE_STATES=CD"}, {"-h", "-tF"}), "4\n");
  EXPECT_EQ(printed({"SQUEUE_FORMAT=%i", "SQUEUE_SORT=-i"}, {"-htR"}), "2\n1\n");
  EXPECT_EQ(printed({"SQUEUE_FORMAT=%i", "SQUEUE_PARTITION=high"}, {"-h"}), "6\n");
  EXPECT_EQ(printed({"SQUEUE_FORMAT=%i", "SQUEUE_USERS=bob"}, {"-h"}), "");
  EXPECT_EQ(printed({"SQUEUE_FORMAT=%i", "SQUEUE_ARRAY=1"}, {"-hj5"}), "5_2\n5_3\n5_4\n5_5\n");
  EXPECT_EQ(printed({"SLURM_TIME_FORMAT=%s"}, {"-hj1", "-o%V"}), "1795350657\n");
  EXPECT_EQ(printed({"SLURM_TIME_FORMAT=relative"}, {"-hj1", "-o%V"}), "12:30:57\n");
  EXPECT_EQ(printed({"SLURM_TIME_FORMAT=%b %d"}, {"-hj1", "-o%V"}), "Nov 22\n");
}

TEST(Squeue, shows_only_its_own_cluster) {
  Desk desk = a_queue();
  ClusterView cluster;
  cluster.name = "peer";
  desk.answers.emplace_back(cluster);
  EXPECT_EQ(desk.out({"-M", "all", "-j1", "-o%i"}), "CLUSTER: peer\nJOBID\n1\n");
  EXPECT_EQ(desk.out({"--cluster=peer", "-hj1", "-O", "cluster:|"}), "peer|\n");
  EXPECT_NE(desk.err({"-M", "x"}).find("squeue: error: 'x' can't be reached now"),
            std::string::npos);
}

TEST(Squeue, shows_running_steps) {
  StepView step;
  step.step.key = {{JobId{2}, AttemptNumber{1}}, 0};
  step.step.spec.name = "stepname";
  step.step.state = JobState::Running;
  step.step.tasks = 2;
  step.step.nodes.resize(2);
  step.step.nodes[0].node = "n1";
  step.step.nodes[1].node = "n2";
  step.user_name = "ada";
  step.partition = "main";
  step.ran_ms = 65'000;
  StepView of_array = step;
  of_array.step.key.attempt.job = JobId{14};
  of_array.array_job = JobId{13};
  of_array.array_task = 4;
  StepView over = step;
  over.step.key.number = 1;
  over.step.state = JobState::Completed;
  Desk desk = a_queue();
  desk.answers.emplace_back(StepList{{step, over, of_array}, false});
  EXPECT_EQ(desk.out({"-s"}),
            "         STEPID     NAME PARTITION     USER      TIME NODELIST\n"
            "        1.batch    batch      main      ada      1:05 n1\n"
            "            2.0 stepname      main      ada      1:05 n[1-2]\n"
            "        2.batch    batch      main      ada      1:05 n1\n"
            "         13_4.0 stepname      main      ada      1:05 n[1-2]\n");
  EXPECT_EQ(desk.out({"-h", "-s", "2.0", "-o", "%i|%j|%A"}), "2.0|stepname|2\n");
  EXPECT_EQ(desk.out({"-h", "--steps=13_4.0", "-O", "StepID:|,ArrayTaskID:|"}), "13_4.0|4|\n");
  EXPECT_EQ(desk.out({"-h", "-s", "-j", "2", "-o", "%i"}), "2.0\n2.batch\n");
  EXPECT_EQ(desk.err({"-s", "-o", "%x"}),
            "squeue: error: Invalid job step format specification: x\n");
}

TEST(Squeue, prints_slurms_json) {
  const auto json = nlohmann::json::parse(a_queue().out({"--json", "-t", "R,F"}));
  ASSERT_EQ(json["jobs"].size(), 3u);
  const auto& job = json["jobs"][0];
  EXPECT_EQ(job["job_id"], 1);
  EXPECT_EQ(job["job_state"], nlohmann::json::array({"RUNNING"}));
  EXPECT_EQ(job["time_limit"],
            (nlohmann::json{{"set", true}, {"infinite", false}, {"number", 60}}));
  EXPECT_EQ(job["submit_time"]["number"], 1795350657);
  EXPECT_EQ(job["node_count"]["number"], 1);
  EXPECT_EQ(json["jobs"][2]["exit_code"]["return_code"]["number"], 3);
  EXPECT_EQ(json["meta"]["slurm"]["version"]["major"], "23");
  EXPECT_TRUE(json["errors"].empty() && json["warnings"].empty());
  EXPECT_EQ(a_queue().shown({"--json=v0.0.39"}).exit_code, 1);
}

TEST(Squeue, prints_nothing_before_its_json) {
  Desk desk = a_queue();
  ClusterView cluster;
  cluster.name = "peer";
  desk.answers.emplace_back(cluster);
  const auto json = nlohmann::json::parse(desk.out({"--json", "-M", "all", "-v", "-j1"}));
  EXPECT_EQ(json["jobs"].size(), 1u);
  EXPECT_EQ(json["jobs"][0]["cluster"], "peer");
}

TEST(Squeue, has_no_json_of_steps) {
  for (const auto* option : {"--json", "--yaml"}) {
    const Shown shown = a_queue().shown({"--steps", option});
    EXPECT_EQ(shown.out, "");
    EXPECT_EQ(shown.err,
              "squeue: error: --json and --yaml show jobs, not steps: leave out --steps, or choose "
              "what to read with -h -o FORMAT\n");
    EXPECT_EQ(shown.exit_code, 1);
  }
  const std::string help = a_queue().out({"--help"});
  EXPECT_TRUE(help.starts_with("Usage: squeue [OPTIONS]\n\n"));
  EXPECT_LT(help.find("--sort"), help.find("\n\nHelp options:\n"));
  EXPECT_GT(help.find("--usage"), help.find("\n\nHelp options:\n"));
}

TEST(Squeue, shows_no_control_characters) {
  Desk desk{read_squeue, {JobList{{running(1, "a\x1b[31m\n|b", {"n1"})}, false, {}}}};
  EXPECT_EQ(desk.out({"-h", "-o", "%j|%i"}), "a?[31m?|b|1\n");
}

}  // namespace
}  // namespace cox
