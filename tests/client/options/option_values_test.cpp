// Tests that each option of jobs and steps sets its own field, and accepts values up to its limit.
#include <gtest/gtest.h>

#include <csignal>
#include <utility>

#include "client/options/given_options.h"
#include "common/base/limits.h"
#include "common/job/open_mode.h"

namespace cox {
namespace {

using OptionWords = std::vector<std::string>;

struct OptionTaken {
  SubmitOptions asked;
  std::string why;   // the fact of the refusal
  std::string hint;  // its hint
};

OptionTaken take_options(const OptionWords& words, const OptionTable& table) {
  OptionTaken taken;
  const Result<GivenOptions> given = read_options(words, OptionPlace::CommandLine, table);
  if (!given) return {{}, given.refusal().fact, given.refusal().hint};
  if (const Failure failure = apply_options(*given, taken.asked)) {
    taken.why = failure->fact;
    taken.hint = failure->hint;
  }
  return taken;
}
JobSpec job_asked_by(const OptionWords& words) {
  const OptionTaken taken = take_options(words, submit_options());
  EXPECT_EQ(taken.why, "");
  return taken.asked.spec;
}
StepOptions step_asked_by(const OptionWords& words) {
  const OptionTaken taken = take_options(words, step_options());
  EXPECT_EQ(taken.why, "");
  return taken.asked.step;
}
std::string why_no_job(const std::string& word) {
  const OptionTaken taken = take_options({word}, submit_options());
  return taken.why + "; " + taken.hint;
}
std::string why_no_step(const std::string& word) {
  const OptionTaken taken = take_options({word}, step_options());
  return taken.why + "; " + taken.hint;
}

TEST(JobOptions, about_cpus_memory_gpus_and_nodes_set_one_field_each) {
  const JobSpec spec = job_asked_by(
      {"--mem-per-cpu=100", "--mem-per-gpu=2G", "--ntasks-per-gpu=3", "--cpus-per-gpu=4",
       "--gpus-per-task=a40:5", "--time-min=6", "--topology=required:leaf", "--switches=2@60",
       "--gpu-choice=speed", "-L", "matlab:2", "-x", "n[1-2]", "--reservation=class", "--mincpus=7",
       "--contiguous", "--prefer=[fast|!old]", "--exclusive=user"});
  JobSpec expected;
  expected.memory_mb_per_cpu = 100;
  expected.memory_mb_per_gpu = 2048;
  expected.tasks_per_gpu = 3;
  expected.cpus_per_gpu = 4;
  expected.gpus_per_task = 5;
  expected.time_min_s = 360;
  expected.topology = "required:leaf";
  expected.switches = "2@60";
  expected.gpu_choice = "speed";
  expected.licences = "matlab:2";
  expected.exclude = {"n1", "n2"};
  expected.reservation = "class";
  expected.min_cpus = 7;
  expected.contiguous = true;
  expected.prefer = "[fast|!old]";
  expected.exclusive_user = true;
  EXPECT_EQ(spec, expected);
}

TEST(JobOptions, about_names_mail_accounts_and_times_set_one_field_each) {
  const OptionTaken taken = take_options({"--comment=try",
                                          "--wckey=w",
                                          "--mail-type=END",
                                          "--mail-user=ada",
                                          "--array=0-3",
                                          "--dependency=afterok:12",
                                          "--kill-on-invalid-dep=yes",
                                          "-A",
                                          "physics",
                                          "--parsable",
                                          "-Q",
                                          "--json",
                                          "--wait",
                                          "--export=NONE",
                                          "--request-id=r1",
                                          "--begin=now+1hour",
                                          "--deadline=now+2hours",
                                          "--wrap=hostname",
                                          "--resume-from=17_4:40",
                                          "-h",
                                          "-V"},
                                         submit_options());
  ASSERT_EQ(taken.why, "");
  JobSpec expected;
  expected.comment = "try";
  expected.wckey = "w";
  expected.mail_type = "END";
  expected.mail_user = "ada";
  expected.array = "0-3";
  expected.dependency = "afterok:12";
  expected.kill_on_invalid_dependency = true;
  expected.account = "physics";
  expected.resume_from.job = JobId{17};
  expected.resume_from.step = 40;
  EXPECT_EQ(taken.asked.spec, expected);
  EXPECT_EQ(taken.asked.resume_task, 4);
  EXPECT_TRUE(taken.asked.parsable && taken.asked.quiet && taken.asked.json && taken.asked.wait);
  EXPECT_TRUE(taken.asked.help && taken.asked.version);
  EXPECT_EQ(taken.asked.export_list, "NONE");
  EXPECT_EQ(taken.asked.request_id, "r1");
  EXPECT_EQ(taken.asked.begin, "now+1hour");
  EXPECT_EQ(taken.asked.deadline, "now+2hours");
  EXPECT_EQ(taken.asked.wrap, "hostname");
}

TEST(JobOptions, an_empty_value_undoes_an_earlier_one_as_in_slurm) {
  for (const std::string name : {"--job-name", "--comment", "--wckey", "--mail-user"})
    EXPECT_EQ(job_asked_by({name + "=x", name + "="}), JobSpec{}) << name;
  EXPECT_EQ(job_asked_by({"--kill-on-invalid-dep=no"}).kill_on_invalid_dependency, false);
  EXPECT_EQ(why_no_job("--kill-on-invalid-dep=maybe"),
            "Invalid --kill-on-invalid-dep specification: \"maybe\" is neither yes nor no; write "
            "yes or no");
  EXPECT_EQ(why_no_job("--mail-type=BLAH").find("Invalid --mail-type specification: "), 0u);
  EXPECT_EQ(why_no_job("--wrap="),
            "Invalid --wrap specification: the command is empty; write --wrap='command'");
}

TEST(JobOptions, the_last_exclusive_option_counts) {
  EXPECT_TRUE(job_asked_by({"--exclusive=EXCLUSIVE"}).exclusive);
  EXPECT_FALSE(job_asked_by({"--exclusive", "--exclusive=user"}).exclusive);
  EXPECT_FALSE(job_asked_by({"--exclusive=user", "--exclusive"}).exclusive_user);
  EXPECT_EQ(job_asked_by({"--exclusive", "--exclusive=oversubscribe"}), JobSpec{});
  EXPECT_EQ(why_no_job("--exclusive=mcs"),
            "Invalid --exclusive specification: Coxswain has no MCS labels; write --exclusive "
            "without a value to keep other jobs off its nodes");
  EXPECT_EQ(why_no_job("--exclusive=topo"),
            "Invalid --exclusive specification: Coxswain does not allocate whole segments of the "
            "topology; write --exclusive without a value to keep other jobs off its nodes");
  EXPECT_EQ(why_no_job("--exclusive=foo"),
            "Invalid --exclusive specification: unknown value \"foo\"; write --exclusive without a "
            "value to keep other jobs off its nodes, or --exclusive=user");
  EXPECT_EQ(why_no_job("--mincpus=0").find("Invalid numeric value \"0\" for --mincpus: "), 0u);
}

TEST(JobOptions, memory_of_0_is_all_memory_of_a_node) {
  EXPECT_TRUE(job_asked_by({"--mem=0"}).whole_memory);
  EXPECT_EQ(job_asked_by({"--mem=0"}).memory_mb_per_node, 0);
  EXPECT_FALSE(job_asked_by({"--mem=0", "--mem=1"}).whole_memory);
  EXPECT_EQ(job_asked_by({"--mem=1"}).memory_mb_per_node, 1);
}

TEST(JobOptions, gpus_per_job_and_per_task_are_whole_numbers) {
  for (const auto& [name, field] : {std::pair{"--gpus=", &JobSpec::gpus},
                                    std::pair{"--gpus-per-task=", &JobSpec::gpus_per_task}}) {
    const OptionTaken taken = take_options({std::string(name) + "h100:4"}, submit_options());
    EXPECT_EQ(taken.why, "");
    EXPECT_EQ(taken.asked.spec.*field, 4);
    EXPECT_EQ(taken.asked.gpus_type, "h100");
    EXPECT_EQ(job_asked_by({name + std::to_string(limits::tasks_per_job_max)}).*field,
              limits::tasks_per_job_max);
    EXPECT_NE(why_no_job(name + std::to_string(limits::tasks_per_job_max + 1)), "; ");
    EXPECT_NE(why_no_job(name + std::string("0.5"))
                  .find("\"0.5\" is a fraction of a GPU; ask for it on each node: --gres=gpu:0.25"),
              std::string::npos)
        << why_no_job(name + std::string("0.5"));
    EXPECT_NE(why_no_job(name + std::string("x:y")), "; ");
  }
}

TEST(JobOptions, whole_gpus_per_node_are_stored_as_written) {
  const auto stored = [](const OptionWords& words) { return job_asked_by(words).stored_options; };
  EXPECT_EQ(stored({"--gpus-per-node=h100:1"}), OptionWords{"gpus-per-node=h100:1"});
  EXPECT_EQ(stored({"--gpus-per-node=0"}), OptionWords{});
  EXPECT_EQ(stored({"--gpus-per-node=0.5"}), OptionWords{});
  EXPECT_EQ(stored({"--gpus-per-node=2", "--gpus-per-node=4"}), OptionWords{"gpus-per-node=4"});
  EXPECT_EQ(job_asked_by({"--gpus-per-node=64"}).gpus_per_node, 64);
  EXPECT_NE(why_no_job("--gpus-per-node=65"), "; ");
}

TEST(JobOptions, numbers_are_accepted_up_to_their_limits) {
  for (const auto& [name, most] : {std::pair{"--nodes=", limits::nodes_per_job_max},
                                   {"--ntasks=", limits::tasks_per_job_max},
                                   {"--ntasks-per-node=", limits::tasks_per_job_max},
                                   {"--cpus-per-task=", limits::cpus_per_task_max},
                                   {"--ntasks-per-gpu=", limits::tasks_per_job_max},
                                   {"--cpus-per-gpu=", limits::cpus_per_task_max},
                                   {"--nice=", limits::nice_max}}) {
    EXPECT_EQ(why_no_job(name + std::to_string(most)), "; ") << name;
    EXPECT_NE(why_no_job(name + std::to_string(most + 1)), "; ") << name;
  }
  EXPECT_EQ(job_asked_by({"--nice=0"}).nice, 0);
  EXPECT_EQ(job_asked_by({"--nice=-" + std::to_string(limits::nice_max)}).nice, -limits::nice_max);
  EXPECT_EQ(why_no_job("--nice=-" + std::to_string(limits::nice_max + 1)).find("Invalid"), 0u);
}

TEST(JobOptions, texts_are_accepted_up_to_their_limits) {
  for (const auto& [name, most] : {std::pair{"--job-name=", limits::name_bytes_max},
                                   {"--comment=", limits::name_bytes_max},
                                   {"--wckey=", limits::word_bytes_max},
                                   {"--mail-user=", limits::word_bytes_max},
                                   {"--qos=", limits::word_bytes_max},
                                   {"--account=", limits::word_bytes_max},
                                   {"--partition=", limits::word_bytes_max},
                                   {"--request-id=", limits::word_bytes_max},
                                   {"--chdir=", limits::path_bytes_max},
                                   {"--output=", limits::path_bytes_max},
                                   {"--error=", limits::path_bytes_max},
                                   {"--input=", limits::path_bytes_max}}) {
    EXPECT_EQ(why_no_job(name + std::string(most, 'x')), "; ") << name;
    EXPECT_NE(why_no_job(name + std::string(most + 1, 'x')).find("is longer than "),
              std::string::npos)
        << name;
  }
}

TEST(JobOptions, accept_one_qos_one_account_and_several_partitions) {
  EXPECT_EQ(why_no_job("--qos=a,b"),
            "Invalid --qos specification: \"a,b\" is more than one name; only one is supported; "
            "name one QOS");
  EXPECT_EQ(why_no_job("--account=a b"),
            "Invalid --account specification: \"a b\" contains a blank; name one account");
  EXPECT_EQ(job_asked_by({"-p", "a,b"}).partition, "a,b");
  EXPECT_EQ(job_asked_by({"-p", ",b"}).partition, ",b");
  EXPECT_EQ(why_no_job("--partition=,,"),
            "Invalid --partition specification: \",,\" names no partition; name one, or several "
            "like debug,gpu");
}

TEST(JobOptions, resume_from_accepts_a_job_or_a_task_with_or_without_a_step) {
  const auto resumes = [](const std::string& text) {
    const OptionTaken taken = take_options({"--resume-from=" + text}, submit_options());
    if (!taken.why.empty()) return std::string("refused");
    const ResumeSource& from = taken.asked.spec.resume_from;
    return std::to_string(from.job.value) + " " + std::to_string(taken.asked.resume_task) + " " +
           std::to_string(from.step);
  };
  EXPECT_EQ(resumes("17"), "17 -1 -1");
  EXPECT_EQ(resumes("17:0"), "17 -1 0");
  EXPECT_EQ(resumes("17_0"), "17 0 -1");
  EXPECT_EQ(resumes("17_4:9223372036854775807"), "17 4 9223372036854775807");
  for (const char* wrong : {"", "x", "17:", "17:x", "17:-1", "17_[1-2]", "17_x", ":5"})
    EXPECT_EQ(resumes(wrong), "refused") << wrong;
}

TEST(JobOptions, a_node_list_has_at_most_the_nodes_that_a_job_may_have) {
  EXPECT_EQ(job_asked_by({"-w", "n[1-16384]"}).nodelist.size(), 16384u);
  EXPECT_EQ(why_no_job("--nodelist=n[1-16385]"),
            "Invalid --nodelist specification: it names 16385 nodes, and a job may have 16384; "
            "name fewer nodes");
}

TEST(JobOptions, open_mode_accepts_both_spellings) {
  for (const char* word : {"append", "a"})
    EXPECT_TRUE(job_asked_by({std::string("--open-mode=") + word}).append_output) << word;
  for (const char* word : {"truncate", "t"})
    EXPECT_FALSE(job_asked_by({"--open-mode=a", std::string("--open-mode=") + word}).append_output)
        << word;
  EXPECT_FALSE(truncates_each_attempt(job_asked_by({})));
  EXPECT_FALSE(truncates_each_attempt(job_asked_by({"--open-mode=t", "--open-mode=a"})));
  EXPECT_TRUE(truncates_each_attempt(job_asked_by({"--open-mode=a", "--open-mode=t"})));
  EXPECT_EQ(job_asked_by({"--checkpoint-by=rank0", "--checkpoint-by=all"}).checkpoint_by,
            CheckpointBy::AllRanks);
  EXPECT_NE(why_no_job("--checkpoint-signal=STOP").find("cannot be caught"), std::string::npos);
  EXPECT_EQ(job_asked_by({"--checkpoint-signal=USR1"}).checkpoint_signal, SIGUSR1);
}

TEST(StepOptions, about_tasks_nodes_memory_and_gpus_set_one_field_each) {
  StepSpec expected;
  expected.tasks = 3;
  expected.nodes_min = 2;
  expected.nodes_max = 4;
  expected.tasks_per_node = 5;
  expected.cpus_per_task = 6;
  expected.exact = true;
  expected.nodelist = {"n1", "n2"};
  expected.exclude = {"n3"};
  expected.relative = 1;
  expected.overlap = true;
  expected.overcommit = true;
  expected.memory_mb_per_node = 100;
  expected.gpus = 7;
  expected.gpus_per_node = 8;
  expected.gpus_per_task = 9;
  expected.distribution = Distribution::Plane;
  expected.plane = 10;
  expected.time_limit_s = 660;
  expected.immediate = true;
  const StepOptions asked = step_asked_by({"-n3",
                                           "-N2-4",
                                           "--ntasks-per-node=5",
                                           "-c6",
                                           "-w",
                                           "n[1-2]",
                                           "-x",
                                           "n3",
                                           "-r1",
                                           "--overlap",
                                           "-O",
                                           "--mem=100",
                                           "-G7",
                                           "--gpus-per-node=8",
                                           "--gpus-per-task=9",
                                           "-m",
                                           "plane=10",
                                           "-t11",
                                           "-I",
                                           "--ntasks-per-gpu=12",
                                           "-I13"});
  EXPECT_EQ(asked.spec, expected);
  EXPECT_EQ(asked.tasks_per_gpu, 12);
  EXPECT_EQ(asked.immediate_s, 13);
}

TEST(StepOptions, about_files_streams_and_exits_set_one_field_each) {
  const StepOptions asked = step_asked_by({"--jobid=17",
                                           "-J",
                                           "name",
                                           "-o",
                                           "out",
                                           "-e",
                                           "err",
                                           "-i",
                                           "in",
                                           "--open-mode=append",
                                           "-l",
                                           "-u",
                                           "--pty",
                                           "--multi-prog",
                                           "-D",
                                           "/data",
                                           "--export=A",
                                           "-K",
                                           "-W9",
                                           "-q",
                                           "-X",
                                           "--cpu-bind=cores",
                                           "--gpu-bind=closest",
                                           "--het-group=0-1,3",
                                           "--mpi=pmix_v4"});
  EXPECT_EQ(asked.job + asked.name + asked.output + asked.error + asked.input, "17nameouterrin");
  EXPECT_TRUE(asked.append && asked.label && asked.unbuffered && asked.pty && asked.multi_prog);
  EXPECT_TRUE(asked.kill_on_bad_exit && asked.quit_on_interrupt && asked.interrupt_at_once);
  EXPECT_EQ(asked.work_dir + asked.export_list, "/dataA");
  EXPECT_EQ(asked.wait_s, 9);
  EXPECT_EQ(asked.cpu_bind + " " + asked.gpu_bind, "cores closest");
  EXPECT_EQ(asked.het_groups, (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(asked.mpi, "pmix");
  EXPECT_FALSE(asked.list_mpi);
}

TEST(StepOptions, help_version_quiet_verbose_and_the_prologs_set_one_field_each) {
  const auto flags = [](const OptionWords& words) {
    const SubmitOptions asked = take_options(words, step_options()).asked;
    return std::string(asked.help ? "help " : "") + (asked.version ? "version " : "") +
           (asked.quiet ? "quiet " : "") + "verbose " + std::to_string(asked.verbose);
  };
  EXPECT_EQ(flags({}), "verbose 0");
  EXPECT_EQ(flags({"-h"}), "help verbose 0");
  EXPECT_EQ(flags({"-V"}), "version verbose 0");
  EXPECT_EQ(flags({"-Q"}), "quiet verbose 0");
  EXPECT_EQ(flags({"-v", "--verbose", "-vv"}), "verbose 4");
  const StepOptions asked = step_asked_by({"--task-prolog=a", "--task-epilog=b", "--prolog=c",
                                           "--epilog=d", "-c2", "--whole", "--mpi=pmi2"});
  EXPECT_EQ(asked.task_prolog + asked.task_epilog + asked.prolog + asked.epilog, "abcd");
  EXPECT_FALSE(asked.spec.exact) << "--whole undoes --exact";
  EXPECT_TRUE(step_asked_by({"--exact"}).spec.exact && step_asked_by({"--exclusive"}).spec.exact);
  EXPECT_TRUE(step_asked_by({"-s"}).spec.overlap);
}

TEST(StepOptions, memory_is_per_node_or_per_cpu) {
  const StepSpec node = step_asked_by({"--mem-per-cpu=5", "--mem=100"}).spec;
  EXPECT_EQ(std::pair(node.memory_mb_per_node, node.memory_mb_per_cpu), std::pair(100l, 0l));
  const StepSpec cpu = step_asked_by({"--mem=100", "--mem-per-cpu=5"}).spec;
  EXPECT_EQ(std::pair(cpu.memory_mb_per_node, cpu.memory_mb_per_cpu), std::pair(0l, 5l));
  EXPECT_FALSE(step_asked_by({"--exact", "--whole"}).spec.exact);
  EXPECT_TRUE(step_asked_by({"--whole", "--exclusive"}).spec.exact);
  EXPECT_FALSE(step_asked_by({"--exclusive=user"}).spec.exact)
      << "the value applies to the job that srun creates";
  EXPECT_EQ(why_no_step("--exclusive=mcs").find("Invalid --exclusive specification: "), 0u);
}

TEST(StepOptions, gpus_are_whole_numbers_of_any_or_one_type_and_may_be_0) {
  for (const char* none : {"0", "none"})
    EXPECT_EQ(step_asked_by({"--gpus=2", std::string("--gpus=") + none}).spec.gpus, 0) << none;
  EXPECT_EQ(step_asked_by({"--gpus=h100:1048576"}).spec.gpus, 1'048'576);
  EXPECT_NE(why_no_step("--gpus=1048577"), "; ");
  EXPECT_EQ(step_asked_by({"--gpus-per-node=64"}).spec.gpus_per_node, 64);
  EXPECT_NE(why_no_step("--gpus-per-node=65"), "; ");
  EXPECT_NE(why_no_step("--gpus-per-task=65"), "; ");
  EXPECT_EQ(why_no_step("--gpus-per-task=0.5"),
            "Invalid --gpus-per-task specification: \"0.5\" is a fraction of a GPU; a step has the "
            "fraction of its job; leave the option out");
}

TEST(StepOptions, gres_sets_the_number_of_gpus_only_if_it_names_gpus) {
  const auto gpus = [](const std::string& text) {
    return step_asked_by({"--gpus-per-node=9", "--gres=" + text}).spec.gpus_per_node;
  };
  EXPECT_EQ(gpus("gpu:2"), 2);
  EXPECT_EQ(gpus("gpu"), 1);
  EXPECT_EQ(gpus("fpga:1,gpu:h100:4"), 4);
  EXPECT_EQ(gpus("none"), 0);
  EXPECT_EQ(gpus("NONE"), 0);
  EXPECT_EQ(gpus("fpga:1"), 9);
}

TEST(StepOptions, distribute_tasks_by_block_cyclic_arbitrary_or_plane) {
  const auto dealt = [](const std::string& text) {
    const OptionTaken taken = take_options({"-m", "plane=9", "-m", text}, step_options());
    if (!taken.why.empty()) return taken.why + "; " + taken.hint;
    const StepSpec& spec = taken.asked.step.spec;
    return (spec.distribution == Distribution::Block    ? std::string("block ")
            : spec.distribution == Distribution::Cyclic ? "cyclic "
            : spec.distribution == Distribution::Plane  ? "plane "
                                                        : "arbitrary ") +
           std::to_string(spec.plane);
  };
  for (const char* block : {"*", "block", "plane", "block:cyclic", "*,NoPack"})
    EXPECT_EQ(dealt(block), "block 9") << block;
  EXPECT_EQ(dealt("cyclic"), "cyclic 9");
  EXPECT_EQ(dealt("cyclic:block"), "cyclic 9");
  EXPECT_EQ(dealt("plane=262144"), "plane 262144");
  EXPECT_NE(dealt("plane=262145").find("from 1 to 262144"), std::string::npos);
  EXPECT_EQ(dealt("arbitrary"), "arbitrary 9");
  EXPECT_EQ(dealt("fcyclic"),
            "Invalid --distribution specification: \"fcyclic\" is not a supported distribution; "
            "write block, cyclic, arbitrary or plane=NUMBER");
}

TEST(StepOptions, end_all_tasks_with_the_first_that_fails_only_on_request) {
  EXPECT_TRUE(step_asked_by({"-K"}).kill_on_bad_exit);
  EXPECT_TRUE(step_asked_by({"-K0", "-K1"}).kill_on_bad_exit);
  EXPECT_FALSE(step_asked_by({"-K", "-K0"}).kill_on_bad_exit);
  EXPECT_EQ(why_no_step("-K2"),
            "Invalid --kill-on-bad-exit specification: \"2\" is neither 0 nor 1; write 1, or 0 to "
            "let the other tasks continue");
  EXPECT_EQ(step_asked_by({"-W0"}).wait_s, 0);
}

TEST(StepOptions, het_groups_are_numbered_below_their_limit) {
  EXPECT_EQ(step_asked_by({"--het-group=all"}).het_groups, std::vector<std::int64_t>{-1});
  EXPECT_EQ(step_asked_by({"--het-group=15"}).het_groups, std::vector<std::int64_t>{15});
  EXPECT_EQ(why_no_step("--het-group=16")
                .find("Invalid --het-group specification: \"16\" exceeds the components of a job: "
                      "at most 16, numbered from 0"),
            0u);
}

TEST(StepOptions, mpi_must_be_a_supported_plugin) {
  EXPECT_EQ(step_asked_by({"--mpi=pmi2"}).mpi, "pmi2");
  EXPECT_EQ(step_asked_by({"--mpi=pmix", "--mpi=none"}).mpi, "");
  EXPECT_TRUE(step_asked_by({"--mpi=list"}).list_mpi);
  EXPECT_FALSE(step_asked_by({"--mpi=list", "--mpi=none"}).list_mpi);
  EXPECT_NE(why_no_step("--mpi=openmpi")
                .find("Couldn't find the specified plugin name for "
                      "mpi/openmpi"),
            std::string::npos);
}

TEST(StepOptions, numbers_and_texts_are_accepted_up_to_their_limits) {
  for (const auto& [name, most] : {std::pair{"--ntasks=", limits::tasks_per_job_max},
                                   {"--ntasks-per-node=", limits::tasks_per_job_max},
                                   {"--cpus-per-task=", limits::cpus_per_task_max},
                                   {"--relative=", limits::nodes_per_job_max},
                                   {"--ntasks-per-gpu=", limits::tasks_per_job_max},
                                   {"--wait=", limits::time_limit_s_max},
                                   {"--immediate=", limits::time_limit_s_max}}) {
    EXPECT_EQ(why_no_step(name + std::to_string(most)), "; ") << name;
    EXPECT_NE(why_no_step(name + std::to_string(most + 1)), "; ") << name;
  }
  for (const auto& [name, most] : {std::pair{"--job-name=", limits::name_bytes_max},
                                   {"--output=", limits::path_bytes_max},
                                   {"--error=", limits::path_bytes_max},
                                   {"--input=", limits::path_bytes_max},
                                   {"--chdir=", limits::path_bytes_max}}) {
    EXPECT_EQ(why_no_step(name + std::string(most, 'x')), "; ") << name;
    EXPECT_NE(why_no_step(name + std::string(most + 1, 'x')), "; ") << name;
  }
  for (const char* wrong :
       {"--jobid=x", "--nodes=0", "--mem=x", "--mem-per-cpu=x", "--time=x", "--gres=x:y:z",
        "--cpu-bind=x", "--gpu-bind=x", "--het-group=x", "--relative=x", "--gpus=x:y"})
    EXPECT_NE(why_no_step(wrong), "; ") << wrong;
}

}  // namespace
}  // namespace cox
