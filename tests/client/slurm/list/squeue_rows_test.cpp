// Tests which rows squeue's options select, the columns of steps, its variables, and the options in
// effect.
#include <gtest/gtest.h>

#include "client/slurm/list/squeue.h"
#include "client/slurm/list/squeue_request.h"
#include "tests/client/listing_story.h"

namespace cox {
namespace {

JobView a_row_view(std::int64_t id, JobState state, const std::string& user) {
  JobView view;
  JobSpec& spec = view.job.spec.change();
  spec.name = "job" + std::to_string(id);
  spec.user_name = user;
  spec.uid = user == "ada" ? 1001 : 1002;
  spec.form = JobForm::Batch;
  spec.nodes = spec.tasks = 1;
  view.job.id = JobId{id};
  view.job.state = state;
  view.partition = "main";
  if (state != JobState::Pending) view.job.attempt = AttemptNumber{1};
  if (state != JobState::Pending) view.nodes = {"n1", "n2"};
  return view;
}

JobView an_array_view(std::int64_t id, const std::string& tasks) {
  JobView view = a_row_view(id, JobState::Pending, "ada");
  view.job.array_job = JobId{id};
  view.job.array_tasks = *parse_array_tasks(tasks);
  return view;
}

JobView a_task_view(std::int64_t id, std::int64_t array, std::int64_t task, JobState state) {
  JobView view = a_row_view(id, state, "ada");
  view.job.spec.change().name = "job" + std::to_string(array);
  view.job.array_job = JobId{array};
  view.job.array_task = task;
  return view;
}

Desk a_desk_of_jobs(std::vector<JobView> jobs, std::vector<std::string> environment = {}) {
  return {read_squeue, {JobList{std::move(jobs), false, {}}}, std::move(environment)};
}

std::string ids_left(const std::vector<JobView>& jobs, std::vector<std::string> words) {
  words.insert(words.end(), {"-h", "-S", "i", "-o", "%i"});
  const Shown shown = a_desk_of_jobs(jobs).shown(words);
  std::string text = shown.out + shown.err;
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

TEST(SqueueRows, AreThoseThatMatchAllFilters) {
  JobView rich = a_row_view(1, JobState::Running, "ada");
  JobSpec& spec = rich.job.spec.change();
  spec.account = "physics";
  spec.qos = "high";
  spec.reservation = "class";
  spec.licences = "a:2,b";
  const std::vector<JobView> jobs = {rich, a_row_view(2, JobState::Pending, "bob"),
                                     a_row_view(3, JobState::Completed, "ada")};
  EXPECT_EQ(ids_left(jobs, {}), "1 2 ");
  EXPECT_EQ(ids_left(jobs, {"-t", "all"}), "1 2 3 ");
  EXPECT_EQ(ids_left(jobs, {"-A", "physics"}), "1 ");
  EXPECT_EQ(ids_left(jobs, {"-A", "chemistry"}), "");
  EXPECT_EQ(ids_left(jobs, {"-q", "high,low"}), "1 ");
  EXPECT_EQ(ids_left(jobs, {"-R", "class"}), "1 ");
  EXPECT_EQ(ids_left(jobs, {"-L", "b"}), "1 ");
  EXPECT_EQ(ids_left(jobs, {"-L", "a"}), "1 ") << "the number of licences does not matter";
  EXPECT_EQ(ids_left(jobs, {"-L", "c"}), "");
  EXPECT_EQ(ids_left(jobs, {"-u", "1002"}), "2 ");
  EXPECT_EQ(ids_left(jobs, {"-w", "n2,n7"}), "1 ");
  EXPECT_EQ(ids_left(jobs, {"-w", "n7"}), "");
  EXPECT_EQ(ids_left(jobs, {"-n", "job1", "-u", "bob"}), "");
  EXPECT_EQ(ids_left(jobs, {"-p", "other"}), "");
  EXPECT_EQ(ids_left(jobs, {"-t", "CD,R"}), "1 3 ");
  EXPECT_EQ(ids_left(jobs, {"-t", "SO"}), "") << "no job is ever in this state";
}

TEST(SqueueRows, CombineThePendingTasksOfAnArray) {
  std::vector<JobView> jobs = {an_array_view(5, "4-6"), a_task_view(8, 5, 2, JobState::Pending),
                               a_task_view(9, 5, 3, JobState::Running),
                               a_task_view(10, 5, 1, JobState::Cancelled),
                               a_task_view(12, 11, 0, JobState::Pending)};
  jobs[3].job.attempt = AttemptNumber{};
  EXPECT_EQ(ids_left(jobs, {}), "5_3 5_[2,4-6] 11_0 ") << "a single pending task has its own row";
  EXPECT_EQ(ids_left(jobs, {"--array"}), "5_2 5_3 5_4 5_5 5_6 11_0 ");
  EXPECT_EQ(ids_left(jobs, {"--array-unique"}), "5_2 5_3 5_[4-6] 11_0 ");
  EXPECT_EQ(ids_left(jobs, {"-j", "5"}), "5_3 5_[2,4-6] ");
  EXPECT_EQ(ids_left(jobs, {"-j", "5_[3-4]"}), "5_3 5_4 ");
  EXPECT_EQ(ids_left(jobs, {"-j", "5_4,9,5_6"}), "5_3 5_4 5_6 ");
  EXPECT_EQ(ids_left(jobs, {"-j", "9"}), "5_3 ") << "a task's own id";
  EXPECT_EQ(ids_left(jobs, {"-j", "9_3"}), "") << "job 9 is not an array, as in Slurm";
  EXPECT_EQ(ids_left(jobs, {"-j", "5_5,5"}), "5_3 5_[2,4-6] ")
      << "the list names the whole array too";
  EXPECT_EQ(ids_left(jobs, {"-t", "CA"}), "") << "cancelled before it started: Slurm forgets it";
  std::vector<JobView> started = jobs;
  started[3].job.attempt = AttemptNumber{1};
  EXPECT_EQ(ids_left(started, {"-t", "CA"}), "5_1 ");
  started[0].partition = "other";
  EXPECT_EQ(ids_left(started, {}), "5_2 5_3 5_[4-6] 11_0 ")
      << "only rows of one partition are combined";
}

TEST(SqueueRows, AreOneForEachPartitionOfAJobIfPriorityIsGiven) {
  JobView two = a_row_view(1, JobState::Pending, "ada");
  two.partition = "main,long";
  const auto shown = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"-h", "-S", "P", "-o", "%P"});
    return a_desk_of_jobs({two}).out(words);
  };
  EXPECT_EQ(shown({}), "main,long\n");
  EXPECT_EQ(shown({"-P"}), "long\nmain\n");
  EXPECT_EQ(shown({"-P", "-p", "main"}), "main\n");
  EXPECT_EQ(a_desk_of_jobs({two}, {"SQUEUE_PRIORITY=1"}).out({"-h", "-S", "P", "-o", "%P"}),
            "long\nmain\n");
}

