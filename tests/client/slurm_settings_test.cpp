// What each setting of slurm.conf becomes in `cox import`: keys of coxswain.toml, and notes.
#include <gtest/gtest.h>

#include "common/cluster/scheduling_settings.h"
#include "tests/client/import_draft.h"

namespace cox {
namespace {

// What each of these settings of slurm.conf becomes by itself.
std::string settings_text(const std::vector<SlurmSetting>& settings) {
  std::string text;
  for (const SlurmSetting& setting : settings) {
    ImportDraft draft;
    import_setting("f:1", setting, draft);
    text += with_notes(draft);
  }
  return text;
}

TEST(SlurmSettings, durations_are_cut_to_what_their_key_takes) {
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
            "  f:1: KillWait=3601: changed: it is cut to what kill_wait takes\n"
            "\n"
            "  f:1: KillWait=x: not taken over: \"x\" is not a whole number from 0 to 1000000000\n"
            "min_job_age = \"168h\"\n"
            "min_job_age = \"168h\"\n"
            "  f:1: MinJobAge=604801: changed: it is cut to what min_job_age takes\n"
            "scheduling: usage_period = \"1s\"\n"
            "  f:1: PriorityCalcPeriod=0: changed: it is cut to what usage_period takes\n"
            "scheduling: usage_period = \"5min\"\n"
            "scheduling: usage_period = \"1h\"\n"
            "  f:1: PriorityCalcPeriod=61: changed: it is cut to what usage_period takes\n"
            "scheduling: max_age = \"168h\"\n"
            "scheduling: max_age = \"1min\"\n"
            "  f:1: PriorityMaxAge=0:30: changed: it is cut to what max_age takes\n"
            "scheduling: max_age = \"8736h\"\n"
            "scheduling: max_age = \"8736h\"\n"
            "  f:1: PriorityMaxAge=364-1: changed: it is cut to what max_age takes\n"
            "\n"
            "  f:1: PriorityMaxAge=x: not taken over: \"x\" is not a time\n"
            "scheduling: usage_half_life = \"0s\"\n"
            "scheduling: preempt_exempt_time = \"10s\"\n");
}

TEST(SlurmSettings, numbers_are_cut_to_what_their_key_takes) {
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
      "  f:1: MaxJobCount=0: changed: it is cut to what max_jobs takes\n"
      "max_jobs = 1\n"
      "max_jobs = 1000000\n"
      "max_jobs = 1000000\n"
      "  f:1: MaxJobCount=1000001: changed: it is cut to what max_jobs takes\n"
      "\n"
      "  f:1: MaxJobCount=x: not taken over: \"x\" is not a whole number from 0 to 1000000000\n"
      "max_array_size = 100000\n"
      "max_array_size = 100000\n"
      "  f:1: MaxArraySize=100001: changed: it is cut to what max_array_size takes\n"
      "\n"
      "memory of a CPU 1\n"
      "\n"
      "\n"
      "  f:1: DefMemPerCPU=x: not taken over: \"x\" is not a whole number from 0 to 1000000000\n"
      "most memory 4000\n");
}

TEST(SlurmSettings, weights_are_whole_numbers_up_to_the_most) {
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
      "  f:1: PriorityWeightFairshare=2.5: changed: a weight is a whole number here\n"
      "\n"
      "  f:1: PriorityWeightJobSize=-1: not taken over: it is no weight from 0 to 1000000000\n"
      "\n"
      "  f:1: PriorityWeightJobSize=nan: not taken over: it is no weight from 0 to 1000000000\n"
      "\n"
      "  f:1: PriorityWeightPartition=5x: not taken over: it is no weight from 0 to 1000000000\n"
      "\n"
      "  f:1: PriorityWeightQOS: not taken over: it is no weight from 0 to 1000000000\n"
      "\n"
      "  f:1: PriorityWeightQOS=1e400: not taken over: it is no weight from 0 to 1000000000\n"
      "scheduling: weight_qos = 1000000000; weighs!\n"
      "\n"
      "  f:1: PriorityWeightQOS=1000000001: not taken over: it is no weight from 0 to 1000000000\n"
      "scheduling: weight_cpu = 1, weight_gpu = 2; weighs!\n"
      "  f:1: PriorityWeightTRES=Mem=3: not taken over: CPUs and GPUs alone have a weight\n"
      "  f:1: PriorityWeightTRES=node: not taken over: CPUs and GPUs alone have a weight\n"
      "  f:1: PriorityWeightTRES=CPU=1,GRES/gpu=2,Mem=3,node,cpu: not taken over: it is no weight "
      "from 0 to 1000000000\n");
}

TEST(SlurmSettings, parameters_of_the_scheduler_are_taken_or_say_why_not) {
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
            "  f:1: bf_continue: not taken over: a pass looks at every job that waits; there is "
            "nothing to bound\n"
            "\n"
            "  f:1: default_queue_depth=5: not taken over: a pass looks at every job that waits; "
            "there is nothing to bound\n"
            "\n"
            "  f:1: max_script_size=9: not taken over: a script may have 4 MiB\n"
            "\n"
            "  f:1: preempt_youngest_first: not taken over: those give way whose end costs least; "
            "see preempt_ in [scheduling]\n"
            "\n"
            "  f:1: requeue_setup_env_fail: not taken over: those give way whose end costs least; "
            "see preempt_ in [scheduling]\n"
            "\n"
            "  f:1: nohold_on_prolog_fail: not taken over: the engine has no such parameter; "
            "docs/configuration.md has [scheduling]\n"
            "  f:1: defer: not taken over: the engine has no such parameter; docs/configuration.md "
            "has [scheduling]\n");
}

