// Tests scontrol: how each of its commands may be abbreviated, its questions, and what it prints of
// the answers. Also tests the special cases of sacctmgr's dump and load.
#include <gtest/gtest.h>

#include "client/slurm/control/scontrol.h"
#include "client/slurm/records/sacctmgr_file.h"
#include "common/base/limits.h"
#include "common/syntax/accounting_request.h"

namespace cox {
namespace {

using PlanWords = std::vector<std::string>;

ControlContext scene_of_plans() {
  ControlContext context;
  context.as.screen.now = wall_from_ms(1'700'000'000'000);
  context.here = {context.as.screen.now, {}};
  context.hosts = {"head"};
  return context;
}

ControlPlan plan_of_words(const PlanWords& words) {
  return plan_control(words, scene_of_plans());
}

// Returns the output of a command that asks the controller nothing.
std::string printed(const PlanWords& words) {
  const ControlPlan plan = plan_of_words(words);
  EXPECT_TRUE(plan.questions.empty()) << words[0];
  const Shown shown = plan.show({});
  return shown.out + shown.err;
}

// Returns the beginning of the output, cut to the length of `like`.
std::string printed_first(const PlanWords& words, const std::string& like) {
  return printed(words).substr(0, like.size());
}

template <class Body>
Body question_of(const PlanWords& words) {
  const ControlPlan plan = plan_of_words(words);
  if (plan.questions.empty() || !std::holds_alternative<Body>(plan.questions.front())) {
    ADD_FAILURE() << words[0] << " sends another request";
    return {};
  }
  return std::get<Body>(plan.questions.front());
}

TEST(ScontrolPlans, HostnamesAreAddressesInAJobWhoseNodesHaveNamesThatNoHostHas) {
  ControlContext inside = scene_of_plans();
  inside.node_list = "n[1-2]";
  inside.node_addresses = "n1=127.0.0.11,n2=127.0.0.12";
  const auto shown = [&](const PlanWords& words) {
    return plan_control(words, inside).show({}).out;
  };
  EXPECT_EQ(shown({"show", "hostnames"}), "127.0.0.11\n127.0.0.12\n");
  EXPECT_EQ(shown({"show", "hostnames", "n[2-3]"}), "127.0.0.12\nn3\n")
      << "n3 is no node of the job";
  EXPECT_EQ(shown({"show", "hostlist", "n1,n2"}), "n[1-2]\n");
}

TEST(ScontrolPlans, CommandsMayBeAbbreviatedAsInSlurm) {
  for (const auto& [word, verb] : {std::pair{"hol", JobVerb::Hold},
                                   {"holdu", JobVerb::Hold},
                                   {"uh", JobVerb::Hold},
                                   {"rel", JobVerb::Release},
                                   {"req", JobVerb::Requeue},
                                   {"REQUEUE", JobVerb::Requeue},
                                   {"requeueh", JobVerb::RequeueHold},
                                   {"su", JobVerb::Suspend},
                                   {"res", JobVerb::Resume}})
    EXPECT_EQ(question_of<ActOnJobs>({word, "5"}).verb, verb) << word;
  for (const char* word : {"ho", "re", "s", "w", "pin", "li", "requ"}) {
    const ControlPlan plan = plan_of_words({word, "5"});
    const bool is_known = plan.action != ControlAction{} || !plan.questions.empty() ||
                          plan.show({}).err.find("invalid keyword") == std::string::npos;
    EXPECT_EQ(is_known, std::string(word) == "pin" || std::string(word) == "requ") << word;
  }
  EXPECT_EQ(printed({"hold"}), "too few arguments for keyword:hold\n");
  EXPECT_EQ(printed({"update"}), "too few arguments for update keyword\n");
  EXPECT_EQ(printed({"write", "batch_script"}), "too few arguments for keyword:write\n");
  EXPECT_EQ(printed({"shwo", "job"}),
            "invalid keyword: shwo\nscontrol: error: did you mean "
            "show?\n");
  const std::string refused =
      "Requested operation is presently disabled\nscontrol: error: shutdown: stop cox-controller";
  EXPECT_EQ(printed_first({"shutdown"}, refused), refused);
  EXPECT_EQ(plan_of_words({"quit"}).action, ControlAction::End);
  EXPECT_EQ(plan_of_words({"e"}).action, ControlAction::End);
  EXPECT_TRUE(means("NODE", "NodeName", 2));
  EXPECT_TRUE(means("No", "NodeName", 2));
  EXPECT_FALSE(means("N", "NodeName", 2));
  EXPECT_FALSE(means("NodeNames", "NodeName", 2));
  EXPECT_TRUE(means("top", "top", 9)) << "the whole name is always enough";
}

TEST(ScontrolPlans, RefuseInvalidJobIds) {
  const std::string why =
      "\nscontrol: error: \"x\" is not a job id; write a number like 17, a task as 17_4, several "
      "as "
      "17_[1-3,7]\n";
  EXPECT_EQ(printed({"suspend", "x"}), "slurm_suspend error: Invalid job id specified" + why);
  EXPECT_EQ(printed({"resume", "x"}), "slurm_suspend error: Invalid job id specified" + why);
  EXPECT_EQ(printed({"hold", "x"}), "Invalid job id specified" + why);
  EXPECT_EQ(printed({"requeue", "x"}), "Invalid job id specified" + why);
  EXPECT_EQ(printed({"top", "x"}), "Invalid job id specified for job x" + why);
  EXPECT_EQ(printed_first({"top", "5"}, "Requested operation is presently disabled for job 5\n"),
            "Requested operation is presently disabled for job 5\n");
  EXPECT_EQ(printed({"update", "JobId=x", "Nice=1"}), "Invalid job id specified for job x" + why);
  EXPECT_EQ(printed({"update", "JobId=5"}), "No changes specified\n");
  EXPECT_EQ(printed({"show", "job", "x"}),
            "scontrol_print_job error: Invalid job id specified" + why);
  EXPECT_EQ(printed({"show", "step", "x.0"}),
            "slurm_get_job_steps error: Invalid job id specified" + why);
  EXPECT_EQ(printed({"write", "batch_script", "5_[1-2]"}),
            "job script retrieval failed: Invalid job id specified\n");
  EXPECT_EQ(printed({"wait_job", "x"}),
            "scontrol: Problem running job\nInvalid job id specified" + why);
}

// Components start, change and end together: a request about one of them is refused, so that it is
// not obeyed for the whole job, or for a job without components.
TEST(ScontrolPlans, RefuseComponentsWhereOnlyAWholeJobCanBeMeant) {
  const std::string why =
      "\nscontrol: error: \"17+1\" is a component, and only a whole job can be named here; name "
      "the "
      "job: 17\n";
  for (const char* verb : {"hold", "release", "requeue", "requeuehold"})
    EXPECT_EQ(printed({verb, "17+1"}), "Invalid job id specified" + why) << verb;
  EXPECT_EQ(printed({"suspend", "17+1"}), "slurm_suspend error: Invalid job id specified" + why);
  EXPECT_EQ(printed({"update", "JobId=17+1", "Nice=1"}),
            "Invalid job id specified for job 17+1" + why);
  EXPECT_EQ(printed({"show", "step", "17+1.0"}),
            "slurm_get_job_steps error: Invalid job id specified" + why);
}

TEST(ScontrolPlans, RefuseWhatTheControllerRefuses) {
  Acted acted;
  acted.outcomes = {{"5", "", Refusal{"job 5 belongs to bob", ""}}};
  EXPECT_EQ(plan_of_words({"suspend", "5"}).show({acted}).err,
            "slurm_suspend error: Access/permission denied\nscontrol: error: job 5 belongs to "
            "bob\n");
}

TEST(ScontrolPlans, WriteScriptsToAFileOrToTheTerminal) {
  const auto asked = [](const PlanWords& words) { return plan_of_words(words); };
  EXPECT_EQ(asked({"write", "b", "5"}).operand, "slurm-5.sh");
  EXPECT_EQ(asked({"write", "batch_script", "5", "x.sh"}).operand, "x.sh");
  EXPECT_EQ(std::get<ReadScript>(asked({"write", "b", "5"}).questions[0]).task, -1);
  Script script;
  script.text = "#!/bin/sh\n";
  EXPECT_EQ(asked({"write", "b", "5"}).show({script}).out,
            "batch script for job 5 written to slurm-5.sh\n");
  EXPECT_EQ(asked({"write", "b", "5", "-"}).show({script}).out, "#!/bin/sh\n");
  EXPECT_EQ(asked({"write", "b", "5"}).show({Refused{Refusal{"no", ""}}}).err,
            "job script retrieval failed: no\n");
  EXPECT_EQ(asked({"write", "b", "5"}).show({JobList{}}).err,
            "job script retrieval failed: Unexpected message\n");
  EXPECT_EQ(printed_first({"write", "config"}, "invalid keyword: config\n"),
            "invalid keyword: config\n");
}

TEST(ScontrolPlans, WaitUntilAJobRuns) {
  const ControlPlan plan = plan_of_words({"wait_job", "5_3"});
  EXPECT_EQ(plan.action, ControlAction::WaitForStart);
  EXPECT_EQ(std::get<ShowJob>(plan.questions[0]).id, JobId{5});
  JobDetail detail;
  detail.view.job.state = JobState::Running;
  EXPECT_EQ(plan.show({detail}).err, "scontrol: Nodes are ready for job 5_3\n");
  EXPECT_EQ(plan.show({detail}).exit_code, exit_ok);
  detail.view.job.state = JobState::Completed;
  EXPECT_EQ(plan.show({detail}).err, "scontrol: Job 5_3 is no longer running\n");
  EXPECT_EQ(plan.show({detail}).exit_code, exit_refused);
  EXPECT_EQ(plan.show({JobList{}}).err, "scontrol: Problem running job 5_3\n");
}

TEST(ScontrolPlans, ListProcessesOfTheClusterThatReplies) {
  const ControlPlan plan = plan_of_words({"listpids", "5.0"});
  ClusterView cluster;
  cluster.name = "lake";
  const ControlPlan list = plan.then(cluster);
  EXPECT_EQ(list.action, ControlAction::ListProcesses);
  EXPECT_EQ(list.cluster, "lake");
  EXPECT_EQ(list.operand, "5.0");
  EXPECT_EQ(plan_of_words({"listpids"}).then(cluster).operand, "");
  EXPECT_EQ(plan.then(JobList{}).show({}).exit_code, exit_refused);
  EXPECT_EQ(printed_first({"listpids", "5", "n1"}, "invalid argument: n1\n"),
            "invalid argument: n1\n");
}

TEST(ScontrolPlans, ShowGrantsInDetailForJobsThatHoldNodes) {
  ControlContext context = scene_of_plans();
  context.as.details = true;
  const ControlPlan plan = plan_control({"show", "job"}, context);
  JobList list;
  const auto add = [&](std::int64_t id, JobState state, bool has_nodes) -> JobView& {
    JobView& view = list.jobs.emplace_back();
    view.job.id = JobId{id};
    view.job.state = state;
    view.job.attempt = AttemptNumber{1};
    if (has_nodes) view.nodes = {"n1"};
    return view;
  };
  add(1, JobState::Running, true);
  add(2, JobState::Running, false);
  add(3, JobState::Completed, true);
  JobView& task = add(5, JobState::Running, true);
  task.job.array_job = JobId{4};
  task.job.array_task = 7;
  const ControlPlan details = plan.then(list);
  ASSERT_EQ(details.questions.size(), 3u) << "one for priorities and one for each job with nodes";
  EXPECT_EQ(std::get<ShowJob>(details.questions[1]).id, JobId{1});
  EXPECT_EQ(std::get<ShowJob>(details.questions[2]).id, JobId{4});
  EXPECT_EQ(std::get<ShowJob>(details.questions[2]).task, 7);
  for (std::int64_t id = 10; id < 400; ++id) add(id, JobState::Running, true);
  EXPECT_EQ(plan.then(list).questions.size(), 256u);
  context.json = true;
  EXPECT_FALSE(plan_control({"show", "job"}, context).then)
      << "JSON does not contain these details";
}

TEST(ScontrolPlans, SayWhichJobsNodesStepsOrLicencesDoNotExist) {
  const auto shown = [](const PlanWords& words, const std::vector<Answer>& answers) {
    const Shown all = plan_of_words(words).show(answers);
    return all.out + all.err;
  };
  EXPECT_EQ(shown({"show", "jobs"}, {JobList{}, PriorityList{}}), "No jobs in the system\n");
  EXPECT_EQ(shown({"show", "nodes"}, {NodeList{}}), "No nodes in the system\n");
  EXPECT_EQ(shown({"show", "lic"}, {LicenceList{}}), "No licenses configured in Slurm.\n");
  LicenceList licences;
  licences.licences = {{"matlab", 4, 1, {}, {}}};
  EXPECT_EQ(shown({"show", "lic", "ansys"}, {licences}), "License ansys not found\n");
  EXPECT_EQ(shown({"completing"}, {JobList{}}), "");
  JobList running;
  running.jobs.emplace_back().job.id = JobId{17};
  running.jobs[0].job.state = JobState::Running;
  EXPECT_EQ(shown({"show", "step", "17.5"}, {running, StepList{}}), "Job step 17.5 not found\n");
  EXPECT_EQ(shown({"show", "step", "17"}, {running, StepList{}}),
            "slurm_get_job_steps error: Invalid job id specified\n");
  running.unknown = {JobId{17}};
  EXPECT_EQ(shown({"show", "step", "17.5"}, {running, StepList{}}),
            "slurm_get_job_steps error: Invalid job id specified\n");
  EXPECT_EQ(shown({"show", "step"}, {JobList{}, StepList{}}), "");
  const Refused refused{Refusal{"no such thing", "try another"}};
  for (const auto& [what, before, others] : {std::tuple{"jobs", "slurm_load_jobs error: ", 1},
                                             {"nodes", "slurm_load_node error: ", 0},
                                             {"partitions", "slurm_load_partitions error: ", 0},
                                             {"reservations", "slurm_load_reservations error: ", 1},
                                             {"licenses", "slurm_load_licenses error: ", 0},
                                             {"steps", "slurm_get_job_steps error: ", 1},
                                             {"config", "slurm_load_ctl_conf error: ", 0},
                                             {"aliases", "slurm_load_node error: ", 0},
                                             {"topology", "slurm_load_topo error: ", 0}}) {
    std::vector<Answer> answers = {refused};
    if (others > 0) answers.emplace_back(refused);
    EXPECT_EQ(shown({"show", what}, answers),
              before + std::string("no such thing\nscontrol: error: try another\n"));
  }
  EXPECT_EQ(shown({"show", "nodes"}, {JobList{}}), "slurm_load_node error: Unexpected message\n");
  NodeList two;
  for (const char* name : {"n1", "n2"}) two.nodes.emplace_back().node.name = name;
  EXPECT_EQ(shown({"show", "aliases"}, {two}), "n1 n2\n");
}

TEST(ScontrolUpdates, OfNodesTakeTheStatesOfSlurmAndTheirAbbreviations) {
  const auto act = [](const std::string& state) {
    const auto asked =
        question_of<ActOnNodes>({"update", "NodeName=n1", "State=" + state, "Reason=fan"});
    return std::string(asked.drain ? "drain" : "resume") + (asked.set_down ? " down" : "");
  };
  for (const char* state : {"DRA", "drain", "Drained"}) EXPECT_EQ(act(state), "drain") << state;
  for (const char* state : {"res", "RESUME", "undra", "IDLE"})
    EXPECT_EQ(act(state), "resume") << state;
  EXPECT_EQ(act("DOWN"), "drain down");
  for (const char* name : {"no", "node", "nodename"})  // Slurm accepts these abbreviations
    EXPECT_EQ(question_of<ActOnNodes>({"update", std::string(name) + "=n1", "s=res"}).nodes,
              std::vector<std::string>{"n1"})
        << name;
  for (const char* state : {"dr", "re", "und", "id", "dow", "fail", ""})
    EXPECT_EQ(printed_first({"update", "NodeName=n1", std::string("State=") + state, "Reason=x"},
                            "Invalid input: state="),
              "Invalid input: state=")
        << state;
  EXPECT_EQ(printed({"update", "NodeName=n[2-1]", "State=resume"}),
            "slurm_update error: Invalid node name specified\n");
  EXPECT_EQ(printed_first({"update", "NodeName=n1", "Weight=5"},
                          "Update of this parameter is not supported: Weight=5\nRequest aborted\n"),
            "Update of this parameter is not supported: Weight=5\nRequest aborted\n");
  Acted acted;
  acted.outcomes = {{"n1", "", Refusal{"there is no node n1", ""}}};
  EXPECT_EQ(plan_of_words({"update", "NodeName=n1", "State=resume"}).show({acted}).exit_code,
            exit_refused);
  EXPECT_EQ(plan_of_words({"update", "nodename=ALL", "state=resume"}).then(JobList{}).show({}).err,
            "slurm_update error: Unexpected message\n");
}

TEST(ScontrolPlans, AskTheControllerToReadItsSettings) {
  question_of<Reconfigure>({"reconfigure"});
  const ControlPlan plan = plan_of_words({"reconf"});
  EXPECT_EQ(plan.action, ControlAction::Restart) << "the command waits for the next term";
  const Shown done = plan.show({Acted{{{"", "the controller restarts", std::nullopt}}}});
  EXPECT_EQ(done.out + done.err, "");
  EXPECT_EQ(done.exit_code, exit_ok);
  const Shown refused = plan.show({Refused{{"line 3: unknown key \"mian\"", "correct it"}}});
  EXPECT_EQ(refused.err,
            "slurm_reconfigure error: line 3: unknown key \"mian\"\n"
            "scontrol: error: correct it\n");
  EXPECT_EQ(refused.exit_code, exit_refused);
}

TEST(ScontrolUpdates, OfPartitionsAndReservationsContainTheirNamesAndChanges) {
  const auto update =
      question_of<UpdatePartitions>({"update", "part=a,b", "state=inactive", "MaxTime=5"});
  EXPECT_EQ(update.verb, PartitionVerb::Update);
  EXPECT_EQ(update.partitions, (PlanWords{"a", "b"}));
  EXPECT_EQ(update.values.size(), 2u);
  EXPECT_EQ(printed_first({"update", "PartitionName=a", "State=closed"},
                          "scontrol: error: Invalid input: State=closed\n"),
            "scontrol: error: Invalid input: State=closed\n");
  const auto changed =
      question_of<ActOnReservation>({"update", "Reservation=r", "Duration=5", "StartTime=now"});
  EXPECT_EQ(changed.verb, ReservationVerb::Update);
  EXPECT_EQ(changed.name, "r");
  EXPECT_EQ(plan_of_words({"update", "ReservationName=r", "Duration=5"}).show({Acted{}}).out,
            "Reservation updated.\n");
  EXPECT_EQ(printed_first({"update", "StepId=5.0", "TimeLimit=5"},
                          "Requested operation is presently disabled\n"),
            "Requested operation is presently disabled\n");
  EXPECT_EQ(printed({"create", "reservation"}), "too few arguments for create keyword\n");
  EXPECT_EQ(printed_first({"create", "node=n1"}, "No valid entity in create command\n"),
            "No valid entity in create command\n");
  const auto deleted = question_of<ActOnReservation>({"delete", "reservation", "r"});
  EXPECT_EQ(deleted.name, "r");
  EXPECT_TRUE(deleted.settings.empty());
  EXPECT_EQ(plan_of_words({"delete", "ReservationName=r"}).show({Acted{}}).out, "");
  EXPECT_EQ(printed({"update", "=x"}), "Invalid input: =x\nRequest aborted\n");
}

TEST(ScontrolUpdates, NameReservationsAfterTheirUsersOrAccounts) {
  const auto name = [](const PlanWords& settings, const PlanWords& taken) {
    PlanWords words = {"create", "reservation"};
    words.insert(words.end(), settings.begin(), settings.end());
    ReservationList list;
    for (const std::string& one : taken) list.reservations.emplace_back().reservation.name = one;
    return std::get<ActOnReservation>(plan_of_words(words).then(list).questions.at(0)).name;
  };
  EXPECT_EQ(name({"nodes=n1"}, {}), "resv_1");
  EXPECT_EQ(name({"nodes=n1", "Users=ada,bob"}, {"ada_1", "ada_3"}), "ada_2");
  EXPECT_EQ(name({"nodes=n1", "Accounts=physics"}, {"ada_1"}), "physics_1");
  EXPECT_EQ(name({"accounts=physics", "users=ada"}, {}), "physics_1")
      << "the reservation is named after the first account";
}

AssociationList list_in_file() {
  AssociationList list;
  list.cluster = "lake";
  const auto add = [&](const char* account, const char* user, const char* parent) -> Association& {
    Association& one = list.associations.emplace_back().association;
    one.account = account;
    one.user_name = user;
    one.parent = parent;
    return one;
  };
  add("root", "", "").shares = 2;
  Association& physics = add("physics", "", "root");
  AssociationLimits& limits = physics.limits;
  physics.organization = "dept";
  physics.coordinators = {"ada", "bob"};
  limits.grp_tres = *parse_tres("cpu=1");
  limits.grp_jobs = 2;
  limits.grp_submit_jobs = 3;
  limits.grp_tres_mins = *parse_tres("cpu=4");
  limits.grp_wall_s = 300;
  limits.max_tres_per_job = *parse_tres("cpu=6");
  limits.max_tres_mins_per_job = *parse_tres("cpu=7");
  limits.max_jobs = 0;
  limits.max_submit_jobs = 9;
  limits.max_wall_s = 600;
  limits.guarantee = *parse_tres("cpu=11");
  limits.deserved = *parse_tres("cpu=12");
  physics.default_qos = "low";
  add("chemistry", "", "root").coordinators = {"ada"};
  add("physics", "ada", "").partition = "main";
  return list;
}

// An administrator's submit rule refuses the change with a whole sentence, so scontrol prints only
// "job ID: " before that sentence.
TEST(ScontrolPlans, ShowTheTextOfASubmitRuleAfterTheJobId) {
  Acted acted;
  acted.outcomes = {{"1", "", Refusal{"Long jobs need an account.", ""}}};
  EXPECT_EQ(plan_of_words({"update", "JobId=1", "Nice=1"}).show({acted}).err,
            "job 1: Long jobs need an account.\n");
}

TEST(SacctmgrDump, ContainsAllSettings) {
  const std::string text = dump_text(list_in_file());
  EXPECT_EQ(text.substr(text.find("\nCluster") + 1),
            "Cluster - 'lake':Fairshare=2\nParent - 'root'\n"
            "Account - 'physics':Organization='dept':Fairshare=1:GrpTRES='cpu=1':GrpJobs=2:"
            "GrpSubmitJobs=3:GrpTRESMins='cpu=4':GrpWall='00:05:00':MaxTRESPerJob='cpu=6':"
            "MaxTRESMinsPerJob='cpu=7':MaxJobs=0:MaxSubmitJobs=9:"
            "MaxWallDurationPerJob='00:10:00':Guarantee='cpu=11':Deserved='cpu=12':"
            "DefaultQOS='low'\n"
            "Account - 'chemistry':Fairshare=1\n"
            "Parent - 'physics'\n"
            "User - 'ada':Partition='main':Coordinator='physics,chemistry':Fairshare=1\n");
  EXPECT_TRUE(text.starts_with("# To edit this file start with a cluster line"));
}

std::string load_text(const std::string& file, const AssociationList& now) {
  const auto plan = load_plan({"a.cfg", false}, file, now);
  if (!plan) return plan.refusal().fact;
  std::string text;
  for (const auto& words : plan->requests) text += quoted_words(words) + "\n";
  for (const std::string& note : plan->notes) text += "note: " + note + "\n";
  return text;
}

TEST(SacctmgrLoad, ChangesOnlyTheAssociationOfTheNamedPartition) {
  const std::string head = "Cluster - 'lake'\nParent - 'physics'\n";
  EXPECT_EQ(load_text(head + "User - 'ada':Partition='main':MaxJobs=3\n", list_in_file()),
            "modify user where name=ada account=physics partition=main set MaxJobs=3\n");
  EXPECT_EQ(load_text(head + "User - 'ada':MaxJobs=3\n", list_in_file()),
            "add user ada account=physics MaxJobs=3\n")
      << "there is no association without a partition yet";
  AssociationList both = list_in_file();
  both.associations.push_back(both.associations.back());
  both.associations.back().association.partition.clear();
  EXPECT_EQ(load_text(head + "User - 'ada':MaxJobs=3\n", both),
            "note: not loaded: user ada of account physics: the change would also affect its "
            "associations with partitions\n");
  both.associations[3].association.account = "chemistry";
  EXPECT_EQ(load_text(head + "User - 'ada':MaxJobs=3\n", both),
            "modify user where name=ada account=physics set MaxJobs=3\n")
      << "associations of another account do not change";
  EXPECT_EQ(load_text(head + "User - 'ada'\n", both), "") << "the line sets nothing";
}

TEST(SacctmgrLoad, AcceptsAbbreviations) {
  EXPECT_TRUE(parse_dump({"DU"}).has_value());
  EXPECT_FALSE(parse_dump({"d"}).has_value());
  EXPECT_FALSE(parse_dump({}).has_value());
  EXPECT_TRUE(parse_load({"lo", "x"}).has_value());
  EXPECT_EQ((*parse_dump({"dump", "f=x.cfg"}))->file, "x.cfg");
  EXPECT_EQ((*parse_load({"load", "clus=lake", "f=x.cfg"}))->file, "x.cfg");
  EXPECT_FALSE((*parse_load({"load", "x.cfg"}))->clean);
  EXPECT_EQ(parse_load({"load", "x.cfg", "clean=yes"})->refusal().fact,
            "Unknown option: clean=yes");
}

TEST(ScontrolPlans, WarnOfAPartitionThatDoesNotTakeTheJob) {
  Acted acted;
  acted.outcomes = {{"5",
                     "changed: Partition=a,b; partition b does not take this job; the job can run "
                     "only in a",
                     {}}};
  const Shown shown = plan_of_words({"update", "JobId=5", "Partition=a,b"}).show({acted});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_EQ(shown.err,
            "scontrol: warning: partition b does not take this job; the job can run only in a\n");
}

}  // namespace
}  // namespace cox
