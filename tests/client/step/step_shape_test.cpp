// Tests how many tasks, nodes and GPUs a step gets from the command line and the variables of its
// job; and parallel steps.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/step/step_plan.h"
#include "common/base/limits.h"

namespace cox {
namespace {

using ShapeWords = std::vector<std::string>;

Result<StepPlan> try_shape(const ShapeWords& words, ShapeWords environment,
                           const std::string& file = "") {
  const auto command = parse_step(words);
  if (!command) return command.refusal();
  environment.push_back("SLURM_JOB_ID=12");
  const ReadFile read_file = [&file](const std::string&) { return std::optional(file); };
  return plan_step(*command, {environment, "/home/ann", "login1"}, read_file);
}

StepPlan shape_plan(const ShapeWords& words, const ShapeWords& environment) {
  const auto made = try_shape(words, environment);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.refusal().fact);
  return made.ok() ? *made : StepPlan{};
}

std::string why_no_shape(const ShapeWords& words, const ShapeWords& environment,
                         const std::string& file = "") {
  const auto made = try_shape(words, environment, file);
  return made.ok() ? "" : made.refusal().fact + "; " + made.refusal().hint;
}

// Returns the numbers of tasks, of nodes (at least and at most) and of tasks per node that srun
// requests, such as "8 tasks, 2-2 nodes, 4 on each"; one ! for each warning follows.
std::string places_of(const ShapeWords& words, const ShapeWords& environment) {
  const StepPlan made = shape_plan(words, environment);
  const StepSpec& spec = made.create.spec;
  return std::to_string(spec.tasks) + " tasks, " + std::to_string(spec.nodes_min) + "-" +
         std::to_string(spec.nodes_max) + " nodes, " + std::to_string(spec.tasks_per_node) +
         " on each" + std::string(made.warnings.size(), '!');
}

TEST(StepShape, options_of_nodes_override_conflicting_variables) {
  const ShapeWords job = {"SLURM_NNODES=2", "SLURM_NTASKS=8", "SLURM_NTASKS_PER_NODE=4"};
  for (const auto& [words, places] : std::vector<std::pair<ShapeWords, std::string>>{
           {{"x"}, "8 tasks, 2-2 nodes, 4 on each"},
           {{"-wn1", "x"}, "8 tasks, 0-0 nodes, 4 on each"},
           {{"-wn1", "-N1", "x"}, "8 tasks, 1-1 nodes, 0 on each!"},
           {{"-xn1", "x"}, "8 tasks, 1-2 nodes, 4 on each"},
           {{"-xn1", "-N2", "x"}, "8 tasks, 2-2 nodes, 4 on each"},
           {{"-r0", "x"}, "8 tasks, 1-2 nodes, 4 on each"},
           {{"-r1", "-N2", "x"}, "8 tasks, 2-2 nodes, 4 on each"},
           {{"--ntasks-per-node=2", "x"}, "0 tasks, 2-2 nodes, 2 on each"},
           {{"--tasks-per-node=2", "x"}, "0 tasks, 2-2 nodes, 2 on each"},
           {{"--tasks-per-node=2", "-n4", "x"}, "4 tasks, 2-2 nodes, 2 on each"},
           {{"--tasks-per-node=2", "--tasks=4", "x"}, "4 tasks, 2-2 nodes, 2 on each"},
           {{"-n8", "x"}, "8 tasks, 2-2 nodes, 4 on each"},
           {{"-n9", "x"}, "9 tasks, 2-2 nodes, 0 on each"},
           {{"--tasks=9", "x"}, "9 tasks, 2-2 nodes, 0 on each"},
           {{"-n8", "--ntasks-per-node=4", "x"}, "8 tasks, 2-2 nodes, 4 on each"},
           {{"-n9", "--ntasks-per-node=4", "x"}, "9 tasks, 2-2 nodes, 0 on each!"},
           {{"-n2", "x"}, "2 tasks, 2-2 nodes, 4 on each"},
           {{"-n1", "x"}, "1 tasks, 1-1 nodes, 4 on each!"}})
    EXPECT_EQ(places_of(words, job), places) << words[0];
  EXPECT_EQ(places_of({"-xn1", "x"}, {}), "0 tasks, 0-0 nodes, 0 on each");
  EXPECT_EQ(places_of({"-n9", "--ntasks-per-node=4", "x"}, {}), "9 tasks, 0-0 nodes, 4 on each");
  EXPECT_EQ(places_of({"-n9", "-N2", "x"}, {}), "9 tasks, 2-2 nodes, 0 on each");
  EXPECT_EQ(
      shape_plan({"-n9", "--ntasks-per-node=4", "x"}, job).warnings,
      ShapeWords{"can't honor --ntasks-per-node set to 4 which doesn't match the requested "
                 "tasks 9 with the number of requested nodes 2. Ignoring --ntasks-per-node."});
}

// Returns the requested GPUs and tasks as "GPUS/PER_NODE/PER_TASK; TASKS, PER_NODE, PER_GPU": GPUs
// of the step, of a node and of a task; tasks of the step, of a node and of a GPU.
std::string gpus_asked(const ShapeWords& words, const ShapeWords& environment) {
  const StepPlan made = shape_plan(words, environment);
  const StepSpec& spec = made.create.spec;
  return std::to_string(spec.gpus) + "/" + std::to_string(spec.gpus_per_node) + "/" +
         std::to_string(spec.gpus_per_task) + "; " + std::to_string(spec.tasks) + ", " +
         std::to_string(spec.tasks_per_node) + ", " + std::to_string(made.asked.step.tasks_per_gpu);
}

TEST(StepShape, options_of_gpus_override_the_gpus_per_node_of_the_job) {
  const ShapeWords job = {"SLURM_GPUS_PER_NODE=4"};
  EXPECT_EQ(gpus_asked({"x"}, job), "-1/4/-1; 0, 0, 0");
  EXPECT_EQ(gpus_asked({"-G0", "x"}, job), "0/-1/-1; 0, 0, 0");
  EXPECT_EQ(gpus_asked({"-G2", "x"}, job), "2/-1/-1; 0, 0, 0");
  EXPECT_EQ(gpus_asked({"--gpus-per-task=0", "x"}, job), "-1/-1/0; 0, 0, 0");
  EXPECT_EQ(gpus_asked({"-G2", "--gres=gpu:1", "x"}, job), "2/1/-1; 0, 0, 0");
  EXPECT_EQ(gpus_asked({"-G2", "--gpus-per-node=1", "x"}, job), "2/1/-1; 0, 0, 0");
  EXPECT_EQ(gpus_asked({"-G2", "--gpus-per-node=1", "x"}, {}), "2/1/-1; 0, 0, 0");
  const ShapeWords by_gres = {"SLURM_GPUS_PER_NODE=4", "SLURM_STEP_GRES=gpu:3"};
  EXPECT_EQ(gpus_asked({"-G2", "x"}, by_gres), "2/3/-1; 0, 0, 0");
}

TEST(StepShape, tasks_per_gpu_set_the_tasks_of_the_step_or_of_each_node) {
  for (const auto& [words, gpus] : std::vector<std::pair<ShapeWords, std::string>>{
           {{"-G2", "x"}, "2/-1/-1; 6, 0, 3"},
           {{"-G2", "-n4", "x"}, "2/-1/-1; 4, 0, 3"},
           {{"-G2", "--ntasks-per-node=1", "x"}, "2/-1/-1; 0, 1, 3"},
           {{"-G4", "-n4", "--gpus-per-node=2", "x"}, "4/2/-1; 4, 0, 3"},
           {{"-G0", "--gpus-per-node=2", "x"}, "0/2/-1; 0, 6, 3"},
           {{"--gpus-per-node=2", "x"}, "-1/2/-1; 0, 6, 3"},
           {{"--gpus-per-task=2", "x"}, "-1/-1/2; 0, 0, 3"},
           {{"x"}, "-1/-1/-1; 0, 0, 3"}}) {
    ShapeWords all = {"--ntasks-per-gpu=3"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(gpus_asked(all, {}), gpus) << words[0];
  }
  const ShapeWords job = {"SLURM_NTASKS_PER_GPU=3", "SLURM_GPUS=2"};
  EXPECT_EQ(gpus_asked({"x"}, job), "2/-1/-1; 6, 0, 3");
  EXPECT_EQ(gpus_asked({"--gpus-per-task=1", "x"}, job), "2/-1/1; 0, 0, 0");
  EXPECT_EQ(gpus_asked({"--ntasks-per-gpu=1", "x"}, {"SLURM_GPUS_PER_TASK=2"}),
            "-1/-1/-1; 0, 0, 1");
}

TEST(StepShape, the_name_is_that_of_the_program_and_must_be_printable) {
  const auto name_of = [](const ShapeWords& words) {
    return shape_plan(words, {}).create.spec.name;
  };
  EXPECT_EQ(name_of({"/opt/bin/train", "-v"}), "train");
  EXPECT_EQ(name_of({"-J", "a run", "/opt/bin/train"}), "a run");
  const std::string longest(limits::name_bytes_max, 'x');
  EXPECT_EQ(name_of({"/opt/" + longest}), longest);
  for (const std::string& wrong : {longest + "x", std::string("a\x01")})
    EXPECT_TRUE(why_no_shape({"/opt/" + wrong}, {})
                    .ends_with("which is too long or not printable; name it with --job-name"))
        << wrong;
}

TEST(StepShape, a_multi_prog_file_covers_all_tasks_and_has_a_limit) {
  const ShapeWords words = {"--multi-prog", "roles.conf"};
  EXPECT_EQ(why_no_shape(words, {}, "0 a\n"), "") << "the number of tasks is not known yet";
  const ShapeWords two = {"--multi-prog", "-n2", "roles.conf"};
  EXPECT_EQ(why_no_shape(two, {}, "0-1 a\n"), "");
  EXPECT_EQ(why_no_shape(two, {}, "0 a\n")
                .find("Configuration file roles.conf invalid, no record for task id 1"),
            0u);
  std::string full = "0 a\n#";
  full.resize(limits::multi_prog_bytes_max, ' ');
  EXPECT_EQ(why_no_shape(words, {}, full), "");
  EXPECT_EQ(why_no_shape(words, {}, full + " "),
            "the file of --multi-prog, \"roles.conf\", is larger than 4194304 bytes; write one "
            "line for several tasks, as 0-99");
}

// ---- parallel steps -----------------------------------------------------------------------------

// Returns each of the parallel steps of a command line as "COMPONENT [WORDS]", such as "-1
// [--het-group=all x]", or the refusal.
std::string parts_of(const ShapeWords& words) {
  const auto parts = parse_steps(words);
  if (!parts) return parts.refusal().fact;
  std::string text;
  for (const StepPart& part : *parts) {
    text +=
        (text.empty() ? "" : " ") + std::to_string(part.command.options.step.spec.component) + " [";
    for (const std::string& word : part.words) text += (text.ends_with('[') ? "" : " ") + word;
    text += "]";
  }
  return text;
}

TEST(StepsBesideEachOther, are_separated_by_colons_and_belong_to_a_component) {
  EXPECT_EQ(parts_of({"-n1", "a", "-v"}), "0 [-n1 --het-group=0 a -v]");
  EXPECT_EQ(parts_of({"-n1", "a", ":", "-n2", "b", ":", "c"}),
            "0 [-n1 --het-group=0 a] 1 [-n2 --het-group=1 b] 2 [--het-group=2 c]");
  EXPECT_EQ(parts_of({"a", ":"}), "0 [--het-group=0 a :]") << "nothing follows the colon";
  EXPECT_EQ(parts_of({":", "a"}), "0 [--het-group=0 : a]") << "nothing precedes the colon";
  EXPECT_EQ(parts_of({"-n1", "--", "a"}), "0 [-n1 --het-group=0 -- a]");
  EXPECT_EQ(parts_of({"--het-group=0,2", "a"}),
            "0 [--het-group=0,2 --het-group=0 a] 2 [--het-group=0,2 --het-group=2 a]");
  EXPECT_EQ(parts_of({"--het-group=all", "a"}), "-1 [--het-group=all --het-group=all a]");
  EXPECT_EQ(parts_of({"a", ":", "-n0", "b"}).find("Invalid numeric value"), 0u);
}

TEST(StepsBesideEachOther, are_at_most_as_many_as_a_job_may_have_components) {
  ShapeWords words = {"a"};
  for (std::int64_t i = 1; i < limits::job_components_max; ++i)
    words.insert(words.end(), {":", "a"});
  EXPECT_TRUE(parts_of(words).ends_with("15 [--het-group=15 a]")) << parts_of(words);
  words.insert(words.end(), {":", "a"});
  EXPECT_EQ(parts_of(words), "srun would start 17 steps at once; the limit is 16");
}

TEST(StepsBesideEachOther, must_belong_to_components_of_the_job) {
  const auto why_wrong = [](const ShapeWords& words, const ShapeWords& environment) {
    const Failure failure = check_groups(*parse_steps(words), environment);
    return failure ? failure->fact : "";
  };
  const std::string wrong = "Invalid het group 1: the job has 1 component, numbered from 0";
  EXPECT_EQ(why_wrong({"a", ":", "b"}, {"SLURM_HET_SIZE=2"}), "");
  EXPECT_EQ(why_wrong({"a", ":", "b"}, {"SLURM_HET_SIZE=1"}), wrong);
  EXPECT_EQ(why_wrong({"a", ":", "b"}, {"SLURM_HET_SIZES=2"}), wrong);
  EXPECT_EQ(why_wrong({"a"}, {}), "");
  EXPECT_EQ(why_wrong({"--jobid=7", "a", ":", "b"}, {}), "") << "the controller checks that job";
}

// ---- names, exit codes, clusters, copied files and variables of a step --------------------------

TEST(StepPlan, shows_the_nodes_of_its_job_under_verbose) {
  const auto about = [](const ShapeWords& words, const ShapeWords& environment) {
    return shape_plan(words, environment).about_job;
  };
  const ShapeWords job = {"SLURM_JOB_NODELIST=n[1-3]", "SLURM_JOB_CPUS_PER_NODE=4,8(x2)",
                          "SLURM_JOB_NUM_NODES=3"};
  EXPECT_EQ(about({"-v", "x"}, job), "jobid 12: nodes(3):`n[1-3]', cpu counts: 4(x1),8(x2)");
  EXPECT_EQ(about({"x"}, job), "");
  EXPECT_EQ(about({"-v", "--jobid=13", "x"}, job), "");
  EXPECT_EQ(about({"-v", "x"}, {job[0]}), "");
  EXPECT_EQ(about({"-v", "x"}, {job[1]}), "");
}

TEST(StepPlan, takes_exit_codes_of_srun_from_variables) {
  for (const auto& [variable, code] : {std::pair{"SLURM_EXIT_ERROR=0", 0},
                                       {"SLURM_EXIT_ERROR=255", 255},
                                       {"SLURM_EXIT_ERROR=256", 1},
                                       {"SLURM_EXIT_ERROR=-1", 1},
                                       {"SLURM_EXIT_ERROR=", 1},
                                       {"SLURM_EXIT_ERRORS=7", 1}})
    EXPECT_EQ(exit_code_for({"A=1", variable}, "SLURM_EXIT_ERROR"), code) << variable;
  EXPECT_EQ(exit_code_for({}, "SLURM_EXIT_ERROR"), 1);
}

TEST(StepPlan, names_the_clusters_where_it_may_run) {
  const auto clusters = [](const ShapeWords& words, const ShapeWords& environment) {
    return step_clusters(*parse_step(words), {environment, "/home/ann", "login1"});
  };
  EXPECT_EQ(clusters({"-M", "lab,,lake", "x"}, {"SLURM_CLUSTERS=sea"}),
            (ShapeWords{"lab", "lake"}));
  EXPECT_EQ(clusters({"x"}, {"SLURM_CLUSTERS=sea"}), ShapeWords{"sea"});
  EXPECT_EQ(clusters({"-M", "lab", "x"}, {"SLURM_NTASKS=none"}), ShapeWords{});
}

TEST(StepPlan, bcast_copies_only_the_program_and_no_libraries) {
  const auto copied = [](const ShapeWords& words) {
    const StepOptions step = shape_plan(words, {}).asked.step;
    return step.bcast ? "to \"" + step.bcast_path + "\"" : "not";
  };
  EXPECT_EQ(copied({"x"}), "not");
  EXPECT_EQ(copied({"--bcast", "x"}), "to \"\"");
  EXPECT_EQ(copied({"--bcast=/tmp/x", "x"}), "to \"/tmp/x\"");
  EXPECT_EQ(copied({"--bcast=/tmp/x", "--bcast", "x"}), "to \"\"");
  EXPECT_EQ(copied({"--bcast-exclude=/lib", "--send-libs=no", "--send-libs=n", "x"}), "not");
  for (const char* libraries : {"--send-libs", "--send-libs=yes"})
    EXPECT_NE(why_no_shape({libraries, "x"}, {}).find("--bcast copies only the program"),
              std::string::npos);
}

// Returns the variables that srun adds to the environment of the tasks, one a line.
std::string added_variables(const ShapeWords& words, const StepPlace& place,
                            const SubmitSurroundings& around) {
  StepPlan made = shape_plan(words, {});
  const std::size_t before = made.environment.size();
  add_step_variables(made, place, around);
  std::string text = made.environment.substr(before);
  for (char& c : text)
    if (c == '\0') c = '\n';
  return text;
}

TEST(StepPlan, adds_variables_for_its_tasks) {
  SubmitSurroundings around{{}, "/home/ann", "login1"};
  EXPECT_EQ(added_variables({"x"}, {"n1", "10.0.0.1", 4711, 027, 5}, around),
            "SLURM_UMASK=0027\nSLURM_PRIO_PROCESS=5\nSLURM_SUBMIT_DIR=/home/ann\n"
            "SLURM_SUBMIT_HOST=login1\nSLURM_SRUN_COMM_HOST=10.0.0.1\nSLURM_SRUN_COMM_PORT=4711\n"
            "SLURM_STEP_LAUNCHER_PORT=4711\nSLURM_LAUNCH_NODE_IPADDR=10.0.0.1\nSRUN_DEBUG=3\n");
  around.soft_limits = {{"CORE", 0, false}, {"NOFILE", 1024, false}};
  const std::string more = added_variables({"-vv", "--propagate=CORE", "--ntasks-per-gpu=2",
                                            "--cpu-bind=cores", "--gpu-bind=closest", "x"},
                                           {"n1", "", 0, 022, 0}, around);
  EXPECT_NE(more.find("SLURM_SRUN_COMM_HOST=n1\n"), more.npos)
      << "without an address the name is used";
  EXPECT_NE(more.find("SLURM_LAUNCH_NODE_IPADDR=\n"), more.npos);
  EXPECT_NE(more.find("SLURM_RLIMIT_CORE=U0\n"), more.npos) << more;
  EXPECT_EQ(more.find("NOFILE"), more.npos) << more;
  EXPECT_TRUE(
      more.ends_with("SRUN_DEBUG=5\nSLURM_NTASKS_PER_GPU=2\nSLURM_CPU_BIND=cores\n"
                     "SLURM_GPU_BIND=closest\n"))
      << more;
  EXPECT_TRUE(added_variables({"-Q", "x"}, {}, {}).ends_with("SRUN_DEBUG=2\n"));
}

TEST(StepBegin, contains_the_options_for_the_nodes) {
  const auto begin_for = [](const ShapeWords& words) {
    StepView view;
    view.step.tasks = 4;
    view.step.spec.tasks = 4;
    view.step.nodes.resize(2);
    view.step.nodes[0].tasks = view.step.nodes[1].tasks = 2;
    const StepPlan made = shape_plan(words, {});
    return *begin_of(made, view, route_streams(made.asked.step, view, made.names));
  };
  const StepBegin plain = begin_for({"x", "y"});
  ASSERT_EQ(plain.commands.size(), 1u);
  EXPECT_EQ(plain.commands[0].words, (ShapeWords{"x", "y"}));
  EXPECT_EQ(plain.work_dir, "/home/ann");
  EXPECT_EQ(plain.mpi + plain.task_map + plain.task_epilog, "");
  EXPECT_FALSE(plain.error_joins || plain.unbuffered || plain.output.append);
  EXPECT_EQ(plain.pty_rank, -1);
  EXPECT_EQ(plain.input_rank, -1);
  EXPECT_EQ(begin_for({"--pty", "x"}).pty_rank, 0);
  EXPECT_EQ(begin_for({"-i", "3", "x"}).input_rank, 3);
  const StepBegin asked =
      begin_for({"-u", "--mpi=pmix", "-o", "out", "--open-mode=append", "--task-epilog=e", "x"});
  EXPECT_TRUE(asked.unbuffered && asked.error_joins && asked.output.append);
  EXPECT_EQ(asked.output.path, "") << "srun writes that file itself";
  EXPECT_EQ(asked.mpi + " " + asked.task_map + " " + asked.task_epilog, "pmix 0,1;2,3 e");
  const StepBegin streams = begin_for({"-o", "o.%t", "-e", "e.%t", "-i", "i.%t", "x"});
  EXPECT_EQ(streams.output.path + streams.error.path + streams.input.path, "o.%te.%ti.%t");
}

}  // namespace
}  // namespace cox
