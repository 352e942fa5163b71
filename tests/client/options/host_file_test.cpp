// Tests files of node names, and the node lists that jobs and steps get from them.
#include "client/options/host_file.h"

#include <gtest/gtest.h>

#include "client/step/allocation.h"
#include "client/step/step_plan.h"
#include "common/base/limits.h"

namespace cox {
namespace {

using Words = std::vector<std::string>;

const Words four = {"n3", "n1", "n2", "n3"};

std::optional<std::string> read(const std::string& path) {
  if (path == "./hosts" || path == "/hosts") return "n3\nn1,n2  # and again\n\n n3\n";
  if (path == "./pairs") return "n2*2\nn1*2\n";
  return std::nullopt;
}

SubmitSurroundings around(const Words& environment) {
  SubmitSurroundings made{environment, "/home/ann", "login1"};
  made.read_file = read;
  return made;
}

Result<StepSpec> try_step(Words words, Words environment = {}) {
  words.push_back("train");
  environment.push_back("SLURM_JOB_ID=12");
  const auto command = parse_step(words);
  if (!command) return command.refusal();
  auto plan = plan_step(*command, around(environment), read);
  if (!plan) return plan.refusal();
  return plan->create.spec;
}

StepSpec step(const Words& words, const Words& environment = {}) {
  const auto made = try_step(words, environment);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.refusal().fact);
  return made.ok() ? *made : StepSpec{};
}

JobSpec allocation(const Words& words, const Words& environment) {
  const auto command = parse_allocation(words);
  EXPECT_TRUE(command.ok());
  const auto plan = plan_allocation(*command, around(environment));
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.refusal().fact);
  return plan.ok() ? plan->request.spec : JobSpec{};
}

JobSpec own_allocation(Words words, const Words& environment = {}) {
  words.push_back("train");
  const auto plan = plan_allocation(std::vector{*parse_step(words)}, around(environment));
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.refusal().fact);
  return plan.ok() ? plan->request.spec : JobSpec{};
}

// ---- the file --------------------------------------------------------------------------------

TEST(HostFile, NamesNodesInTheOrderOfItsLines) {
  EXPECT_EQ(*parse_host_file("# mine\nn3\r\nn1,n2 # two\n\nn3", "f"), four);
  EXPECT_EQ(*parse_host_file("n[1-2]*2,n9", "f"), (Words{"n1", "n2", "n1", "n2", "n9"}));
  EXPECT_EQ(*parse_host_file("n[1,3],n2", "f"), (Words{"n1", "n3", "n2"}));
}

TEST(HostFile, RefusalsNameTheWrongLine) {
  for (const char* wrong : {"n1\n*3", "n1\n-x", "n1\nn[1", "n1\nn2*0", "n1\nn2*x", "n1\na b",
                            "n1\nn[1-9]]", "n1\nn1*65536"}) {
    const auto names = parse_host_file(wrong, "hosts");
    ASSERT_FALSE(names.ok()) << wrong;
    EXPECT_TRUE(names.refusal().fact.starts_with(
        "Failure getting NodeNames from hostfile: hosts, line 2: "))
        << names.refusal().fact;
  }
  EXPECT_FALSE(parse_host_file(" # nothing\n", "hosts").ok());
  EXPECT_FALSE(read_host_file("./nowhere", read).ok());
}

TEST(HostFile, HasASizeLimit) {
  const auto read_bytes = [](std::size_t bytes) {
    return read_host_file("hosts", [bytes](const std::string&) {
      return std::optional("n1\n" + std::string(bytes - 3, '#'));
    });
  };
  EXPECT_TRUE(read_bytes(limits::host_file_bytes_max).ok());
  EXPECT_EQ(read_bytes(limits::host_file_bytes_max + 1).refusal().fact,
            "Failure getting NodeNames from hostfile: hosts is larger than 1048576 bytes");
}

// ---- steps -----------------------------------------------------------------------------------

TEST(HostFile, OfSlurmHostfilePlacesEachTaskOfAStep) {
  // With SLURM_HOSTFILE a step ignores the numbers of tasks and nodes of its job, as in Slurm.
  const StepSpec all = step({}, {"SLURM_HOSTFILE=/hosts", "SLURM_NTASKS=9", "SLURM_NNODES=5",
                                 "SLURM_NTASKS_PER_NODE=2", "SLURM_DISTRIBUTION=block"});
  EXPECT_EQ(all.distribution, Distribution::Arbitrary);
  EXPECT_EQ(all.nodelist, four);
  EXPECT_EQ(all.tasks, 4);
  EXPECT_EQ(all.nodes_min, 3);
  EXPECT_EQ(all.nodes_max, 3);
  EXPECT_EQ(all.tasks_per_node, 0);
  EXPECT_EQ(step({"-n2"}, {"SLURM_HOSTFILE=/hosts"}).nodelist, (Words{"n3", "n1"}));
  EXPECT_EQ(step({"-w", "n7"}, {"SLURM_HOSTFILE=/hosts"}).nodelist, Words{"n7"});
  EXPECT_EQ(try_step({"-n5"}, {"SLURM_HOSTFILE=/hosts"}).refusal().fact,
            "Too few NodeNames in Slurm Hostfile: 4 for 5 tasks");
  EXPECT_EQ(try_step({}, {"SLURM_HOSTFILE=/none"}).refusal().fact,
            "Failure getting NodeNames from hostfile: cannot read /none");
}