StepView a_step_of(std::int64_t job, std::int32_t number, const std::string& user) {
  StepView view;
  view.step.key = {{JobId{job}, AttemptNumber{1}}, number};
  view.step.spec.name = "mpi" + std::to_string(number);
  view.step.state = JobState::Running;
  view.step.tasks = 3;
  view.step.started = *parse_moment("2026-11-22T12:30:00Z");
  view.step.nodes = {{"n1", 2, 4, 512, {0, 1}}, {"n2", 1, 2, 512, {0}}};
  view.user_name = user;
  view.partition = "main";
  view.ran_ms = 123'000;
  return view;
}

Desk a_desk_of_steps() {
  StepView limited = a_step_of(1, 0, "ada");
  limited.step.spec.time_limit_s = 600;
  limited.step.spec.gpus_per_node = 2;
  limited.step.spec.gpus_per_task = 1;
  StepView bare = a_step_of(2, 1, "bob");
  bare.step.nodes = {{"n3", 1, 1, 0, {}}};
  bare.step.started = {};
  bare.partition = "long";
  bare.ran_ms = 5'000;
  JobView job = a_row_view(1, JobState::Running, "ada");
  job.ran_ms = 200'000;
  JobView gang = a_row_view(2, JobState::Running, "bob");
  gang.job.spec.change().form = JobForm::Gang;
  return {read_squeue, {JobList{{job, gang}, false, {}}, StepList{{limited, bare}, false}}};
}

