// Tests the CreateStep and StepBegin messages that a command line and an environment become.
#include "client/step/step_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "client/options/submit_option_table.h"
#include "client/step/command_hash.h"

namespace cox {
namespace {

using Words = std::vector<std::string>;

std::optional<std::string> no_file(const std::string&) {
  return std::nullopt;
}

Result<StepPlan> try_plan(const Words& words, Words environment = {},
                          const ReadFile& read_file = no_file) {
  const auto command = parse_step(words);
  if (!command) return command.refusal();
  if (std::ranges::none_of(environment,
                           [](const auto& each) { return each.starts_with("SLURM_JOB_ID="); }))
    environment.push_back("SLURM_JOB_ID=12");
  return plan_step(*command, {environment, "/home/ann", "login1"}, read_file);
}

StepPlan plan(const Words& words, const Words& environment = {},
              const ReadFile& read_file = no_file) {
  const auto made = try_plan(words, environment, read_file);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.refusal().fact);
  return made.ok() ? *made : StepPlan{};
}

StepSpec spec(const Words& words, const Words& environment = {}) {
  return plan(words, environment).create.spec;
}

// Returns a running step with this many tasks, as the controller reports it to srun.
StepView step_of(std::int64_t tasks) {
  StepView view;
  view.user_name = "ann";
  view.step.key = {{JobId{12}, AttemptNumber{1}}, 3};
  view.step.tasks = tasks;
  return view;
}

StepBegin begin(const StepPlan& made, std::int64_t tasks) {
  const StepRoutes routes = route_streams(made.asked.step, step_of(tasks), made.names);
  const auto begun = begin_of(made, step_of(tasks), routes);
  EXPECT_TRUE(begun.ok()) << (begun.ok() ? "" : begun.refusal().fact);
  return begun.ok() ? *begun : StepBegin{};
}

// ---- shape -----------------------------------------------------------------------------------

TEST(StepPlan, AddressesOfNodesStandForTheirNames) {
  const Words inside = {"COX_NODE_ADDRESSES=n1=127.0.0.11,n2=127.0.0.12,n10=127.0.0.20"};
  const StepSpec asked =
      spec({"-w", "127.0.0.20,127.0.0.[11-12],n2", "-x", "127.0.0.12", "a"}, inside);
  EXPECT_EQ(asked.nodelist, (Words{"n1", "n2", "n10"}));
  EXPECT_EQ(asked.exclude, Words{"n2"});
  EXPECT_EQ(spec({"-w", "127.0.0.11", "a"}).nodelist, Words{"127.0.0.11"});
  const auto hosts = [](const std::string&) {
    return std::optional<std::string>("127.0.0.12\n127.0.0.11\n127.0.0.12\n");
  };
  EXPECT_EQ(plan({"-w", "./hosts", "-m", "arbitrary", "a"}, inside, hosts).create.spec.nodelist,
            (Words{"n2", "n1", "n2"}));
}

TEST(StepPlan, TheCommandHasTheProgramAndItsArgumentsWithoutTheOptionsOfSrun) {
  EXPECT_EQ(spec({"-n8", "./train", "-n", "9"}).command_hash, command_hash({"./train", "-n", "9"}));
  EXPECT_EQ(spec({"-n2", "-J", "x", "./train", "-n", "9"}).command_hash,
            spec({"-n8", "./train", "-n", "9"}, {"COX_RESUME_FROM=/old/step-7"}).command_hash);
}

TEST(StepPlan, EachOptionOfSrunSetsItsFieldOfTheStep) {
  const StepSpec asked =
      spec({"-n8", "-N", "2-3", "-c2", "-wn1,n[2-3]", "-x", "n9", "-r1", "--mem=1G", "-G4",
            "--gpus-per-task=1", "-mplane=4", "-t2", "-I", "./train", "-n", "9"});
  EXPECT_EQ(asked.tasks, 8);
  EXPECT_EQ(asked.nodes_min, 2);
  EXPECT_EQ(asked.nodes_max, 3);
  EXPECT_EQ(asked.cpus_per_task, 2);
  EXPECT_TRUE(asked.exact);  // set by -c (CPUs per task), as in Slurm
  EXPECT_EQ(asked.exclude, Words{"n9"});
  EXPECT_EQ(asked.relative, 1);
  EXPECT_EQ(asked.memory_mb_per_node, 1024);
  EXPECT_EQ(asked.gpus, 4);
  EXPECT_EQ(asked.gpus_per_task, 1);
  EXPECT_EQ(asked.distribution, Distribution::Plane);
  EXPECT_EQ(asked.plane, 4);
  EXPECT_EQ(asked.time_limit_s, 120);
  EXPECT_TRUE(asked.immediate);
  EXPECT_EQ(asked.name, "train");
}

TEST(StepPlan, HasTheTasksAndNodesOfItsJobByDefault) {
  const Words job = {"SLURM_NTASKS=6", "SLURM_JOB_NUM_NODES=3", "SLURM_NTASKS_PER_NODE=2",
                     "SLURM_CPUS_PER_TASK=4", "SLURM_MEM_PER_NODE=4000"};
  const StepSpec asked = spec({"true"}, job);
  EXPECT_EQ(asked.tasks, 6);
  EXPECT_EQ(asked.nodes_min, 3);
  EXPECT_EQ(asked.tasks_per_node, 2);
  EXPECT_EQ(asked.cpus_per_task, 0);       // since Slurm 22.05 srun ignores SLURM_CPUS_PER_TASK
  EXPECT_EQ(asked.memory_mb_per_node, 0);  // so that parallel steps can share the job's memory
  EXPECT_EQ(spec({"true"}, {"SRUN_CPUS_PER_TASK=4"}).cpus_per_task, 4);
  EXPECT_EQ(spec({"true"}, {"SLURM_NNODES=5", "SLURM_NPROCS=5"}).tasks, 5);
  EXPECT_EQ(spec({"true"}, {"SLURM_NNODES=5", "SLURM_JOB_NUM_NODES=2"}).nodes_max, 2);
}

TEST(StepPlan, HasFewerNodesIfItHasFewerTasksThanItsJobHasNodes) {
  const Words job = {"SLURM_NNODES=2", "SLURM_NTASKS=8", "SLURM_NTASKS_PER_NODE=4"};
  const StepPlan one = plan({"-n1", "hostname"}, job);
  EXPECT_EQ(one.create.spec.nodes_max, 1);
  EXPECT_EQ(one.warnings, Words{"can't run 1 processes on 2 nodes, setting nnodes to 1"});
  // If the command line names nodes, srun ignores the numbers of nodes and tasks of the job.
  EXPECT_EQ(spec({"-w", "n2", "true"}, job).nodes_max, 0);
  EXPECT_EQ(spec({"-x", "n2", "true"}, job).nodes_min, 1);
  const StepSpec each = spec({"--ntasks-per-node=1", "true"}, job);
  EXPECT_EQ(each.tasks, 0);
  EXPECT_EQ(each.nodes_max, 2);
  EXPECT_EQ(spec({"-n16", "-O", "true"}, job).tasks_per_node, 0);
  const StepPlan wrong = plan({"-n4", "-N1", "--ntasks-per-node=2", "true"}, job);
  ASSERT_EQ(wrong.warnings.size(), 1U);
  EXPECT_NE(wrong.warnings[0].find("Ignoring --ntasks-per-node"), std::string::npos);
}

TEST(StepPlan, AcceptsTheCommandLinesOfMpiLaunchers) {
  const StepSpec ompi =
      spec({"--external-launcher", "--ntasks-per-node=1", "--kill-on-bad-exit", "--mpi=none",
            "--cpu-bind=none", "--jobid=12", "--nodes=2", "--nodelist=n1,n2", "--ntasks=2", "prted",
            "--prtemca", "ess", "slurm"});
  EXPECT_EQ(ompi.nodes_min, 2);
  EXPECT_EQ(ompi.nodelist, (Words{"n1", "n2"}));
  EXPECT_FALSE(plan({"--no-kill", "--kill-on-bad-exit=0", "prted"}).asked.step.kill_on_bad_exit);
  EXPECT_TRUE(plan({"-K", "orted"}).asked.step.kill_on_bad_exit);
  EXPECT_TRUE(plan({"-K1", "orted"}).asked.step.kill_on_bad_exit);
  const StepPlan hydra =
      plan({"--nodelist", "n1", "-N", "1", "-n", "1", "--input", "none", "hydra_pmi_proxy"});
  EXPECT_EQ(begin(hydra, 1).input.mode, StreamMode::Null);
  const StepPlan submitit =
      plan({"--unbuffered", "--output", "P/%j_%t_log.out", "--error", "P/%j_%t_log.err", "python"});
  EXPECT_EQ(begin(submitit, 2).output.mode, StreamMode::File);
  EXPECT_EQ(begin(submitit, 2).output.path, "P/%j_%t_log.out");
  EXPECT_EQ(spec({"--exclusive", "--nodes", "1", "-l", "bash", "cmd.sh"}).exact, true);
  EXPECT_EQ(spec({"-n1", "--cpu-bind=q", "snakemake"}).tasks, 1);
  EXPECT_TRUE(parse_step({"--version"})->options.version);
  EXPECT_TRUE(parse_step({"--mpi=list"})->options.step.list_mpi);
}

TEST(StepPlan, OfWrongOptionsIsRefused) {
  const std::vector<std::tuple<Words, std::string>> table = {
      {{"-n2"}, "No command given to execute."},
      {{"--mpi=openmpi", "x"}, "Couldn't find the specified plugin name for mpi/openmpi"},
      {{"--het-group=16", "x"}, "exceeds the components of a job"},
      {{"--test-only", "x"}, "--test-only is not supported"},
      {{"-n0", "x"}, "for --ntasks: "},
      {{"-m", "zigzag", "x"}, "is not a supported distribution"},
      {{"-m", "arbitrary", "x"}, "you need to specify a nodelist or hostfile"},
      {{"-K2", "x"}, "neither 0 nor 1"},
      {{"--jobid=7_[1-2]", "x"}, "several tasks of an array"},
      {{"--multi-prog", "x"}, "cannot read the file of --multi-prog"},
  };
  for (const auto& [words, fact] : table) {
    const auto made = try_plan(words);
    ASSERT_FALSE(made.ok()) << words[0];
    EXPECT_NE(made.refusal().fact.find(fact), std::string::npos) << made.refusal().fact;
  }
  const auto outside = plan_step(*parse_step({"./train"}), {{}, "/", "login1"}, no_file);
  ASSERT_FALSE(outside.ok());
  EXPECT_NE(outside.refusal().fact.find("there is no allocation"), std::string::npos);
}

TEST(StepPlan, TakesPrologsAndEpilogsFromOptionsBeforeVariables) {
  const Words job = {"SLURM_TASK_PROLOG=of-job", "SLURM_TASK_EPILOG=last", "SLURM_PROLOG=p"};
  const StepPlan asked =
      plan({"--task-prolog=./first", "--prolog=none", "--epilog", "e", "x"}, job);
  EXPECT_EQ(begin(asked, 2).task_prolog, "./first") << "the command line overrides the variable";
  EXPECT_EQ(begin(asked, 2).task_epilog, "last");
  EXPECT_EQ(asked.asked.step.prolog, "none");
  EXPECT_EQ(asked.asked.step.epilog, "e");
  EXPECT_EQ(plan({"x"}, job).asked.step.prolog, "p");
  EXPECT_EQ(begin(plan({"x"}), 1).task_prolog, "");
}

TEST(StepPlan, BelongsToTheJobOfTheEnvironmentUnlessJobidNamesAnother) {
  EXPECT_EQ(plan({"x"}).create.job, JobId{12});
  EXPECT_EQ(plan({"--jobid=17_4", "x"}).create.job, JobId{17});
  EXPECT_EQ(plan({"--jobid=17_4", "x"}).create.task, 4);
}

TEST(StepPlan, TakesTheRequestedPartOfTheJobsGpus) {
  const Words job = {"SLURM_GPUS_PER_NODE=h100:4"};
  EXPECT_EQ(spec({"x"}, job).gpus_per_node, 4);
  for (const char* none : {"--gres=gpu:0", "--gres=gpu:h100:0", "--gres=fpga:1,gpu:0",
                           "--gres=none", "--gpus-per-node=0"})
    EXPECT_EQ(spec({none, "x"}, job).gpus_per_node, 0) << none;
  EXPECT_EQ(spec({"--gres=fpga:1", "x"}, job).gpus_per_node, 4);
  EXPECT_EQ(spec({"--gpus-per-task=1", "x"}, job).gpus_per_node, -1);
  EXPECT_EQ(spec({"--gpus=2", "x"}, job).gpus_per_node, -1);
  EXPECT_EQ(spec({"--gpus-per-node=2", "--gpus-per-task=1", "x"}, job).gpus_per_node, 2);
}

TEST(StepPlan, HasTheRequestedTasksPerGpu) {
  const Words job = {"SLURM_NTASKS_PER_GPU=1", "SLURM_GPUS=4"};
  EXPECT_EQ(spec({"x"}, job).tasks, 4);
  EXPECT_EQ(spec({"-n2", "x"}, job).tasks, 2);
  EXPECT_EQ(spec({"--gpus-per-node=2", "--ntasks-per-gpu=3", "x"}).tasks_per_node, 6);
  EXPECT_EQ(plan({"--gpus-per-task=2", "x"}, job).asked.step.tasks_per_gpu, 0);
  EXPECT_EQ(spec({"--ntasks-per-gpu=2", "x"}, {"SLURM_GPUS_PER_TASK=1"}).gpus_per_task, -1);
  StepPlan made = plan({"x"}, job);
  add_step_variables(made, {"n1", "10.0.0.1", 4711, 027, 5}, {job, "/home/ann", "login1"});
  for (const char* each : {"SLURM_NTASKS_PER_GPU=1", "SRUN_DEBUG=3"})
    EXPECT_NE(made.environment.find(each), std::string::npos) << each;
}

TEST(StepPlan, HasUniqueNamesAndLettersOfOptions) {
  std::vector<std::string_view> names;
  std::string letters;
  const auto add = [&](const auto& option) {
    EXPECT_EQ(std::ranges::count(names, option.name), 0) << option.name;
    names.push_back(option.name);
    if (option.letter == 0) return;
    EXPECT_EQ(letters.find(option.letter), std::string::npos) << option.name;
    letters += option.letter;
  };
  for (const SubmitOption& option : step_option_table()) {
    add(option);
    EXPECT_NE(option.set, nullptr) << option.name;
  }
  for (const SubmitOption& option : container_step_option_table()) add(option);
  for (const SubmitOption& option : ignored_step_option_table()) add(option);
  for (const UnsupportedOption& option : unsupported_step_option_table()) add(option);
  EXPECT_NE(step_help().find("--kill-on-bad-exit[=0|1]"), std::string::npos);
}

TEST(StepPlan, WarnsOfOptionsWithoutAnEffect) {
  EXPECT_EQ(plan({"--tmp=1G", "--container-save=x", "x"}).warnings,
            (Words{"--tmp has no effect here and is ignored",
                   "--container-save has no effect here and is ignored"}));
  EXPECT_FALSE(parse_step({"--ignore-pbs", "x"}).ok());
}

// ---- the StepBegin message from srun to the nodes -----------------------------------------------

TEST(StepBegin, ContainsTheEnvironmentOfSrun) {
  const Words here = {"A=1", "SLURM_JOB_NAME=train", "COX_CONFIG=/c", "SBATCH_QOS=x"};
  const std::string all = begin(plan({"x"}, here), 1).environment;
  EXPECT_NE(all.find("A=1"), std::string::npos);
  EXPECT_NE(all.find("SLURM_JOB_NAME=train"), std::string::npos);
  const std::string none = begin(plan({"--export=NONE", "x"}, here), 1).environment;
  EXPECT_EQ(none.find("A=1"), std::string::npos);
  EXPECT_NE(none.find("SLURM_JOB_NAME=train"), std::string::npos);
  EXPECT_NE(none.find("COX_CONFIG=/c"), std::string::npos);
  StepPlan made = plan({"--export=ALL,B=2", "x"}, here);
  EXPECT_NE(made.environment.find("B=2"), std::string::npos);
  add_step_variables(made, {"n1", "10.0.0.1", 4711, 027, 5}, {here, "/home/ann", "login1"});
  for (const char* each : {"SLURM_UMASK=0027", "SLURM_PRIO_PROCESS=5", "SLURM_SUBMIT_DIR=/home/ann",
                           "SLURM_SRUN_COMM_HOST=10.0.0.1", "SLURM_SRUN_COMM_PORT=4711",
                           "SLURM_LAUNCH_NODE_IPADDR=10.0.0.1"})
    EXPECT_NE(made.environment.find(each), std::string::npos) << each;
  EXPECT_EQ(made.environment.find("SLURM_EXPORT_ENV"), std::string::npos) << "only sbatch sets it";
  const Words in_script = {"SLURM_EXPORT_ENV=ALL,A=1"};
  EXPECT_NE(plan({"x"}, in_script).environment.find("SLURM_EXPORT_ENV=ALL,A=1"), std::string::npos);
}

TEST(StepBegin, RunsInTheRequestedFolder) {
  EXPECT_EQ(plan({"x"}).work_dir, "/home/ann");
  EXPECT_EQ(plan({"-D", "sub", "x"}).work_dir, "/home/ann/sub");
  EXPECT_EQ(plan({"-D/tmp", "x"}).work_dir, "/tmp");
}

TEST(StepRoutes, WriteAFilePerTaskOrNodeIfTheNameHasSuchAPatternAndElseOneFile) {
  const auto routes = [](const Words& options) {
    Words words = options;
    words.push_back("x");
    const StepPlan made = plan(words, {"SLURM_JOB_NAME=train"});
    return route_streams(made.asked.step, step_of(4), made.names);
  };
  EXPECT_EQ(routes({}).output.path, "");
  EXPECT_FALSE(routes({}).error_joins);
  // If the name has no pattern of a task or node, srun itself writes the one file. Standard error
  // goes to the same file unless -e names another.
  const StepRoutes one = routes({"-o", "%x-%j.%s-%u.out"});
  EXPECT_EQ(one.output.mode, StreamMode::Client);
  EXPECT_EQ(one.output.path, "/home/ann/train-12.3-ann.out");
  EXPECT_TRUE(one.error_joins);
  EXPECT_FALSE(routes({"-o", "a", "-e", "b"}).error_joins);
  EXPECT_EQ(routes({"-o", "%J"}).output.path, "/home/ann/12.3");
  EXPECT_EQ(routes({"-o", "x%2t"}).output.mode, StreamMode::File);
  EXPECT_EQ(routes({"-o", "%N.%%t"}).output.mode, StreamMode::File);
  EXPECT_EQ(routes({"-o", "%%t"}).output.path, "/home/ann/%t");
  EXPECT_EQ(routes({"-o", "none"}).output.mode, StreamMode::Null);
  EXPECT_EQ(routes({"-o", "3"}).output.only_rank, 3);
  // A file name, since the step has no task 4.
  EXPECT_EQ(routes({"-o", "4"}).output.path, "/home/ann/4");
  EXPECT_EQ(routes({"-i", "2"}).input.only_rank, 2);
  EXPECT_EQ(routes({"-i", "data"}).input.path, "/home/ann/data");
  EXPECT_EQ(routes({"--pty"}).output.mode, StreamMode::Null);
}

TEST(StepRoutes, NameFilesThatAreKnownBeforeTheStep) {
  const auto known = [](const Words& options) {
    Words words = options;
    words.push_back("x");
    const auto command = parse_step(words);
    EXPECT_TRUE(command.ok());
    const KnownFiles files = known_step_files(*command, {{}, "/home/ann", "login1"});
    std::string text = files.input;
    for (const std::string& output : files.outputs) text += ">" + output;
    return text;
  };
  EXPECT_EQ(known({}), "");
  EXPECT_EQ(known({"-i", "a", "-o", "/b"}), "/home/ann/a>/b");
  EXPECT_EQ(known({"-o", "b", "-e", "c"}), ">/home/ann/b>/home/ann/c");
  EXPECT_EQ(known({"-i", "none", "-o", "ALL"}), "");
  EXPECT_EQ(known({"-i", "2", "-o", "%j", "-e", "a\\%t"}), "") << "the name depends on the step";
  EXPECT_EQ(known({"-i", "a", "-o", "b", "--pty"}), "");
  EXPECT_EQ(known({"-i", "a", "-o", "b", "--prolog=/p"}), ">/home/ann/b")
      << "the program may create the input";
  EXPECT_EQ(known({"-i", "a", "--prolog=none"}), "/home/ann/a");
}

TEST(MultiProg, AssignsCommandsToTasks) {
  const ReadFile file = [](const std::string&) -> std::optional<std::string> {
    return "# who does what\n0 ./master --port\\ 1 \"a b\"\n1-2,5  ./worker %t/%o \\\n  -v\n"
           "* sleep 1\n";
  };
  const auto commands = begin(plan({"--multi-prog", "conf"}, {}, file), 6).commands;
  ASSERT_EQ(commands.size(), 5U);
  EXPECT_EQ(commands[0].ranks, std::vector<std::int32_t>{0});
  EXPECT_EQ(commands[0].words, (Words{"./master", "--port 1", "a b"}));
  EXPECT_EQ(commands[3].ranks, std::vector<std::int32_t>{5});
  EXPECT_EQ(commands[3].words, (Words{"./worker", "5/2", "-v"}));
  EXPECT_EQ(commands[4].ranks, (std::vector<std::int32_t>{3, 4}));
  const auto few = parse_multi_prog("0 a\n2 b");
  EXPECT_EQ(commands_of(*few, 3, "roles.conf").refusal().fact,
            "Configuration file roles.conf invalid, no record for task id 1");
  EXPECT_FALSE(parse_multi_prog("0-x a").ok());
  EXPECT_FALSE(parse_multi_prog("3").ok());
  EXPECT_FALSE(parse_multi_prog("# nothing").ok());
}

TEST(MultiProg, DoesNotReplaceInsideSingleQuotes) {
  const auto words = [](const char* line) {
    const auto commands = commands_of(*parse_multi_prog(line), 1, "roles.conf");
    return commands->front().words;
  };
  EXPECT_EQ(words("0 sh -c 'date +%t; echo %o' %t"), (Words{"sh", "-c", "date +%t; echo %o", "0"}));
  EXPECT_EQ(words("0 echo \\%t \"%t\" %t%o"), (Words{"echo", "%t", "0", "00"}));
  EXPECT_EQ(words("0 date +%Y%%t 100%"), (Words{"date", "+%Y%0", "100%"}));
}

}  // namespace
}  // namespace cox