TEST(HostFile, OfNodelistNamesTheNodesOfAStep) {
  const StepSpec named = step({"-w", "./hosts"});
  EXPECT_EQ(named.distribution, Distribution::Block);
  EXPECT_EQ(named.nodelist, (Words{"n1", "n2", "n3"}));
  EXPECT_EQ(step({"-w", "./hosts", "-m", "arbitrary"}).nodelist, four);
  EXPECT_EQ(step({"-w", "./hosts", "-w", "n1"}).nodelist, Words{"n1"});
}

TEST(HostFile, NodesOnTheCommandLineKeepTheirOrderWithArbitrary) {
  const StepSpec listed = step({"-m", "arbitrary", "-w", "n3,n1,n1"});
  EXPECT_EQ(listed.nodelist, (Words{"n3", "n1", "n1"}));
  EXPECT_EQ(listed.tasks, 3);
  EXPECT_EQ(step({"-w", "n3,n1,n1"}).nodelist, (Words{"n1", "n3"}));
  EXPECT_EQ(try_step({"-m", "arbitrary"}).refusal().fact,
            "With Arbitrary distribution you need to specify a nodelist or hostfile with the -w "
            "option");
  // SLURM_DISTRIBUTION of the job does not apply to a step without a node list.
  EXPECT_EQ(step({}, {"SLURM_DISTRIBUTION=arbitrary"}).distribution, Distribution::Block);
}

// ---- jobs ------------------------------------------------------------------------------------

TEST(HostFile, AnAllocationHasRoomForTheTasksOfTheBusiestNode) {
  for (const JobSpec& spec :
       {allocation({}, {"SLURM_HOSTFILE=/hosts"}), own_allocation({}, {"SLURM_HOSTFILE=/hosts"}),
        own_allocation({"-m", "arbitrary", "-w", "./hosts"})}) {
    EXPECT_EQ(spec.nodelist, (Words{"n1", "n2", "n3"}));
    EXPECT_EQ(spec.nodes, 3);
    EXPECT_EQ(spec.tasks, 6);
    EXPECT_EQ(spec.tasks_per_node, 2);
  }
  const JobSpec even = own_allocation({"-m", "arbitrary", "-w", "n2,n1,n1,n2"});
  EXPECT_EQ(even.nodes, 2);
  EXPECT_EQ(even.tasks, 4);
  EXPECT_EQ(own_allocation({"-O", "-m", "arbitrary", "-w", "./hosts"}).tasks_per_node, 0);
}

TEST(HostFile, OfNodelistNamesTheNodesOfAJob) {
  const JobSpec spec = allocation({"-w", "./hosts"}, {});
  EXPECT_EQ(spec.nodelist, (Words{"n1", "n2", "n3"}));
  EXPECT_FALSE(spec.tasks_asked);
}

TEST(HostFile, ABatchScriptGetsSlurmHostfile) {
  const auto command = parse_submit({"--wrap=true"}, true);
  ASSERT_TRUE(command.ok());
  const auto plan = build_submit(*command, std::nullopt, around({"SLURM_HOSTFILE=./hosts"}));
  ASSERT_TRUE(plan.ok()) << plan.refusal().fact;
  const std::string entry("SLURM_HOSTFILE=/home/ann/./hosts\0", 33);
  EXPECT_NE(plan->request.environment.find(entry), std::string::npos);
  EXPECT_EQ(plan->request.spec.stored_options, Words{"distribution=arbitrary"});
  const auto plain = build_submit(*command, std::nullopt, around({}));
  EXPECT_EQ(plain->request.environment.find("SLURM_HOSTFILE"), std::string::npos);
}

TEST(HostFile, SbcastIgnoresTheHostFile) {
  Words environment = {"A=1", "SLURM_HOSTFILE=/hosts", "SLURM_CONTAINER=/images/a"};
  forget_places_of_steps(environment);
  EXPECT_EQ(environment, Words{"A=1"});
}

// ---- limits ----------------------------------------------------------------------------------

TEST(PropagatedLimits, ArePassedToJobsAndSteps) {
  SubmitSurroundings here = around({});
  here.soft_limits = {{"CORE", 512, false}, {"MEMLOCK", 64, false}};
  const auto job = [&](const Words& words) {
    return build_submit(*parse_submit(words, true), std::nullopt, here);
  };
  EXPECT_EQ(job({"--wrap=true"})->request.environment, std::string("SLURM_RLIMIT_CORE=512\0", 22));
  EXPECT_EQ(job({"--wrap=true", "--propagate=NONE"})->request.environment, "");
  EXPECT_EQ(job({"--wrap=true", "--propagate"})->request.environment,
            std::string("SLURM_RLIMIT_CORE=U512\0SLURM_RLIMIT_MEMLOCK=U64\0", 48));
  EXPECT_EQ(parse_submit({"--wrap=true", "--propagate=FOO"}, true).refusal().fact,
            "Bad rlimit name: FOO");
  here.environment = {"SLURM_JOB_ID=12"};
  auto step = plan_step(*parse_step({"--propagate=CORE", "x"}), here, read);
  ASSERT_TRUE(step.ok());
  add_step_variables(*step, {"n1", "10.0.0.1", 4711, 027, 5}, here);
  EXPECT_NE(step->environment.find("SLURM_RLIMIT_CORE=U512"), std::string::npos);
  EXPECT_EQ(step->environment.find("MEMLOCK"), std::string::npos);
}

}  // namespace
}  // namespace cox
