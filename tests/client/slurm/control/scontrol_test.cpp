// Tests the questions that scontrol asks for its words, and what it prints of the answers. The
// records have the layout of Slurm 23.11.
#include "client/slurm/control/scontrol.h"

#include <gtest/gtest.h>

#include "client/command_line.h"
#include "client/slurm/names.h"
#include "common/syntax/accounting_request.h"

namespace cox {
namespace {

ControlContext a_scene() {
  ControlContext context;
  context.hosts = {"head"};
  context.as.screen.now = wall_from_ms(1'700'000'000'000);
  context.here = {context.as.screen.now, {}};
  context.as.group_name = [](std::uint32_t) { return std::string("staff"); };
  return context;
}

ControlPlan plan(const std::vector<std::string>& words, const ControlContext& context = a_scene()) {
  return plan_control(words, context);
}

// Returns the output of a command that asks the controller nothing.
std::string page(const std::vector<std::string>& words, const ControlContext& context = a_scene()) {
  const ControlPlan what = plan(words, context);
  EXPECT_TRUE(what.questions.empty());
  const Shown shown = what.show({});
  return shown.out + shown.err;
}

template <class Body>
Body asked(const std::vector<std::string>& words) {
  const ControlPlan what = plan(words);
  if (what.questions.empty()) {
    ADD_FAILURE() << words[0] << " sends no request: " << what.show({}).err;
    return {};
  }
  const auto* body = std::get_if<Body>(&what.questions.front());
  EXPECT_NE(body, nullptr) << words[0];
  return body == nullptr ? Body{} : *body;
}

Command slurm_command(std::string_view name) {
  for (const Command& each : slurm_commands())
    if (each.name == name) return each;
  ADD_FAILURE() << "there is no " << name;
  return {};
}

JobView a_job() {
  JobView view;
  Job& job = view.job;
  job.id = JobId{17};
  JobSpec& spec = job.spec.change();
  spec.name = "train";
  spec.form = JobForm::Batch;
  spec.user_name = "ada";
  spec.uid = 1000;
  spec.gid = 100;
  spec.qos = "standard";
  spec.account = "physics";
  spec.partition = "main";
  spec.work_dir = "/home/ada";
  spec.command_path = "/home/ada/train.sh";
  spec.submit_host = "login";
  spec.nodes = 2;
  spec.tasks = 4;
  spec.time_limit_s = 90'000;
  spec.memory_mb_per_node = 2048;
  job.state = JobState::Running;
  job.attempt = AttemptNumber{1};
  job.submitted = job.eligible = wall_from_ms(1'700'000'000'000);
  job.started = job.submitted + std::chrono::seconds{10};
  view.nodes = {"n1", "n2"};
  view.partition = "main";
  view.ran_ms = 61'000;
  view.left_ms = 90'000'000 - 61'000;
  return view;
}

TEST(Scontrol, ShowsAJobWithTheFieldsAndLinesOfSlurm) {
  const JobView view = a_job();
  EXPECT_EQ(
      job_record(view, std::nullopt, a_scene().as),
      "JobId=17 JobName=train\n"
      "   UserId=ada(1000) GroupId=staff(100) MCS_label=N/A\n"
      "   Priority=1 Nice=0 Account=physics QOS=standard\n"
      "   JobState=RUNNING Reason=None Dependency=(null)\n"
      "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n"
      "   RunTime=00:01:01 TimeLimit=1-01:00:00 TimeMin=N/A\n"
      "   SubmitTime=2023-11-14T22:13:20 EligibleTime=2023-11-14T22:13:20\n"
      "   AccrueTime=2023-11-14T22:13:20\n"
      "   StartTime=2023-11-14T22:13:30 EndTime=2023-11-15T23:13:30 Deadline=N/A\n"
      "   PreemptEligibleTime=2023-11-14T22:13:30 PreemptTime=None\n"
      "   SuspendTime=None SecsPreSuspend=0 LastSchedEval=2023-11-14T22:13:30 Scheduler=Main\n"
      "   Partition=main AllocNode:Sid=login:0\n"
      "   ReqNodeList=(null) ExcNodeList=(null)\n"
      "   NodeList=n[1-2]\n"
      "   BatchHost=n1\n"
      "   NumNodes=2 NumCPUs=4 NumTasks=4 CPUs/Task=1 ReqB:S:C:T=0:0:*:*\n"
      "   ReqTRES=cpu=4,mem=4G,node=2,billing=4\n"
      "   AllocTRES=cpu=4,mem=4G,node=2,billing=4\n"
      "   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*\n"
      "   MinCPUsNode=1 MinMemoryNode=2G MinTmpDiskNode=0\n"
      "   Features=(null) DelayBoot=00:00:00\n"
      "   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)\n"
      "   Command=/home/ada/train.sh\n"
      "   WorkDir=/home/ada\n"
      "   StdErr=/home/ada/slurm-17.out\n"
      "   StdIn=/dev/null\n"
      "   StdOut=/home/ada/slurm-17.out\n"
      "   Power=\n\n");
}

TEST(Scontrol, ShowsThePendingTasksOfAnArrayInOneRecord) {
  JobView view = a_job();
  view.job.state = JobState::Pending;
  view.job.array_job = JobId{16};
  view.job.array_tasks = *parse_array_tasks("2-5");
  view.job.array_limit = 2;
  view.reason = WaitReason::Priority;
  view.nodes.clear();
  RecordView as = a_scene().as;
  as.one_line = true;
  const std::string line = job_record(view, 41.6, as);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(line.substr(0, 80),
            "JobId=17 ArrayJobId=16 ArrayTaskId=2-5%2 ArrayTaskThrottle=2 JobName=train UserI");
  for (const char* token :
       {" Priority=42 ", " Reason=Priority ", " RunTime=00:00:00 ",
        " StartTime=Unknown EndTime=Unknown ", " NodeList= ", " AllocTRES=(null) "})
    EXPECT_NE(line.find(token), std::string::npos) << token;
}

TEST(Scontrol, TokensOfPartitionsAreNotEmptyAndHaveNoBlanks) {
  NodeList all;
  all.nodes.resize(2);
  for (int i = 0; i < 2; ++i) {
    NodeView& view = all.nodes[static_cast<std::size_t>(i)];
    view.node.name = "n" + std::to_string(i + 1);
    view.node.total.cpus = 4;
    view.node.total.memory_mb = 1000;
    view.partitions = {"main"};
  }
  PartitionView main;
  main.name = "main";
  main.is_default = true;
  main.time_limit_max_s = 86'400;
  PartitionView empty;
  empty.name = "empty";
  all.partitions = {main, empty};
  RecordView as = a_scene().as;
  as.one_line = true;
  for (const PartitionView& one : all.partitions) {
    std::string line = partition_record(one, all, as);
    line.pop_back();
    std::size_t at = 0;
    while (at < line.size()) {
      const std::string token = line.substr(at, line.find(' ', at) - at);
      const std::size_t equals = token.find('=');
      EXPECT_TRUE(equals != std::string::npos && equals + 1 < token.size()) << token;
      at += token.size() + 1;
    }
  }
  const std::string line = partition_record(main, all, as);
  for (const char* token :
       {"PartitionName=main AllowGroups=ALL ", " Default=YES ", " MaxTime=1-00:00:00 ",
        " MaxNodes=UNLIMITED ", " MaxCPUsPerNode=UNLIMITED ", " Nodes=n[1-2] ", " State=UP ",
        " TRES=cpu=8,mem=2000M,node=2,billing=8\n"})
    EXPECT_NE(line.find(token), std::string::npos) << token << "\n" << line;
}

TEST(Scontrol, ShowsTheFullStatesOfNodes) {
  NodeView view;
  view.node.name = "n1";
  view.node.total.cpus = 4;
  view.node.responding = true;
  EXPECT_EQ(long_node_state(view), "IDLE");
  view.cpus_used = 1;
  EXPECT_EQ(long_node_state(view), "MIXED");
  view.node.drained = true;
  EXPECT_EQ(long_node_state(view), "MIXED+DRAIN");
  view.node.responding = false;
  EXPECT_EQ(long_node_state(view), "DOWN*+DRAIN");
  view.node.set_down = true;
  EXPECT_EQ(long_node_state(view), "DOWN*");
  view.node.responding = true;
  EXPECT_EQ(long_node_state(view), "DOWN");
  RecordView as = a_scene().as;
  as.one_line = true;
  EXPECT_EQ(node_record(view, as).substr(0, 49),
            "NodeName=n1 Arch=x86_64 CoresPerSocket=1 CPUAlloc");
  EXPECT_NE(node_record(view, as).find(" CPULoad=N/A "), std::string::npos);
  EXPECT_NE(node_record(view, as).find(" FreeMem=N/A "), std::string::npos);
  view.load = NodeLoad{1'207, 2'048};
  EXPECT_NE(node_record(view, as).find(" CPULoad=12.07 "), std::string::npos);
  EXPECT_NE(node_record(view, as).find(" FreeMem=2048 "), std::string::npos);
}

TEST(Scontrol, ExpandsHostlists) {
  EXPECT_EQ(page({"show", "hostnames", "n[1-2],x7"}), "n1\nn2\nx7\n");
  EXPECT_EQ(page({"show", "hostname", "n9"}), "n9\n");
  ControlContext inside = a_scene();
  inside.node_list = "n[4-5]";
  EXPECT_EQ(page({"show", "hostnames"}, inside), "n4\nn5\n");
  EXPECT_EQ(page({"show", "hostlist", "n1,n2,n10"}), "n[1-2,10]\n");
  EXPECT_EQ(page({"show", "hostlistsorted", "n3,n1,n3"}), "n[1,3]\n");
  EXPECT_EQ(page({"show", "hostnames"}), "scontrol: error: host list is empty\n");
  EXPECT_NE(page({"show", "hostnames", "n[1-3"}).find(": n[1-3\nscontrol: error: "),
            std::string::npos);
  EXPECT_EQ(page({"show", "hostnames", "n[1-2][3-4]"}), "n13\nn14\nn23\nn24\n");
}

ScontrolOptions scontrol_options(const std::vector<std::string>& words) {
  const Parsed parsed = parse_options(slurm_command("scontrol"), words);
  const auto* found = std::get_if<std::unique_ptr<Options>>(&parsed);
  EXPECT_NE(found, nullptr);
  return found == nullptr ? ScontrolOptions{} : dynamic_cast<const ScontrolOptions&>(**found);
}

TEST(Scontrol, KeepsBracketsInItsWords) {
  for (const std::string list : {"[1,3-5]", "[1-2]x[3-4]", "n[1-2]", "[]"})
    EXPECT_EQ(scontrol_options({"show", "hostnames", list}).words,
              (std::vector<std::string>{"show", "hostnames", list}));
}

TEST(Scontrol, AcceptsAbbreviations) {
  EXPECT_EQ(asked<ListJobs>({"sho", "jo", "5"}).ids, std::vector{JobId{5}});
  EXPECT_EQ(asked<ListJobs>({"show", "JobId=5"}).ids, std::vector{JobId{5}});
  EXPECT_EQ(asked<ListJobs>({"show", "jobid", "5_[1-3],7"}).tasks,
            (std::vector<std::string>{"1-3", ""}));
  asked<ListNodes>({"SHOW", "nod"});
  asked<ShowConfiguration>({"show", "config"});
  EXPECT_EQ(asked<ActOnJobs>({"req", "5"}).verb, JobVerb::Requeue);
  EXPECT_EQ(asked<ActOnJobs>({"requeueh", "5"}).verb, JobVerb::RequeueHold);
  EXPECT_EQ(asked<ActOnJobs>({"rel", "5", "6,7"}).ids.size(), 3u);
  EXPECT_EQ(asked<ActOnJobs>({"suspend", "5"}).verb, JobVerb::Suspend);
  EXPECT_EQ(asked<ActOnJobs>({"resume", "5"}).verb, JobVerb::Resume);
  EXPECT_EQ(asked<ReadScript>({"write", "batch_script", "5_2", "-"}).task, 2);
}

TEST(Scontrol, AcceptsOptionsAnywhereAmongTheWords) {
  const auto& options = scontrol_options;
  const ScontrolOptions nodes = options({"-a", "show", "-o", "nodes", "n1"});
  EXPECT_EQ(nodes.words, (std::vector<std::string>{"show", "nodes", "n1"}));
  EXPECT_TRUE(nodes.one_line);
  EXPECT_TRUE(options({"-dd", "show", "jobid", "5"}).details);
  EXPECT_EQ(options({"write", "batch_script", "5", "-"}).words.back(), "-");
  EXPECT_EQ(options({"update", "JobId=5", "Nice=-5"}).words.back(), "Nice=-5");
  EXPECT_TRUE(options({}).words.empty());
}

TEST(Scontrol, RefusesUnknownCommandsAsSlurmDoes) {
  EXPECT_EQ(page({"s"}), "invalid keyword: s\n");
  EXPECT_EQ(page({"show"}), "too few arguments for keyword:show\n");
  EXPECT_EQ(page({"show", "frob"}).substr(0, 36), "invalid entity:frob for keyword:show");
  EXPECT_EQ(page({"update", "foo=bar"}).substr(0, 34), "No valid entity in update command\n");
  EXPECT_EQ(page({"update", "nodename=n1", "state=fail", "reason=x"}),
            "Invalid input: state=fail\nRequest aborted\nValid states are: DOWN DRAIN RESUME "
            "UNDRAIN\nNot all states are valid given a node's prior state\n");
  EXPECT_EQ(page({"update", "nodename=n1", "state=drain"}),
            "You must specify a reason when DOWNING or DRAINING a node. Request denied\n");
  EXPECT_EQ(page({"delete", "foo=1"}), "Invalid deletion entity: foo=1\n");
  EXPECT_EQ(page({"reboot", "n1"}).substr(0, 42), "Requested operation is presently disabled\n");
  EXPECT_EQ(page({"version"}).substr(0, 12), "slurm 23.11.");
}

TEST(Scontrol, CreatesAndDeletesPartitions) {
  for (const auto& words :
       {std::vector<std::string>{"create", "partition", "PartitionName=x", "Nodes=n1"},
        std::vector<std::string>{"create", "PartitionName=x", "Nodes=n1"}}) {
    const auto create = asked<UpdatePartitions>(words);
    EXPECT_EQ(create.verb, PartitionVerb::Create);
    EXPECT_EQ(create.partitions, std::vector<std::string>{"x"});
    EXPECT_EQ(create.values.at(0).value, "n1");
  }
  EXPECT_TRUE(page({"create", "partition", "Nodes=n1"}).starts_with("PartitionName must be given"));
  EXPECT_EQ(asked<UpdatePartitions>({"delete", "partition=x"}).verb, PartitionVerb::Delete);
  Acted acted;
  acted.outcomes = {{"x", "", Refusal{"Partition is in use: job 17 waits or runs in x", "wait"}}};
  EXPECT_EQ(plan({"delete", "PartitionName=x"}).show({acted}).err,
            "delete_partition PartitionName=x: Partition is in use\n"
            "scontrol: error: Partition is in use: job 17 waits or runs in x; wait\n");
}

TEST(Scontrol, UpdatesTheNamedJobsNodesAndPartitions) {
  const auto job = asked<UpdateJobs>(
      {"update", "JobId=5,6_1", "TimeLimit+=30", "StartTime=now+60", "MinMemoryNode=2G"});
  EXPECT_EQ(job.ids, (std::vector{JobId{5}, JobId{6}}));
  EXPECT_EQ(job.names, (std::vector<std::string>{"TimeLimit", "StartTime", "MinMemoryNode"}));
  EXPECT_EQ(job.values, (std::vector<std::string>{"+30", "2023-11-14T22:14:20Z", "2048"}));
  const auto node =
      asked<ActOnNodes>({"update", "NodeName=n[1-2]", "State=DRAIN", "Reason=bad fan"});
  EXPECT_TRUE(node.drain);
  EXPECT_EQ(node.nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(node.reason, "bad fan");
  EXPECT_FALSE(asked<ActOnNodes>({"update", "nodename=n1", "state=resume"}).drain);
  const auto down = asked<ActOnNodes>({"update", "nodename=n1", "state=down", "reason=bad fan"});
  EXPECT_TRUE(down.drain && down.set_down);
  const auto partition = asked<UpdatePartitions>({"update", "PartitionName=main", "State=DOWN"});
  EXPECT_EQ(partition.partitions, std::vector<std::string>{"main"});
  const auto reservation = asked<ActOnReservation>(
      {"create", "reservation", "ReservationName=r", "StartTime=now", "Duration=10", "Users=ada"});
  EXPECT_EQ(reservation.name, "r");
  EXPECT_EQ(reservation.settings.size(), 3u);
  EXPECT_EQ(asked<ActOnReservation>({"delete", "ReservationName=r"}).verb, ReservationVerb::Delete);
}

TEST(Scontrol, NamesAReservationWithoutANameAfterItsFirstUserAndANumber) {
  const ControlPlan first =
      plan({"create", "reservation", "starttime=now", "duration=10", "users=ada,bob", "nodes=n1"});
  ASSERT_TRUE(first.then);
  ReservationList there;
  there.reservations.resize(1);
  there.reservations[0].reservation.name = "ada_1";
  const ControlPlan second = first.then(there);
  EXPECT_EQ(std::get<ActOnReservation>(second.questions.at(0)).name, "ada_2");
  Acted done;
  done.outcomes.push_back({"ada_2", "is there", {}});
  EXPECT_EQ(second.show({done}).out, "Reservation created: ada_2\n");
}

TEST(Scontrol, ReportsRefusalsInSlurmsWords) {
  Acted acted;
  acted.outcomes.push_back({"5", "requeued", {}});
  acted.outcomes.push_back({"9", "", Refusal{"there is no job 9 in the queue", "see `cox queue`"}});
  const Shown shown = plan({"requeue", "5,9"}).show({acted});
  EXPECT_EQ(shown.out, "");
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_EQ(shown.err,
            "Invalid job id specified for job 9\n"
            "scontrol: error: there is no job 9 in the queue; see `squeue`\n");
  acted.outcomes = {{"15", "", Refusal{"job 15 is not a job array", "name it without tasks"}}};
  EXPECT_EQ(plan({"requeue", "15_0"}).show({acted}).err,
            "job 15 is not a job array\nscontrol: error: name it without tasks\n");
  JobList none;
  none.unknown = {JobId{9}};
  EXPECT_EQ(plan({"show", "job", "9"}).show({none, PriorityList{}}).err,
            "slurm_load_jobs error: Invalid job id specified\n");
  ControlContext several = a_scene();
  several.hosts = {"head", "spare"};
  EXPECT_EQ(plan({"ping"}, several).show_pings({{false, ""}, {true, "lab"}}).out,
            "Slurmctld(primary) at head is DOWN\nSlurmctld(backup) at spare is UP\n");
  EXPECT_EQ(plan({"ping"}).show_pings({{false, ""}}).exit_code, 1);
  const std::string older = "the database has schema version 34, this program knows only up to 33";
  EXPECT_EQ(plan({"ping"}, several).show_pings({{true, "lab"}, {true, "", older}}).err,
            "scontrol: the controller at " + several.hosts[1] + " cannot lead: " + older + "\n");
  EXPECT_EQ(plan({"show", "node", "x"}).show({NodeList{}}).out, "Node x not found\n");
  EXPECT_EQ(plan({"show", "res"}).show({ReservationList{}, NodeList{}}).out,
            "No reservations in the system\n");
}

TEST(Scontrol, ReportsForEachJobWhyItWasNotUpdated) {
  Acted acted;
  const Refusal ended{"job 1 has ended", ""};
  acted.outcomes = {{"1", "", ended}, {"2", "", ended}};
  EXPECT_EQ(plan({"update", "JobId=1,2", "Nice=1"}).show({acted}).err,
            "Job has already finished for job 1\nscontrol: error: job 1 has ended\n"
            "Job has already finished for job 2\nscontrol: error: job 1 has ended\n");
  acted.outcomes = {{"1", "", Refusal{"Update of this parameter is not supported: Wat", ""}}};
  EXPECT_EQ(plan({"update", "JobId=1", "Nice=1"}).show({acted}).err,
            "Update of this parameter is not supported: Wat\nRequest aborted\n");
}

TEST(Scontrol, ReportsTheTasksOfAnArrayAsSlurmDoes) {
  Acted acted;
  acted.outcomes = {{"17_1", "", Refusal{"job 17_1 has ended", ""}}, {"17_[2-4]", "changed", {}}};
  const Shown shown = plan({"update", "JobId=17", "Nice=1"}).show({acted});
  EXPECT_EQ(shown.err,
            "17_1: Job has already finished\nscontrol: error: job 17_1 has ended\n"
            "17_[2-4]: No error\n");
  EXPECT_EQ(shown.exit_code, exit_refused);
  acted.outcomes.erase(acted.outcomes.begin());
  EXPECT_EQ(plan({"update", "JobId=17", "Nice=1"}).show({acted}).err, "");
}

TEST(Scontrol, AcceptsNamesAndValuesAsSeparateWords) {
  const auto update = asked<UpdateJobs>({"update", "job", "17", "TimeLimit", "5", "Nice=3"});
  EXPECT_EQ(update.ids, (std::vector<JobId>{JobId{17}}));
  EXPECT_EQ(update.names, (std::vector<std::string>{"TimeLimit", "Nice"}));
  EXPECT_EQ(update.values, (std::vector<std::string>{"5", "3"}));
  EXPECT_EQ(page({"update", "JobId=17", "nice"}), "Invalid input: nice\nRequest aborted\n");
  const auto held = asked<ActOnJobs>({"hold", "jobid=17,18", "job=19", "20"});
  EXPECT_EQ(held.ids, (std::vector<JobId>{JobId{17}, JobId{18}, JobId{19}, JobId{20}}));
}

TEST(Scontrol, HoldsAllPendingJobsOfAName) {
  const ControlPlan first = plan({"hold", "JobName=train"});
  EXPECT_EQ(std::get<ListJobs>(first.questions.at(0)).states, std::vector{JobState::Pending});
  ASSERT_TRUE(first.then);
  JobView waits = a_job();
  waits.job.state = JobState::Pending;
  JobView tasks = waits;
  tasks.job.id = tasks.job.array_job = JobId{20};
  tasks.job.array_tasks = *parse_array_tasks("2-5");
  JobView other = waits;
  other.job.id = JobId{30};
  other.job.spec.change().name = "eval";
  JobList list;
  list.jobs = {waits, tasks, other};
  const auto held = std::get<ActOnJobs>(first.then(list).questions.at(0));
  EXPECT_EQ(held.verb, JobVerb::Hold);
  EXPECT_EQ(held.ids, (std::vector{JobId{17}, JobId{20}}));
  EXPECT_EQ(held.tasks, (std::vector<std::string>{"", "2-5"}));
  const ControlPlan none = first.then(JobList{});
  EXPECT_TRUE(none.questions.empty());
  EXPECT_EQ(none.show({}).exit_code, exit_ok);
  EXPECT_TRUE(plan({"release", "name=train"}).then);
  EXPECT_EQ(page({"requeue", "jobname=train"}).find("Invalid job id specified\n"), 0u);
  EXPECT_EQ(page({"hold", "jobname="}).find("Invalid job id specified\n"), 0u);
}

TEST(Scontrol, ShowsInItsDetailsTheGrantsOfAJobOnEachNode) {
  ControlContext context = a_scene();
  context.as.details = true;
  const ControlPlan first = plan({"show", "job", "17"}, context);
  ASSERT_TRUE(first.then);
  JobList list;
  list.jobs = {a_job()};
  const ControlPlan second = first.then(list);
  ASSERT_EQ(second.questions.size(), 2u);
  EXPECT_EQ(std::get<ShowJob>(second.questions[1]).id, JobId{17});
  JobDetail detail;
  detail.view = a_job();
  Attempt& attempt = detail.attempts.emplace_back();
  for (const char* name : {"n1", "n2"}) {
    NodeGrant& grant = attempt.nodes.emplace_back().grant;
    grant.node = name;
    grant.memory_mb = 2048;
    grant.gpus = {0, 1, 3};
  }
  const auto shown = [&] { return second.show({PriorityList{}, detail}).out; };
  EXPECT_NE(shown().find("CoreSpec=*\n   JOB_GRES=gpu:6\n"
                         "     Nodes=n[1-2] Mem=2048 GRES=gpu:3(IDX:0-1,3)\n   MinCPUsNode=1 "),
            std::string::npos)
      << shown();
  attempt.nodes[1].grant.gpus.clear();
  EXPECT_NE(shown().find("     Nodes=n1 Mem=2048 GRES=gpu:3(IDX:0-1,3)\n"
                         "     Nodes=n2 Mem=2048 GRES=\n"),
            std::string::npos)
      << shown();
}

TEST(Scontrol, HelpListsTheCommandsOfScontrol) {
  const std::string text = page({"help"});
  for (const char* line :
       {"\n  show ENTITY [NAME]...\n", "\n  hold JOB...|jobname=NAME\n", "\n  ping\n",
        "\nENTITY is one of:\n  jobs, jobid, nodes, ", "what to do instead:\n  abort, shutdown, "})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  for (const char* option : {"--help", "--usage"}) {
    const Parsed parsed = parse_options(slurm_command("scontrol"), {option});
    const auto* help = std::get_if<std::string>(&parsed);
    ASSERT_NE(help, nullptr) << option;
    EXPECT_NE(help->find(text), std::string::npos) << *help;
  }
}

TEST(Scontrol, HelpOfSacctmgrListsItsCommands) {
  for (const char* word : {"--help", "--usage", "help", "Help"}) {
    const Parsed parsed = parse_options(slurm_command("sacctmgr"), {word});
    const auto* help = std::get_if<std::string>(&parsed);
    ASSERT_NE(help, nullptr) << word;
    EXPECT_NE(help->find("\n  show|list associations|accounts|"), std::string::npos) << *help;
    EXPECT_NE(help->find("\n  add|modify|delete account|user|qos "), std::string::npos) << *help;
  }
  for (const char* verb : {"add", "modify", "delete"})
    for (const char* what : {"account", "user", "qos"}) {
      std::vector<std::string> words = {verb, what, "where", "name=x"};
      if (words[0] == "add") words.erase(words.begin() + 2);
      if (words[0] == "modify") words.insert(words.end(), {"set", "grpjobs=1"});
      EXPECT_TRUE(parse_accounting(words)) << verb << " " << what;
    }
}

TEST(Scontrol, ShowsAllNamedPartitions) {
  NodeList all;
  for (const char* name : {"main", "debug", "gpu"}) all.partitions.emplace_back().name = name;
  const Shown shown = plan({"show", "partition", "gpu", "nosuch", "main"}).show({all});
  EXPECT_LT(shown.out.find("PartitionName=gpu"), shown.out.find("Partition nosuch not found"));
  EXPECT_NE(shown.out.find("PartitionName=main"), std::string::npos);
  EXPECT_EQ(shown.out.find("PartitionName=debug"), std::string::npos);
  EXPECT_EQ(shown.exit_code, exit_refused);
}

TEST(Scontrol, ShowsTheConfigurationAsNameAndValue) {
  Configuration config;
  config.settings = {{"MinJobAge", "300 sec"}, {"MaxArraySize", "100000"}, {"Prolog", ""}};
  const std::string text = plan({"show", "config"}).show({config}).out;
  EXPECT_NE(text.find("\nMaxArraySize            = 100000\n"), std::string::npos);
  EXPECT_NE(text.find("\nMinJobAge               = 300 sec\n"), std::string::npos);
  EXPECT_NE(text.find("\nProlog                  = (null)\n"), std::string::npos) << "none is set";
  EXPECT_NE(text.find("\nRebootProgram           = (null)\n"), std::string::npos);
}

}  // namespace
}  // namespace cox
