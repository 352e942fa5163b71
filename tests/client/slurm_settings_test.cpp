// Tests which keys and notes `cox import` makes of each setting of slurm.conf.
#include <gtest/gtest.h>

#include "common/cluster/scheduling_settings.h"
#include "tests/client/import_draft.h"

namespace cox {
namespace {

// Returns the configuration and the notes that `cox import` makes of each of these settings by
// itself.
std::string settings_text(const std::vector<SlurmSetting>& settings) {
  std::string text;
  for (const SlurmSetting& setting : settings) {
    ImportDraft draft;
    import_setting("f:1", setting, draft);
    text += with_notes(draft);
  }
  return text;
}

TEST(SlurmSettings, durations_are_limited_to_the_range_of_their_key) {
  EXPECT_EQ(settings_text({{"KillWait", "0"},
                           {"KillWait", "30"},
                           {"KillWait", "90"},
                           {"KillWait", "120"},
                           {"KillWait", "3600"},
                           {"KillWait", "3601"},
                           {"KillWait", "x"},
                           {"MinJobAge", "604800"},
                           {"MinJobAge", "604801"},
                           {"PriorityCalcPeriod", "0"},
                           {"PriorityCalcPeriod", "5"},
                           {"PriorityCalcPeriod", "61"},
                           {"PriorityMaxAge", "7-0"},
                           {"PriorityMaxAge", "0:30"},
                           {"PriorityMaxAge", "364-0"},
                           {"PriorityMaxAge", "364-1"},
                           {"PriorityMaxAge", "x"},
                           {"PriorityDecayHalfLife", "0"},
                           {"PreemptExemptTime", "0:10"}}),

            "kill_wait = \"0s\"\n"
            "kill_wait = \"30s\"\n"
            "kill_wait = \"90s\"\n"
            "kill_wait = \"2min\"\n"
            "kill_wait = \"1h\"\n"
            "kill_wait = \"1h\"\n"
            "  f:1: KillWait=3601: changed: adjusted to the range of kill_wait\n"
            "\n"
            "  f:1: KillWait=x: not imported: \"x\" is not a whole number from 0 to 1000000000\n"
            "min_job_age = \"168h\"\n"
            "min_job_age = \"168h\"\n"
            "  f:1: MinJobAge=604801: changed: adjusted to the range of min_job_age\n"
            "scheduling: usage_period = \"1s\"\n"
            "  f:1: PriorityCalcPeriod=0: changed: adjusted to the range of usage_period\n"
            "scheduling: usage_period = \"5min\"\n"
            "scheduling: usage_period = \"1h\"\n"
            "  f:1: PriorityCalcPeriod=61: changed: adjusted to the range of usage_period\n"
            "scheduling: max_age = \"168h\"\n"
            "scheduling: max_age = \"1min\"\n"
            "  f:1: PriorityMaxAge=0:30: changed: adjusted to the range of max_age\n"
            "scheduling: max_age = \"8736h\"\n"
            "scheduling: max_age = \"8736h\"\n"
            "  f:1: PriorityMaxAge=364-1: changed: adjusted to the range of max_age\n"
            "\n"
            "  f:1: PriorityMaxAge=x: not imported: \"x\" is not a time\n"
            "scheduling: usage_half_life = \"0s\"\n"
            "scheduling: preempt_exempt_time = \"10s\"\n");
}

TEST(SlurmSettings, numbers_are_limited_to_the_range_of_their_key) {
  EXPECT_EQ(
      settings_text({{"MaxJobCount", "0"},
                     {"MaxJobCount", "1"},
                     {"MaxJobCount", "1000000"},
                     {"MaxJobCount", "1000001"},
                     {"MaxJobCount", "x"},
                     {"MaxArraySize", "100000"},
                     {"MaxArraySize", "100001"},
                     {"DefMemPerCPU", "0"},
                     {"DefMemPerCPU", "1"},
                     {"DefMemPerCPU", "UNLIMITED"},
                     {"DefMemPerCPU", "x"},
                     {"MaxMemPerNode", "4000"}}),

      "max_jobs = 1\n"
      "  f:1: MaxJobCount=0: changed: adjusted to the range of max_jobs\n"
      "max_jobs = 1\n"
      "max_jobs = 1000000\n"
      "max_jobs = 1000000\n"
      "  f:1: MaxJobCount=1000001: changed: adjusted to the range of max_jobs\n"
      "\n"
      "  f:1: MaxJobCount=x: not imported: \"x\" is not a whole number from 0 to 1000000000\n"
      "max_array_size = 100000\n"
      "max_array_size = 100000\n"
      "  f:1: MaxArraySize=100001: changed: adjusted to the range of max_array_size\n"
      "\n"
      "memory of a CPU 1\n"
      "\n"
      "\n"
      "  f:1: DefMemPerCPU=x: not imported: \"x\" is not a whole number from 0 to 1000000000\n"
      "most memory 4000\n");
}

TEST(SlurmSettings, weights_are_whole_numbers_up_to_their_limit) {
  const std::string most = std::to_string(priority_weight_max);
  const std::string above = std::to_string(priority_weight_max + 1);
  EXPECT_EQ(
      settings_text({{"PriorityWeightAge", "0"},
                     {"PriorityWeightAge", "1"},
                     {"PriorityWeightFairshare", "2.5"},
                     {"PriorityWeightJobSize", "-1"},
                     {"PriorityWeightJobSize", "nan"},
                     {"PriorityWeightPartition", "5x"},
                     {"PriorityWeightQOS", ""},
                     {"PriorityWeightQOS", "1e400"},
                     {"PriorityWeightQOS", most},
                     {"PriorityWeightQOS", above},
                     {"PriorityWeightTRES", "CPU=1,GRES/gpu=2,Mem=3,node,cpu"}}),

      "scheduling: weight_age = 0\n"
      "scheduling: weight_age = 1; weighs!\n"
      "scheduling: weight_fair_share = 2; weighs!\n"
      "  f:1: PriorityWeightFairshare=2.5: changed: weights are whole numbers; the fraction is "
      "dropped\n"
      "\n"
      "  f:1: PriorityWeightJobSize=-1: not imported: the weight must be a number from 0 to "
      "1000000000\n"
      "\n"
      "  f:1: PriorityWeightJobSize=nan: not imported: the weight must be a number from 0 to "
      "1000000000\n"
      "\n"
      "  f:1: PriorityWeightPartition=5x: not imported: the weight must be a number from 0 to "
      "1000000000\n"
      "\n"
      "  f:1: PriorityWeightQOS: not imported: the weight must be a number from 0 to 1000000000\n"
      "\n"
      "  f:1: PriorityWeightQOS=1e400: not imported: the weight must be a number from 0 to "
      "1000000000\n"
      "scheduling: weight_qos = 1000000000; weighs!\n"
      "\n"
      "  f:1: PriorityWeightQOS=1000000001: not imported: the weight must be a number from 0 to "
      "1000000000\n"
      "scheduling: weight_cpu = 1, weight_gpu = 2; weighs!\n"
      "  f:1: PriorityWeightTRES=Mem=3: not imported: only CPUs and GPUs have a weight\n"
      "  f:1: PriorityWeightTRES=node: not imported: only CPUs and GPUs have a weight\n"
      "  f:1: PriorityWeightTRES=CPU=1,GRES/gpu=2,Mem=3,node,cpu: not imported: the weight must be "
      "a number from 0 to 1000000000\n");
}

TEST(SlurmSettings, scheduler_parameters_are_imported_or_say_why_not) {
  EXPECT_EQ(settings_text({{"SchedulerParameters", "kill_invalid_depend"},
                           {"SchedulerParameters", "max_switch_wait=300"},
                           {"SchedulerParameters", "bf_continue"},
                           {"SchedulerParameters", "default_queue_depth=5"},
                           {"SchedulerParameters", "max_script_size=9"},
                           {"SchedulerParameters", "preempt_youngest_first"},
                           {"SchedulerParameters", "requeue_setup_env_fail"},
                           {"SchedulerParameters", "nohold_on_prolog_fail, defer"}}),

            "kill_invalid_depend = true\n"
            "scheduling: max_switch_wait = \"5min\"\n"
            "\n"
            "  f:1: bf_continue: not imported: each scheduling pass looks at every queued job, so "
            "there is no depth to limit\n"
            "\n"
            "  f:1: default_queue_depth=5: not imported: each scheduling pass looks at every "
            "queued job, so there is no depth to limit\n"
            "\n"
            "  f:1: max_script_size=9: not imported: a script may have up to 4 MiB\n"
            "\n"
            "  f:1: preempt_youngest_first: not imported: the jobs whose preemption costs least "
            "are preempted; see the keys preempt_... of [scheduling]\n"
            "\n"
            "  f:1: requeue_setup_env_fail: not imported: the jobs whose preemption costs least "
            "are preempted; see the keys preempt_... of [scheduling]\n"
            "\n"
            "  f:1: nohold_on_prolog_fail: not imported: there is no such parameter; "
            "docs/configuration.md lists those of [scheduling]\n"
            "  f:1: defer: not imported: there is no such parameter; docs/configuration.md lists "
            "those of [scheduling]\n");
}

TEST(SlurmSettings, that_are_names_hosts_or_licences_are_validated) {
  EXPECT_EQ(settings_text({{"ClusterName", "lake"},
                           {"ClusterName", "a b"},
                           {"SlurmctldHost", "head(10.0.0.1)"},
                           {"ControlMachine", "head,spare"},
                           {"SlurmctldHost", "a b"},
                           {"BackupController", ""},
                           {"ControlAddr", "10.0.0.1"},
                           {"BackupAddr", "10.0.0.2"},
                           {"Licenses", "matlab:10;ansys"},
                           {"Licenses", "matlab:x"}}),

            "cluster_name = \"lake\"\n"
            "\n"
            "  f:1: ClusterName=a b: not imported: it is not a valid name: use letters, digits, "
            "'-', '_' and '.'\n"
            "host head\n"
            "host head\n"
            "\n"
            "  f:1: SlurmctldHost=a b: not imported: it is not a valid host name\n"
            "\n"
            "  f:1: BackupController: not imported: it is not a valid host name\n"
            "\n"
            "  f:1: ControlAddr=10.0.0.1: not imported: set `controller` of [worker] to this "
            "address where needed\n"
            "\n"
            "  f:1: BackupAddr=10.0.0.2: not imported: for a standby, start another controller "
            "with the same database\n"
            "scheduling: licences = \"matlab:10,ansys\"\n"
            "\n"
            "  f:1: Licenses=matlab:x: not imported: the licences of matlab: \"x\" is not a whole "
            "number from 1 to 1000000\n");
  ImportDraft draft;
  import_setting("f:1", {"SlurmctldHost", "head"}, draft);
  import_setting("f:2", {"SlurmctldHost", "spare"}, draft);
  EXPECT_EQ(with_notes(draft),
            "host head\n"
            "  f:2: SlurmctldHost=spare: not imported: for a standby, start another controller "
            "with the same database\n");
}

TEST(SlurmSettings, that_choose_plugins_are_converted_or_name_the_alternative) {
  EXPECT_EQ(
      settings_text({{"SchedulerType", "sched/builtin"},
                     {"SchedulerType", "sched/backfill"},
                     {"SchedulerType", "sched/wiki"},
                     {"PreemptType", "preempt/QOS"},
                     {"PreemptType", "preempt/none"},
                     {"PreemptType", "preempt/partition_prio"},
                     {"PreemptMode", "REQUEUE"},
                     {"PreemptMode", "CANCEL"},
                     {"SelectType", "select/linear"},
                     {"SelectType", "select/cons_tres"}}),

      "scheduling: backfill = \"none\"\n"
      "\n"
      "  f:1: SchedulerType=sched/backfill: changed: only the first queued job gets a reservation "
      "(backfill = \"easy\"); with \"conservative\" every queued job gets one, as in Slurm\n"
      "\n"
      "  f:1: SchedulerType=sched/wiki: not imported: set backfill of [scheduling] instead\n"
      "preempt type preempt/qos\n"
      "  f:1: PreemptType=preempt/QOS: changed: a QOS with a higher tier preempts those with a "
      "lower tier\n"
      "preempt type preempt/none\n"
      "  f:1: PreemptType=preempt/none: changed: jobs of imported QOS are never preempted; higher "
      "tiers still preempt standard and besteffort\n"
      "preempt type preempt/partition_prio\n"
      "  f:1: PreemptType=preempt/partition_prio: not imported: the tier of a partition puts its "
      "jobs first in the queue, but preempts nothing; a QOS with a higher tier does\n"
      "preempt mode requeue\n"
      "  f:1: PreemptMode=REQUEUE: changed: each QOS has its own mode; with requeue jobs are "
      "stopped without being asked to save; for jobs that can save: sacctmgr -i modify qos NAME "
      "set PreemptMode=checkpoint GraceTime=60\n"
      "preempt mode cancel\n"
      "  f:1: PreemptMode=CANCEL: changed: each QOS has its own mode: sacctmgr modify qos NAME "
      "set PreemptMode=...\n"
      "whole nodes!\n"
      "  f:1: SelectType=select/linear: changed: each partition gets exclusive = true, so jobs do "
      "not share nodes\n"
      "\n"
      "  f:1: SelectType=select/cons_tres: the same in Coxswain: CPUs, memory and GRES are "
      "allocated individually\n");
}

TEST(SlurmSettings, without_a_counterpart_get_a_note_that_says_why) {
  EXPECT_EQ(
      settings_text({{"SelectTypeParameters", "CR_Core"},
                     {"SelectTypeParameters", "CR_Socket_Memory"},
                     {"SelectTypeParameters", "CR_CPU,CR_CPU_Memory,CR_Memory"},
                     {"SelectTypeParameters", "CR_Other"},
                     {"PriorityFavorSmall", "YES"},
                     {"PriorityFavorSmall", "NO"},
                     {"PriorityType", "priority/multifactor"},
                     {"JobRequeue", "0"},
                     {"JobRequeue", "1"},
                     {"ProctrackType", "x"},
                     {"AuthType", "auth/munge"},
                     {"KilWait", "5"},
                     {"Xyzzy", ""}}),

      "\n"
      "  f:1: SelectTypeParameters=CR_Core: changed: single CPUs are allocated, not whole cores or "
      "sockets\n"
      "\n"
      "  f:1: SelectTypeParameters=CR_Socket_Memory: changed: single CPUs are allocated, not whole "
      "cores or sockets\n"
      "\n"
      "  f:1: SelectTypeParameters=CR_CPU: the same in Coxswain: CPUs are allocated, and the "
      "memory that jobs ask for\n"
      "  f:1: SelectTypeParameters=CR_CPU_Memory: the same in Coxswain: CPUs are allocated, and "
      "the memory that jobs ask for\n"
      "  f:1: SelectTypeParameters=CR_Memory: the same in Coxswain: CPUs are allocated, and the "
      "memory that jobs ask for\n"
      "\n"
      "  f:1: SelectTypeParameters=CR_Other: not imported: placement of [scheduling] sets which "
      "nodes jobs get\n"
      "scheduling: favor_small = true\n"
      "\n"
      "\n"
      "  f:1: PriorityType=priority/multifactor: the same in Coxswain: the weights set the "
      "priority; without any, jobs start in the order of submission\n"
      "\n"
      "  f:1: JobRequeue=0: changed: jobs are requeued unless submitted with --no-requeue or "
      "SBATCH_NO_REQUEUE=1\n"
      "\n"
      "  f:1: JobRequeue=1: the same in Coxswain: jobs are requeued unless submitted with "
      "--no-requeue\n"
      "\n"
      "  f:1: ProctrackType=x: the same in Coxswain: supervisors track all processes of a job with "
      "cgroups\n"
      "\n"
      "  f:1: AuthType=auth/munge: not imported: programs authenticate with keys: see cox key "
      "make\n"
      "\n"
      "  f:1: KilWait=5: not imported: unknown setting; did you mean killwait?\n"
      "\n"
      "  f:1: Xyzzy: not imported: unknown setting\n");
}

TEST(SlurmSettings, without_priority_weights_give_the_order_first_come_first_served) {
  ImportDraft draft;
  for (const SlurmSetting& setting :
       {SlurmSetting{"PriorityWeightAge", "0"}, {"PriorityMaxAge", "1-0"}})
    import_setting("f:1", setting, draft);
  finish_settings(draft);
  EXPECT_EQ(draft_text(draft), "scheduling: max_age = \"24h\", order = \"fcfs\"");
  import_setting("f:1", {"PriorityWeightQOS", "5"}, draft);
  finish_settings(draft);
  EXPECT_EQ(draft_text(draft),
            "scheduling: max_age = \"24h\", order = \"fcfs\", weight_qos = 5, weight_age = 0, "
            "weight_fair_share = 0, weight_shortness = 0, max_age_min = \"24h\"; weighs!");
  ImportDraft weighed;
  import_setting("f:1", {"PriorityWeightAge", "5"}, weighed);
  finish_settings(weighed);
  EXPECT_EQ(draft_text(weighed),
            "scheduling: weight_age = 5, weight_fair_share = 0, weight_shortness = 0, max_age = "
            "\"168h\", max_age_min = \"168h\"; weighs!");
}

}  // namespace
}  // namespace cox