TEST(SqueueSteps, HaveColumnsOfTheirOwn) {
  EXPECT_EQ(
      a_desk_of_steps().out({"-s", "-S", "P,-i", "-O",
                             "StepID:|,StepName:|,NumCPUs:|,NumTasks:|,NumTask:|,TimeLimit:|,"
                             "TimeUsed:|,Nodes:|,Partition:|,StartTime:|,StepState:|,"
                             "UserName:|,UserID:|,tres-per-job:|,tres-per-node:|,"
                             "tres-per-step:|,tres-per-task:|,JobID:|,ArrayJobID:|,"
                             "ArrayTaskID:|,CPUFreq:|,Gres:|"}),
      "STEPID|NAME|NUM_CPUS|TASKS|TASKS|TIME_LIMIT|TIME|NODELIST|PARTITION|START_TIME|STATE|USER|"
      "UID|"
      "TRES_PER_STEP|TRES_PER_NODE|TRES_PER_STEP|TRES_PER_TASK|JOB_ID|ARRAY_JOB_ID|"
      "ARRAY_TASK_ID|CPU_FREQ|TRES_PER_NODE|\n"
      "2.1|mpi1|1|3|3|UNLIMITED|0:05|n3|long|N/A|RUNNING|bob|1002|(null)|(null)|(null)|(null)|"
      "2|0|N/A|0-0:0|(null)|\n"
      "1.batch|batch|0|1|1|UNLIMITED|3:20|n1|main|N/A|RUNNING|ada|1001|(null)|(null)|(null)|"
      "(null)|1|0|N/A|0-0:0|(null)|\n"
      "1.0|mpi0|6|3|3|10:00|2:03|n[1-2]|main|2026-11-22T12:30:00|RUNNING|ada|1001|gres/gpu:3|"
      "gres/gpu:2|gres/gpu:3|gres/gpu:1|1|0|N/A|0-0:0|gres/gpu:2|\n");
}

TEST(SqueueSteps, AreSortedAndSelectedLikeJobs) {
  const auto ids = [](std::vector<std::string> words) {
    words.insert(words.end(), {"-s", "-h", "-o", "%i"});
    std::string text = a_desk_of_steps().out(words);
    for (char& c : text)
      if (c == '\n') c = ' ';
    return text;
  };
  EXPECT_EQ(ids({}), "2.1 1.0 1.batch ") << "by partition, then by step";
  EXPECT_EQ(ids({"-S", "i"}), "1.0 1.batch 2.1 ") << "the script comes after the steps";
  EXPECT_EQ(ids({"-S", "-i"}), "2.1 1.batch 1.0 ");
  EXPECT_EQ(ids({"-S", "j"}), "1.batch 1.0 2.1 ");
  EXPECT_EQ(ids({"-S", "-l,i"}), "1.0 1.batch 2.1 ");
  EXPECT_EQ(ids({"-S", "M"}), "2.1 1.0 1.batch ");
  EXPECT_EQ(ids({"-S", "A,i"}), "1.batch 1.0 2.1 ");
  EXPECT_EQ(ids({"-S", "-S,i"}), "1.0 1.batch 2.1 ");
  EXPECT_EQ(ids({"-S", "-U,i"}), "2.1 1.0 1.batch ");
  EXPECT_EQ(ids({"-S", "u,-i"}), "1.batch 1.0 2.1 ");
  EXPECT_EQ(ids({"-u", "bob"}), "2.1 ");
  EXPECT_EQ(ids({"-u", "1001"}), "1.0 1.batch ");
  EXPECT_EQ(ids({"-p", "main"}), "1.0 1.batch ");
  EXPECT_EQ(ids({"-w", "n2"}), "1.0 ") << "the script runs on the first node";
  for (const std::string option : {"-A", "-q", "-R", "-L", "-n"})
    EXPECT_EQ(ids({option, "nope"}), "") << option;
  EXPECT_EQ(ids({"-n", "mpi1"}), "2.1 ") << "the name of a step or of its job";
  EXPECT_EQ(ids({"--steps=1.batch"}), "1.batch ");
  EXPECT_EQ(ids({"--steps=1.1"}), "");
  EXPECT_EQ(ids({"--steps=2.1,1.0"}), "2.1 1.0 ");
}