TEST(SlurmSettings, of_hosts_and_names_are_checked) {
  EXPECT_EQ(
      settings_text({{"ClusterName", "lake"},
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
      "  f:1: ClusterName=a b: not taken over: it is no name: letters, digits, '-', '_', '.'\n"
      "host head\n"
      "host head\n"
      "\n"
      "  f:1: SlurmctldHost=a b: not taken over: it is no name of a host\n"
      "\n"
      "  f:1: BackupController: not taken over: it is no name of a host\n"
      "\n"
      "  f:1: ControlAddr=10.0.0.1: not taken over: `controller` of [worker] is the name; change "
      "it where needed\n"
      "\n"
      "  f:1: BackupAddr=10.0.0.2: not taken over: there is no backup: start the controller "
      "elsewhere\n"
      "scheduling: licences = \"matlab:10,ansys\"\n"
      "\n"
      "  f:1: Licenses=matlab:x: not taken over: the licences of matlab: \"x\" is not a whole "
      "number from 1 to 1000000\n");
  ImportDraft draft;
  import_setting("f:1", {"SlurmctldHost", "head"}, draft);
  import_setting("f:2", {"SlurmctldHost", "spare"}, draft);
  EXPECT_EQ(with_notes(draft),
            "host head\n"
            "  f:2: SlurmctldHost=spare: not taken over: there is no backup: start the controller "
            "elsewhere with the same database\n");
}

TEST(SlurmSettings, of_plugins_say_what_there_is_instead) {
  EXPECT_EQ(
      settings_text({{"SchedulerType", "sched/builtin"},
                     {"SchedulerType", "sched/backfill"},
                     {"SchedulerType", "sched/wiki"},
                     {"PreemptType", "preempt/QOS"},
                     {"PreemptType", "preempt/none"},
                     {"PreemptType", "preempt/partition_prio"},
                     {"PreemptMode", "REQUEUE"},
                     {"SelectType", "select/linear"},
                     {"SelectType", "select/cons_tres"}}),

      "scheduling: backfill = \"none\"\n"
      "\n"
      "  f:1: SchedulerType=sched/backfill: changed: the first in line holds a reservation "
      "(backfill = \"easy\"); \"conservative\" gives one to each that waits, as Slurm does\n"
      "\n"
      "  f:1: SchedulerType=sched/wiki: not taken over: backfill of [scheduling] says who passes\n"
      "preempt type preempt/qos\n"
      "  f:1: PreemptType=preempt/QOS: changed: who preempts whom follows from the tiers of QOS: "
      "the higher the lower\n"
      "preempt type preempt/none\n"
      "  f:1: PreemptType=preempt/none: changed: QOS that are imported give way to none; standard "
      "and besteffort do to higher\n"
      "preempt type preempt/partition_prio\n"
      "  f:1: PreemptType=preempt/partition_prio: not taken over: nobody gives way for the tier of "
      "a partition: a partition's jobs go first, and QOS of higher tiers preempt\n"
      "preempt mode requeue\n"
      "  f:1: PreemptMode=REQUEUE: changed: a QOS has its mode: sacctmgr modify qos NAME set "
      "PreemptMode=...\n"
      "whole nodes!\n"
      "  f:1: SelectType=select/linear: changed: each partition gets exclusive = true: a job has "
      "its nodes to itself\n"
      "\n"
      "  f:1: SelectType=select/cons_tres: as it is here: CPUs, memory and GRES are given out one "
      "by one\n");
}

TEST(SlurmSettings, of_other_kinds_are_as_here_or_say_what_to_do) {
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
      "  f:1: SelectTypeParameters=CR_Core: changed: CPUs are given out, not whole cores or "
      "sockets\n"
      "\n"
      "  f:1: SelectTypeParameters=CR_Socket_Memory: changed: CPUs are given out, not whole cores "
      "or sockets\n"
      "\n"
      "  f:1: SelectTypeParameters=CR_CPU: as it is here: CPUs, and memory that is asked for, are "
      "given out\n"
      "  f:1: SelectTypeParameters=CR_CPU_Memory: as it is here: CPUs, and memory that is asked "
      "for, are given out\n"
      "  f:1: SelectTypeParameters=CR_Memory: as it is here: CPUs, and memory that is asked for, "
      "are given out\n"
      "\n"
      "  f:1: SelectTypeParameters=CR_Other: not taken over: placement of [scheduling] says where "
      "jobs go\n"
      "scheduling: favor_small = true\n"
      "\n"
      "\n"
      "  f:1: PriorityType=priority/multifactor: as it is here: the weights say who is next; "
      "without any it is first come, first\n"
      "\n"
      "  f:1: JobRequeue=0: changed: jobs are requeued unless --no-requeue says otherwise: "
      "SBATCH_NO_REQUEUE=1\n"
      "\n"
      "  f:1: JobRequeue=1: as it is here: jobs are requeued unless --no-requeue says otherwise\n"
      "\n"
      "  f:1: ProctrackType=x: as it is here: supervisors keep every process of a job in sight by "
      "cgroups\n"
      "\n"
      "  f:1: AuthType=auth/munge: not taken over: programs know each other by keys: cox key make\n"
      "\n"
      "  f:1: KilWait=5: not taken over: no such setting is known here; did you mean killwait?\n"
      "\n"
      "  f:1: Xyzzy: not taken over: no such setting is known here\n");
}

TEST(SlurmSettings, without_weights_the_first_come_is_served_first) {
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
            "weight_fair_share = 0, weight_shortness = 0; weighs!");
  ImportDraft weighed;
  import_setting("f:1", {"PriorityWeightAge", "5"}, weighed);
  finish_settings(weighed);
  EXPECT_EQ(draft_text(weighed),
            "scheduling: weight_age = 5, weight_fair_share = 0, weight_shortness = 0, max_age = "
            "\"168h\"; weighs!");
}

}  // namespace
}  // namespace cox
