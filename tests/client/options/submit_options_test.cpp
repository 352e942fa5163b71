#include "client/options/submit_options.h"

#include <gtest/gtest.h>

#include <csignal>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "client/options/given_options.h"
#include "client/options/submit_option_table.h"
#include "common/base/limits.h"

namespace cox {
namespace {

using Words = std::vector<std::string>;

// Returns the options that the words set, or the refusal.
Result<SubmitOptions> ask(const Words& words) {
  const Result<GivenOptions> given = read_options(words, OptionPlace::CommandLine);
  if (!given) return given.refusal();
  EXPECT_EQ(given->words_read, words.size());
  SubmitOptions asked;
  if (Failure failure = apply_options(*given, asked)) return *failure;
  if (Failure failure = resolve_options(asked)) return *failure;
  return asked;
}

JobSpec spec_of(const Words& words) {
  const Result<SubmitOptions> asked = ask(words);
  EXPECT_TRUE(asked.ok()) << (asked.ok() ? "" : asked.refusal().fact);
  return asked.ok() ? asked->spec : JobSpec{};
}

TEST(SubmitOptions, EachSetTheirFieldOfTheJob) {
  const JobSpec spec = spec_of({"-J",
                                "train",
                                "-N",
                                "2",
                                "-n",
                                "4",
                                "--ntasks-per-node=2",
                                "-c",
                                "8",
                                "--mem=16G",
                                "-t",
                                "1-0",
                                "--gres=gpu:h100:4",
                                "-p",
                                "gpu",
                                "-q",
                                "critical",
                                "-w",
                                "n[1-2]",
                                "-C",
                                "fast",
                                "--exclusive",
                                "-D",
                                "/data",
                                "-o",
                                "out-%j",
                                "-e",
                                "err-%j",
                                "-i",
                                "in",
                                "-H",
                                "--open-mode=append",
                                "--signal=B:USR1@120",
                                "--no-requeue",
                                "--checkpoint-signal=USR2",
                                "--checkpoint-by=rank0",
                                "--requeue-on-timeout",
                                "--no-fence"});
  JobSpec expected;
  expected.name = "train";
  expected.nodes = 2;
  expected.tasks = 4;
  expected.tasks_asked = true;
  expected.tasks_per_node = 2;
  expected.cpus_per_task = 8;
  expected.cpus_per_task_asked = true;
  expected.memory_mb_per_node = 16384;
  expected.time_limit_s = 86400;
  expected.gpu_type = "h100";
  expected.gpus_per_node = 4;
  expected.partition = "gpu";
  expected.qos = "critical";
  expected.nodelist = {"n1", "n2"};
  expected.constraint = "fast";
  expected.exclusive = true;
  expected.work_dir = "/data";
  expected.output = "out-%j";
  expected.error = "err-%j";
  expected.input = "in";
  expected.hold = true;
  expected.append_output = true;
  expected.signal = {SIGUSR1, 120, true};
  expected.requeue = false;
  expected.checkpoint_signal = SIGUSR2;
  expected.checkpoint_by = CheckpointBy::Rank0;
  expected.requeue_on_timeout = true;
  expected.no_fence = true;
  EXPECT_EQ(spec, expected);
}

TEST(SubmitOptions, AreAcceptedInAllFormsOfGetopt) {
  for (const Words& words : std::vector<Words>{{"-N2"},
                                               {"-N", "2"},
                                               {"--nodes=2"},
                                               {"--nodes", "2"},
                                               {"--nodes=2-2"},
                                               {"-HN2"},
                                               {"-QHN", "2"},
                                               {"-N9", "-N2"}})
    EXPECT_EQ(spec_of(words).nodes, 2) << words[0];
  EXPECT_EQ(spec_of({"--job", "x y"}).name, "x y");
  EXPECT_EQ(spec_of({"--part=gpu"}).partition, "gpu");
  EXPECT_EQ(spec_of({"--tasks", "3"}).tasks, 3);
  EXPECT_EQ(spec_of({"--tasks-per-node", "3"}).tasks_per_node, 3);
  EXPECT_EQ(spec_of({"--gpus-per-node=h100:2"}).gpu_type, "h100");
  using Stored = std::vector<std::string>;
  EXPECT_EQ(spec_of({"--gpus-per-node=h100:2"}).stored_options, (Stored{"gpus-per-node=h100:2"}));
  EXPECT_EQ(spec_of({"--gpus-per-node=2", "--gres=gpu:1"}).stored_options, Stored{});
  EXPECT_EQ(spec_of({"--gres=gpu:0.25,fpga:u280:2"}).gpu_milli, 250);
  EXPECT_EQ(spec_of({"--gres=gpu:0.25,fpga:u280:2"}).gres, "fpga:u280:2");
  EXPECT_EQ(spec_of({"--gpu-type=h200|h100:0.8"}).gpu_type, "h200|h100:0.8");
  EXPECT_EQ(spec_of({"-N4-16"}).node_sizes, "4-16");
  EXPECT_EQ(spec_of({"-N4-16"}).nodes, 4);
  EXPECT_EQ(spec_of({"-N-3"}).node_sizes, "1-3");
  EXPECT_EQ(spec_of({"-N", "-3"}).nodes, 1);
  EXPECT_EQ(spec_of({"--nodes=1k"}).nodes, 1024);
  EXPECT_EQ(spec_of({"-C", "[a*2&b*4]"}).constraint, "[a*2&b*4]");
  EXPECT_EQ(spec_of({"-C", "!a"}).constraint, "!a");
  EXPECT_EQ(spec_of({"--nice"}).nice, 100);
  EXPECT_EQ(spec_of({"--nice=-7"}).nice, -7);
  EXPECT_EQ(spec_of({"--time-min=5"}).time_min_s, 300);
  EXPECT_EQ(spec_of({"--signal", "USR2@90"}).signal.seconds_before, 90);
  EXPECT_EQ(spec_of({"--no-requeue", "--requeue"}).requeue, true);
  EXPECT_EQ(spec_of({"-o", "none"}).output, "/dev/null");
  EXPECT_EQ(spec_of({"-w", "n3,n1,n3"}).nodelist, (Words{"n1", "n3"}));
}

TEST(SubmitOptions, EndAtTheFirstWordThatIsNotAnOption) {
  const auto read = [](const Words& words) {
    const Result<GivenOptions> given = read_options(words, OptionPlace::CommandLine);
    return std::tuple(given->options.size(), given->words_read, given->double_dash);
  };
  EXPECT_EQ(read({"-N2", "job.sh", "-n4"}), std::tuple(1u, 1u, false));
  EXPECT_EQ(read({"-N2", "--", "-n4"}), std::tuple(1u, 2u, true));
  EXPECT_EQ(read({"-N2", "-", "-n4"}), std::tuple(1u, 1u, false));
  EXPECT_EQ(read({"-J", "--", "-n4"}), std::tuple(2u, 3u, false));  // "--" is the name
  EXPECT_EQ(read({}), std::tuple(0u, 0u, false));
}

using RefusedWords = std::vector<std::tuple<Words, std::string, std::string>>;

void expect_refused(const RefusedWords& table) {
  for (const auto& [words, fact, hint] : table) {
    const Result<SubmitOptions> asked = ask(words);
    ASSERT_FALSE(asked.ok()) << words[0];
    EXPECT_NE(asked.refusal().fact.find(fact), std::string::npos) << asked.refusal().fact;
    EXPECT_NE(asked.refusal().hint.find(hint), std::string::npos) << asked.refusal().hint;
    EXPECT_FALSE(asked.refusal().hint.empty()) << asked.refusal().fact;
  }
}

TEST(SubmitOptions, UnknownOrMalformedOptionsAreRefusedWithTheReasonAndAHint) {
  expect_refused({
      {{"--ndoes=2"}, "unrecognized option '--ndoes'", "did you mean --nodes?"},
      {{"-m", "foo"}, "Invalid --distribution specification: \"foo\" is not", "write block"},
      {{"--gpu-bind=foo"}, "Invalid --gpu-bind specification: unknown type", "write none"},
      {{"--hint=foo"}, "Invalid --hint specification: \"foo\" is no hint", "write compute_bound"},
      {{"--mem-bind=foo"}, "Invalid --mem-bind specification: \"foo\" is no", "write none"},
      {{"--zzzzzzzz"}, "unrecognized option '--zzzzzzzz'", "--help"},
      {{"-z"}, "invalid option -- 'z'", "--help"},
      {{"--no\x1b[31m"}, "unrecognized option '--no?[31m'", ""},
      {{"--gpus-per=1"},
       "option '--gpus-per=1' is ambiguous; possibilities: '--gpus-per-task' '--gpus-per-node'",
       "in full"},
      {{"--check=1"}, "possibilities: '--checkpoint-signal' '--checkpoint-by'", "in full"},
      {{"-N"}, "option requires an argument -- 'N'", "--nodes=NUMBER"},
      {{"--hold=yes"}, "option '--hold' doesn't allow an argument", "--hold alone"},
      {{"-n", "-1"},
       "Invalid numeric value \"-1\" for --ntasks: \"-1\" is not a whole number from 1 to 262144",
       "--ntasks=NUMBER"},
      {{"-n", "0"}, "from 1 to 262144", ""},
      {{"-n", "99999999999"}, "from 1 to 262144", ""},
      {{"-n", "99999999999999999999999"}, "from 1 to 262144", ""},
      {{"-n=4"}, "\"=4\" is not a whole number", ""},
      {{"-N4-1"}, "\"4-1\" is not a valid node count: ", ""},
      {{"-c", "1.5"}, "for --cpus-per-task: \"1.5\" is not a whole number", ""},
      {{"--mem=1e400"}, "Invalid --mem specification: \"1e400\" is not a memory size", "16G"},
      {{"-t", "1-99:99:99"},
       "Invalid --time specification: \"1-99:99:99\" is not a time",
       "days-hours"},
  });
}

TEST(SubmitOptions, WithWrongValuesAreRefusedWithTheReasonAndAHint) {
  expect_refused({
      {{"--gres=gpu:1,gpu:2"}, "asks for GPUs twice", "--gpu-type"},
      {{"--gres=gpu:a100:2", "--gpu-type=h100"},
       "--gpu-type is \"h100\", but the requested GPUs are of type \"a100\"",
       "--gpu-type=h100 goes with a number alone, like --gres=gpu:2"},
      {{"--gpu-type=h100", "--gpus-per-node=a100:0.25"},
       "the requested GPUs are of type \"a100\"",
       "0.25"},
      {{"-C", "a&"}, "a&", ""},
      {{"--gpu-choice=best"}, "is not a GPU preference", "cost, speed or balanced"},
      {{"--array=x"}, "Invalid job array specification: ", ""},
      {{"-d", "x:1"}, "Job dependency problem: ", ""},
      {{"--switches=x"}, "the number of switches", ""},
      {{"--topology=leaf"}, "leaf", "required"},
      {{"--nice=x"},
       "\"x\" is not a whole number from -2147483645 to 2147483645",
       "--nice alone is 100"},
      {{"--nice=-99999999999"},
       "\"-99999999999\" is not a whole number from -2147483645",
       "-50 more"},
      {{"-p", ","}, "\",\" names no partition", "several like debug,gpu"},
      {{"-p", "a b"}, "contains a blank", "name one partition"},
      {{"-w", "n[1"}, "never closed", "n[1-4,07]"},
      {{"-J", "a\nb"},
       "Invalid --job-name specification: \"a?b\" has a control character",
       "take it out"},
      {{"-J", "a\xff"}, "is not valid UTF-8", ""},
      {{"-J", std::string(1025, 'x')}, "longer than 1024 bytes", "shorter"},
      {{"-o", std::string(4097, 'x')}, "longer than 4096 bytes", ""},
      {{"--exclusive=mcs"}, "Coxswain has no MCS labels", "--exclusive without a value"},
      {{"--open-mode=x"}, "not a way to open a file", "append or truncate"},
      {{"--signal=USR9"}, "is not a signal", ""},
      {{"--checkpoint-signal=KILL"}, "cannot be caught", "USR1"},
      {{"--checkpoint-by=rank1"}, "\"rank1\" is neither all nor rank0", ""},
  });
}

TEST(SubmitOptions, ANodeCountIsRefusedAsMalformedOrAsTooMany) {
  EXPECT_NE(ask({"-N", "0"}).refusal().fact.find("from 1 to 16384"), std::string::npos);
  const Refusal many = ask({"-N1m"}).refusal();
  EXPECT_EQ(many.fact,
            "More processors requested than permitted: \"1m\" is more than 16384, the most nodes "
            "that one job may have");
  EXPECT_EQ(many.hint, "ask for fewer nodes");
}

TEST(SubmitOptions, OvercommitAsksForOneTaskANodeAndStoresTheTasks) {
  const SubmitOptions asked = *ask({"-O", "-N2", "-n30", "--ntasks-per-node=15"});
  EXPECT_EQ(asked.spec.nodes, 2);
  EXPECT_EQ(asked.spec.tasks + asked.spec.tasks_per_node, 0);
  EXPECT_FALSE(asked.spec.tasks_asked);
  EXPECT_EQ(asked.spec.stored_options, std::vector<std::string>{"overcommit=30"});
  const SubmitOptions alone = *ask({"--overcommit"});
  EXPECT_EQ(alone.spec.stored_options, std::vector<std::string>{"overcommit"});
}

TEST(SubmitOptions, TresPerTaskEqualsTheOptionsForCpusAndGpus) {
  for (const std::string value : {"cpu=2,gres/gpu:h100=1", "gres/gpu:h100:1,cpu:2"}) {
    const SubmitOptions asked = *ask({"-n3", "--tres-per-task=" + value});
    EXPECT_EQ(asked.spec, ask({"-n3", "-c2", "--gpus-per-task=h100:1"})->spec) << value;
    EXPECT_EQ(asked.spec.gpus_per_task, 1) << value;
  }
  const SubmitOptions last = *ask({"-c8", "--tres-per-task=cpu=2"});
  EXPECT_EQ(last.spec.cpus_per_task, 2);
  for (const std::string value :
       {"", "cpu", "cpu=", "cpu=x", "cpu=0", "mem=4G", "license/a=1", "gres/gpu", "gres/gpu:h100",
        "gres/gpus=1", "gres/gpu:=1", "gres/gpu=0.5", "cpu=1,cpu=2", "cpu=1,", "=1"})
    EXPECT_FALSE(ask({"--tres-per-task=" + value}).ok()) << value;
  EXPECT_EQ(ask({"--tres-per-task=mem=4G"}).refusal().hint,
            "ask for memory with --mem-per-cpu, for licences with --licenses, for other GRES on "
            "each node with --gres");
}

TEST(SubmitOptions, UnsupportedOptionsAreRefusedWithAnAlternative) {
  for (const UnsupportedOption& option : unsupported_option_table()) {
    const std::string name = "--" + std::string(option.name);
    const Result<SubmitOptions> asked = ask({name + "=1"});
    ASSERT_FALSE(asked.ok()) << name;
    EXPECT_EQ(asked.refusal().fact, name + " is not supported");
    EXPECT_FALSE(asked.refusal().hint.empty()) << name;
    if (option.letter == 0) continue;
    EXPECT_EQ(ask({std::string("-") + option.letter + "1"}).refusal().fact,
              std::string("-") + option.letter + " (" + name + ") is not supported");
  }
}

TEST(SubmitOptions, OfStepsAreAcceptedOrRefusedWithAnAlternative) {
  const auto refused = [](const std::string& word) {
    const auto given = read_options({word}, OptionPlace::CommandLine, step_options());
    return given.ok() ? "" : given.refusal().fact;
  };
  for (const std::string name : {"--switches=1", "--time-min=5", "--resv-ports", "--treewidth=9",
                                 "--delay-boot=1", "--gpu-freq=low", "--mcs-label=a",
                                 "--thread-spec=1", "--power=", "--spread-job", "--use-min-nodes"})
    EXPECT_EQ(refused(name), "") << name;
  for (const UnsupportedOption& option : unsupported_step_option_table()) {
    const std::string name = "--" + std::string(option.name);
    EXPECT_EQ(refused(name + "=1"), name + " is not supported");
    EXPECT_FALSE(option.instead.empty()) << name;
  }
}

TEST(SubmitOptions, OfContainersAreStoredIfThereIsAnImage) {
  const auto asked = ask({"--container-image=a.sif", "--container-image=b.sif",
                          "--container-mounts=/a,/b:/c:ro", "--container-env=A,B"});
  ASSERT_TRUE(asked.ok()) << asked.refusal().fact;
  EXPECT_EQ(asked->spec.stored_options,
            (Words{"container-image=b.sif", "container-mounts=/a,/b:/c:ro", "container-env=A,B"}));
  EXPECT_EQ(ignored_option_warnings(*asked), Words{});
  EXPECT_EQ(ignored_option_warnings(*ask({"--container-mounts=/a"})),
            Words{"--container-mounts has no effect without --container-image and is ignored"});
  SubmitOptions moved = *ask({"--container-image=a.sif", "--container-mounts=/a"});
  moved.spec = {};
  EXPECT_EQ(ignored_option_warnings(moved), Words{});
  EXPECT_EQ(ask({"--container=/oci"})->spec.stored_options, Words{"container=/oci"});
  for (const char* wrong : {"--container-image=-x", "--container-image=", "--container-mounts=a:/b",
                            "--container-workdir=here", "--container-env=1A"})
    EXPECT_FALSE(ask({wrong}).ok()) << wrong;
}

TEST(SubmitOptions, WithoutAnEffectAreAcceptedWithAWarning) {
  for (const SubmitOption& option : ignored_option_table()) {
    const std::string name = "--" + std::string(option.name);
    const auto asked = ask({option.takes == Takes::Value ? name + "=x" : name});
    ASSERT_TRUE(asked.ok()) << name;
    EXPECT_EQ(asked->spec, JobSpec{}) << name;
    const auto warnings = ignored_option_warnings(*asked);
    ASSERT_EQ(warnings.size(), 1u) << name;
    EXPECT_TRUE(warnings[0].starts_with(name + " has no effect here and is ignored")) << name;
  }
  EXPECT_EQ(ignored_option_warnings(*ask({"-N2"})), Words{});
  EXPECT_EQ(ignored_option_warnings(*ask({"--container-save=a", "--container-save=b"})),
            Words{"--container-save has no effect here and is ignored"});
  const auto shortened = ask({"--container-mount=/a"});
  ASSERT_FALSE(shortened.ok());
  EXPECT_NE(shortened.refusal().fact.find("ambiguous"), std::string::npos);
}

TEST(SubmitOptions, TestAndTestOnlyAreTheSame) {
  EXPECT_TRUE(ask({"--test"})->test);
  EXPECT_TRUE(ask({"--test-only"})->test);
  EXPECT_FALSE(ask({})->test);
}

TEST(SubmitOptions, HaveUniqueNamesLettersAndVariables) {
  std::set<std::string_view> names;
  std::set<std::string_view> variables;
  std::set<char> letters;
  const auto add = [&](const auto& option) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    if (option.letter) {
      EXPECT_TRUE(letters.insert(option.letter).second) << option.name;
    }
    if (option.variable.empty()) return;
    EXPECT_TRUE(variables.insert(option.variable).second) << option.name;
    EXPECT_TRUE(option.variable.starts_with("SBATCH_")) << option.name;
  };
  for (const SubmitOption& option : submit_options().options) {
    add(option);
  }
  for (const UnsupportedOption& option : unsupported_option_table()) add(option);
}

TEST(SubmitOptions, AreReadFromVariablesToo) {
  const auto given = read_option_variables(
      {"HOME=/root", "SBATCH_PARTITION=gpu", "SBATCH_QOS=", "SBATCH_NO_REQUEUE=",
       "SBATCH_EXCLUSIVE=", "SBATCH_TIMELIMIT=5", "SBATCH_NEVER_HEARD_OF=1"});
  ASSERT_TRUE(given.ok());
  SubmitOptions asked;
  ASSERT_FALSE(apply_options(*given, asked).has_value());
  JobSpec expected;
  expected.partition = "gpu";
  expected.requeue = false;
  expected.exclusive = true;
  expected.time_limit_s = 300;
  EXPECT_EQ(asked.spec, expected);
}

TEST(SubmitOptions, AFlagInAVariableHoldsIfTheValueIsEmptyYesOrANumberOtherThan0) {
  const auto waits = [](const std::string& value) {
    SubmitOptions asked;
    EXPECT_FALSE(apply_options(*read_option_variables({"SBATCH_WAIT=" + value}), asked));
    return asked.wait;
  };
  for (const char* yes : {"", "yes", "Yes", "1", "-1"}) EXPECT_TRUE(waits(yes)) << yes;
  for (const char* no : {"0", "no", "false", "true"}) EXPECT_FALSE(waits(no)) << no;
}

TEST(SubmitOptions, InVariablesAreRefusedByTheNameOfTheVariable) {
  SubmitOptions asked;
  const auto bad = apply_options(*read_option_variables({"SBATCH_TIMELIMIT=soon"}), asked);
  ASSERT_TRUE(bad.has_value());
  EXPECT_EQ(bad->fact, "Invalid --time specification (SBATCH_TIMELIMIT): \"soon\" is not a time");
  const auto later = read_option_variables({"SBATCH_NO_KILL=1"});
  ASSERT_FALSE(later.ok());
  EXPECT_EQ(later.refusal().fact, "SBATCH_NO_KILL (--no-kill) is not supported");
  EXPECT_NE(later.refusal().hint.find("unset SBATCH_NO_KILL"), std::string::npos);
}

// Returns the options that apply to the whole job when a component has these words.
SubmitOptions common_of(const Words& words) {
  SubmitOptions to;
  copy_common_options(*ask(words), to);
  return to;
}

TEST(SubmitOptions, AboutTheSubmissionApplyToAllComponents) {
  const auto flags = [](const SubmitOptions& asked) {
    std::string text;
    for (const bool is_set : {asked.parsable, asked.quiet, asked.json, asked.wait, asked.test,
                              asked.help, asked.version})
      text += is_set ? '1' : '0';
    return text;
  };
  for (const auto& [word, set] : {std::pair{"--parsable", "1000000"},
                                  {"-Q", "0100000"},
                                  {"--json", "0010000"},
                                  {"--wait", "0001000"},
                                  {"--test", "0000100"},
                                  {"-h", "0000010"},
                                  {"-V", "0000001"},
                                  {"-N2", "0000000"}}) {
    EXPECT_EQ(flags(common_of({word})), set) << word;
    SubmitOptions to = *ask({word});
    copy_common_options({}, to);
    EXPECT_EQ(flags(to), set) << word << " remains if another component does not set it";
  }
  SubmitOptions to = common_of({"--wrap=hostname", "--request-id=r1", "-vv"});
  copy_common_options(*ask({"-v"}), to);
  EXPECT_EQ(to.wrap + " " + to.request_id, "hostname r1");
  EXPECT_EQ(to.verbose, 2);
  copy_common_options(*ask({"--wrap=date", "--request-id=r2"}), to);
  EXPECT_EQ(to.wrap + " " + to.request_id, "date r2");
}

TEST(SubmitOptions, WithAHelpTextAreAllListedInTheHelp) {
  const std::string help = submit_help(true);
  for (const SubmitOption& option : submit_options().options) {
    if (option.help.empty()) continue;
    EXPECT_NE(help.find("--" + std::string(option.name)), std::string::npos) << option.name;
  }
  for (std::size_t begin = 0; begin < help.size(); begin = help.find('\n', begin) + 1)
    EXPECT_LE(help.find('\n', begin) - begin, 100u) << help.substr(begin, 100);
  EXPECT_NE(submit_help(false).find("cox submit [OPTION]... -- COMMAND"), std::string::npos);
}

}  // namespace
}  // namespace cox