TEST(SqueueSteps, OfATaskMayBeNamedByItsArrayOrItsOwnId) {
  StepView step = a_step_of(9, 0, "ada");
  step.array_job = JobId{5};
  step.array_task = 3;
  const auto ids = [&](const std::string& named) {
    const Desk desk{read_squeue, {JobList{{}, false, {}}, StepList{{step}}}};
    return desk.out({"-s", "-h", "-o", "%i", "-j" + named});
  };
  EXPECT_EQ(ids("5"), "5_3.0\n");
  EXPECT_EQ(ids("9"), "5_3.0\n");
  EXPECT_EQ(ids("5_3"), "5_3.0\n");
  EXPECT_EQ(ids("9_3"), "") << "as in Slurm";
}

TEST(SqueueSteps, InvalidStepIdsAreRefused) {
  const Desk desk = a_desk_of_steps();
  EXPECT_EQ(desk.err({"--steps=1.x"}), "squeue: error: Invalid job_step id: 1.x\n");
  EXPECT_EQ(desk.err({"--steps=x.1"}), "squeue: error: Invalid job_step id: x.1\n");
  EXPECT_EQ(desk.err({"-j", "1.0"}), "squeue: error: Invalid job id: 1.0\n");
  EXPECT_EQ(desk.err({"--jobs", "--steps"}),
            "squeue: error: Incompatible options --jobs and --steps\n");
  const Desk jobs_alone{read_squeue, {JobList{{}, false, {}}}};
  EXPECT_EQ(jobs_alone.err({"-s"}), "slurm_load_jobs error: Unexpected message\n");
}

TEST(SqueueRequest, ShowsTheOptionsInEffect) {
  const Desk desk = a_desk_of_jobs({});
  EXPECT_EQ(desk.out({"-v", "-v",  "-h", "-r", "-P", "--start", "-i", "9",   "-j", "5_[1-2],7",
                      "-A", "a,b", "-L", "c",  "-n", "d",       "-w", "n1",  "-p", "e",
                      "-R", "f",   "-S", "i",  "-t", "R,PD",    "-u", "ada", "-o", "%i"}),
            "-----------------------------\n"
            "array       = true\n"
            "format      = %i\n"
            "iterate     = 9\n"
            "jobs        = 5_[1-2],7\n"
            "accounts    = a,b\n"
            "licenses    = c\n"
            "names       = d\n"
            "nodes       = n1\n"
            "partitions  = e\n"
            "priority    = true\n"
            "reservation = f\n"
            "sort        = i\n"
            "start_flag  = 1\n"
            "states      = RUNNING,PENDING\n"
            "step_flag   = 0\n"
            "users       = ada\n"
            "verbose     = 2\n"
            "-----------------------------\n\n\n");
  const std::string plain = desk.out({"-v"});
  EXPECT_EQ(plain.substr(0, plain.find("Sun ")),
            "-----------------------------\n"
            "array       = false\n"
            "format      = (null)\n"
            "iterate     = 0\n"
            "jobs        = (null)\n"
            "accounts    = (null)\n"
            "licenses    = (null)\n"
            "names       = (null)\n"
            "nodes       = (null)\n"
            "partitions  = (null)\n"
            "priority    = false\n"
            "reservation = (null)\n"
            "sort        = (null)\n"
            "start_flag  = 0\n"
            "states      = (null)\n"
            "step_flag   = 0\n"
            "users       = (null)\n"
            "verbose     = 1\n"
            "-----------------------------\n\n\n");
}

TEST(SqueueRequest, ReadsVariablesIfNoOptionIsGiven) {
  const std::vector<JobView> jobs = {a_row_view(1, JobState::Running, "ada"),
                                     a_row_view(2, JobState::Pending, "bob")};
  const auto ids = [&](const std::vector<std::string>& environment,
                       std::vector<std::string> words) {
    words.insert(words.end(), {"-h", "-o", "%A"});
    return a_desk_of_jobs(jobs, environment).out(words);
  };
  EXPECT_EQ(ids({"SQUEUE_NAMES=job2"}, {}), "2\n");
  EXPECT_EQ(ids({"SQUEUE_NAMES=job2"}, {"-n", "job1"}), "1\n");
  for (const char* variable : {"SQUEUE_ACCOUNT=x", "SQUEUE_LICENSES=x", "SQUEUE_QOS=x"})
    EXPECT_EQ(ids({variable}, {}), "") << variable;
  EXPECT_EQ(ids({"SQUEUE_USERS=bob"}, {}), "2\n");
  EXPECT_EQ(ids({"SQUEUE_USERS=bob"}, {"-u", "ada"}), "1\n");
  EXPECT_EQ(ids({"SQUEUE_STATES=PD"}, {}), "2\n");
  EXPECT_EQ(ids({"SQUEUE_STATES=PD"}, {"-t", "R"}), "1\n");
  const std::vector<JobView> array = {an_array_view(5, "1,3,5,7")};
  EXPECT_EQ(a_desk_of_jobs(array, {"SLURM_BITSTR_LEN=4"}).out({"-h", "-o", "%i"}), "5_[1,3,...]\n");
  EXPECT_EQ(a_desk_of_jobs(array, {"SQUEUE_ARRAY_UNIQUE="}).out({"-h", "-o", "%i"}),
            "5_[1,3,5,7]\n");
  EXPECT_EQ(a_desk_of_jobs(jobs, {"SQUEUE_FORMAT=%i"}).out({"-l", "-h", "-j", "2"}).substr(0, 21),
            "                 2   ")
      << "-l has a format of its own";
}

TEST(SqueueRequest, AcceptsJobListsWithBracketsAndRefusesOtherParsersAndClusters) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(id_words("5_[1,3],7,,8_2"), (Words{"5_[1,3]", "7", "8_2"}));
  EXPECT_EQ(id_words("5],7"), (Words{"5]", "7"}));
  EXPECT_EQ(list_words(",a,,b,"), (Words{"a", "b"}));
  EXPECT_FALSE(refuse_other_parsers("squeue", "v0.0.40+fast"));
  EXPECT_FALSE(refuse_other_parsers("squeue", ""));
  EXPECT_EQ(
      refuse_other_parsers("squeue", "v0.0.41")->err,
      "squeue: error: Unable to find plugin: data_parser/v0.0.41; only v0.0.40 is supported\n");
  EXPECT_FALSE(refuse_other_clusters("squeue", {"lake", "all"}, "lake"));
  EXPECT_EQ(refuse_other_clusters("squeue", {"lake", "sea"}, "lake")->err.substr(0, 56),
            "squeue: error: No cluster 'sea' known by database.\nsqueu");
}

TEST(SqueueRequest, RequestsOnlyWhatItShows) {
  const auto asked = [](const std::vector<std::string>& words) {
    return a_desk_of_jobs({}).listing(words).questions;
  };
  const auto jobs = [&](const std::vector<std::string>& words) {
    for (const Question& question : asked(words))
      if (const auto* list = std::get_if<ListJobs>(&question)) return *list;
    return ListJobs{};
  };
  EXPECT_EQ(jobs({"-u", "1001"}).user_name, "") << "a user id cannot be sent as a name";
  EXPECT_EQ(jobs({"-u", "u1"}).user_name, "u1");
  EXPECT_EQ(jobs({"-p", "a,b"}).partition, "");
  EXPECT_EQ(jobs({"-t", "BF"}).states, std::vector{JobState::Pending})
      << "it requests pending jobs but shows none";
  EXPECT_EQ(jobs({"--start"}).states, std::vector{JobState::Pending});
  EXPECT_EQ(jobs({"--start", "-t", "R"}).states, std::vector{JobState::Running});
  EXPECT_EQ(asked({"-O", "JobID,Cluster"}).size(), asked({"-O", "JobID"}).size() + 1);
  EXPECT_EQ(asked({"-M", "all"}).size(), asked({}).size() + 1);
}

}  // namespace
}  // namespace cox
