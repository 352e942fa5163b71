#include "client/command.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "client/cluster_lines.h"
#include "client/command_line.h"
#include "client/job_lines.h"
#include "client/show/show_partitions.h"
#include "client/slurm/control/scontrol.h"
#include "client/slurm/names.h"
#include "client/slurm/records/record_options.h"
#include "client/slurm/records/sacctmgr.h"
#include "client/slurm/records/sreport_request.h"
#include "common/base/moment_text.h"

namespace cox {
namespace {

const Command& command(const std::vector<Command>& table, std::string_view name) {
  for (const auto& each : table)
    if (each.name == name) return each;
  ADD_FAILURE() << "no command " << name;
  return table.front();
}

std::unique_ptr<Options> parsed(const Command& which, const std::vector<std::string>& words) {
  Parsed result = parse_options(which, words);
  if (const auto* why = std::get_if<Refusal>(&result)) ADD_FAILURE() << why->fact;
  auto* options = std::get_if<std::unique_ptr<Options>>(&result);
  return options != nullptr ? std::move(*options) : which.line->make();
}

template <class Asked>
Asked parsed_as(const Command& which, const std::vector<std::string>& words) {
  return dynamic_cast<const Asked&>(*parsed(which, words));
}

std::string refused(const Command& which, const std::vector<std::string>& words) {
  Parsed result = parse_options(which, words);
  const auto* why = std::get_if<Refusal>(&result);
  return why != nullptr ? why->fact : "(not refused)";
}

TEST(Commands, have_unique_names_and_the_functions_that_their_way_of_running_needs) {
  std::set<std::string_view> names;
  for (const auto* table : {&own_commands(), &slurm_commands()}) {
    for (const auto& each : *table) {
      EXPECT_TRUE(names.insert(each.name).second) << each.name << " occurs twice";
      EXPECT_FALSE(each.summary.empty()) << each.name;
      const bool lists = each.run == Run::List;
      EXPECT_EQ(each.listing != nullptr, lists) << each.name;
      const bool by_getopt = lists || each.run == Run::CancelMatching || each.run == Run::Attach ||
                             each.run == Run::Broadcast || each.run == Run::Crontab ||
                             each.run == Run::Trigger;
      EXPECT_EQ(each.options != nullptr, by_getopt) << each.name;
      const bool reads_its_own = by_getopt || each.run == Run::Submit || each.run == Run::Step ||
                                 each.run == Run::Allocate || each.run == Run::Simulate;
      EXPECT_EQ(each.line == nullptr, reads_its_own) << each.name;
      const bool asks = each.run == Run::Ask || each.run == Run::Administer ||
                        each.run == Run::Records || each.run == Run::Efficiency;
      EXPECT_EQ(each.question != nullptr && each.show != nullptr, asks) << each.name;
    }
  }
}

TEST(Commands, are_found_by_one_or_two_words_and_misspellings_get_a_hint) {
  EXPECT_EQ(find_command(own_commands(), {"queue", "7"})->words, 1u);
  EXPECT_EQ(find_command(own_commands(), {"show", "node", "n1"})->command->name, "show node");
  EXPECT_EQ(find_command(own_commands(), {"checkpoint", "done", "--step"})->words, 2u);
  EXPECT_NE(find_command(own_commands(), {"cancle"}).refusal().hint.find("cancel"),
            std::string::npos);
  EXPECT_NE(find_command(own_commands(), {"show"}).refusal().hint.find("cox show job"),
            std::string::npos);
  const auto hint = [](const std::vector<std::string>& words) {
    return find_command(own_commands(), words).refusal().hint;
  };
  EXPECT_EQ(find_command(own_commands(), {"show", "jbo", "17"}).refusal().fact,
            "'cox show jbo' is not a command");
  EXPECT_EQ(hint({"show", "jbo", "17"}), "did you mean 'cox show job'?");
  EXPECT_EQ(hint({"partition", "dwon", "gpu"}), "did you mean 'cox partition down'?");
  EXPECT_EQ(hint({"checkpoints", "verfy", "1"}), "did you mean 'cox checkpoints verify'?");
  EXPECT_EQ(find_command(own_commands(), {"checkpoints", "verify", "1"})->words, 2u);
  EXPECT_EQ(find_command(own_commands(), {"checkpoints", "1"})->words, 1u);
  EXPECT_EQ(find_command(own_commands(), {"checkpoints", "--json"})->words, 1u);
  EXPECT_EQ(find_command(own_commands(), {"checkpoints"})->words, 1u);
  EXPECT_EQ(hint({"shwo", "job"}), "did you mean 'cox show job'?");
  EXPECT_EQ(hint({"queu", "17"}), "did you mean 'cox queue'?");
  EXPECT_TRUE(hint({"partition", "xyzzy"}).starts_with("'cox partition up' or 'cox partition d"));
  EXPECT_EQ(hint({"xyzzy", "17"}), "'cox --help' lists them");
  EXPECT_NE(group_text(own_commands(), "partition").find("  cox partition down  start no jobs in"),
            std::string::npos)
      << "cox partition --help";
  EXPECT_EQ(group_text(own_commands(), "queue"), "") << "a command has its own help";
}

template <class Asked>
bool is_read_into(const Options& options) {
  return dynamic_cast<const Asked*>(&options) != nullptr;
}

TEST(Commands, are_parsed_into_the_type_of_options_that_they_run_with) {
  const std::map<cox::Run, bool (*)(const Options&)> of_runs{
      {Run::Administer, is_read_into<SacctmgrOptions>},
      {Run::Records, is_read_into<SacctOptions>},
      {Run::Efficiency, is_read_into<SeffOptions>},
      {Run::Report, is_read_into<SreportOptions>},
      {Run::Sample, is_read_into<SstatOptions>},
      {Run::Control, is_read_into<ScontrolOptions>},
      {Run::Wait, is_read_into<JobsOptions>},
      {Run::Logs, is_read_into<LogsOptions>},
      {Run::CheckpointDone, is_read_into<CheckpointDoneOptions>},
      {Run::Progress, is_read_into<ProgressOptions>},
      {Run::Events, is_read_into<EventsOptions>},
      {Run::Up, is_read_into<UpOptions>},
      {Run::Down, is_read_into<DownOptions>},
      {Run::Status, is_read_into<StatusOptions>},
      {Run::Demo, is_read_into<DemoOptions>},
      {Run::ConfigCheck, is_read_into<FileOptions>},
      {Run::Import, is_read_into<ImportOptions>},
      {Run::KeyMake, is_read_into<KeyOptions>},
      {Run::Snapshot, is_read_into<FileOptions>},
      {Run::Replay, is_read_into<ReplayOptions>},
  };
  for (const auto* table : {&own_commands(), &slurm_commands()})
    for (const Command& each : *table) {
      const auto of_run = of_runs.find(each.run);
      if (of_run == of_runs.end()) continue;
      EXPECT_TRUE(of_run->second(*each.line->make())) << each.name;
    }
}

TEST(Commands, may_follow_options_of_cox) {
  std::vector<std::string> words = {"--json", "--config=/x", "queue", "--json"};
  Options options;
  take_leading_options(words, options);
  EXPECT_TRUE(options.json);
  EXPECT_EQ(options.config, "/x");
  EXPECT_EQ(words, (std::vector<std::string>{"queue", "--json"}));
}

TEST(Options, job_ids_may_be_lists_with_commas_and_hostlists_are_expanded) {
  const auto& cancel = command(own_commands(), "cancel");
  const auto ids = parsed_as<JobsOptions>(cancel, {"3", "4,5", "--json"});
  EXPECT_EQ(ids.ids, (std::vector{JobId{3}, JobId{4}, JobId{5}}));
  EXPECT_TRUE(ids.json);
  const auto act = std::get<ActOnJobs>(cancel.question(ids));
  EXPECT_EQ(act.verb, JobVerb::Cancel);
  EXPECT_EQ(act.ids.size(), 3u);
  const auto drain = parsed_as<DrainOptions>(command(own_commands(), "drain"),
                                             {"n[1-2]", "n7", "--reason", "fan"});
  EXPECT_EQ(drain.nodes, (std::vector<std::string>{"n1", "n2", "n7"}));
  EXPECT_EQ(drain.reason, "fan");
}

TEST(Options, job_ids_may_name_tasks_of_arrays) {
  const auto& cancel = command(own_commands(), "cancel");
  const auto act = std::get<ActOnJobs>(cancel.question(*parsed(cancel, {"3_[1,3-5],4", "5_0"})));
  EXPECT_EQ(act.ids, (std::vector{JobId{3}, JobId{4}, JobId{5}}));
  EXPECT_EQ(act.tasks, (std::vector<std::string>{"1,3-5", "", "0"}));
  const auto& why = command(own_commands(), "why");
  EXPECT_EQ(std::get<ShowJob>(why.question(*parsed(why, {"17_4"}))).task, 4);
  EXPECT_EQ(std::get<ShowJob>(why.question(*parsed(why, {"17_4"}))).tasks, "");
  const auto row = std::get<ShowJob>(why.question(*parsed(why, {"17_[4-6,9%2]"})));
  EXPECT_EQ(row.task, 4) << "a range selects its first task";
  EXPECT_EQ(row.tasks, "4-6,9");
  EXPECT_EQ(std::get<ShowJob>(why.question(*parsed(why, {"17"}))).task, -1);
  const auto& update = command(own_commands(), "update");
  const auto change =
      std::get<UpdateJobs>(update.question(*parsed(update, {"17", "ArrayTaskThrottle=5"})));
  EXPECT_EQ(change.ids, std::vector{JobId{17}});
  EXPECT_EQ(change.names, std::vector<std::string>{"ArrayTaskThrottle"});
  EXPECT_EQ(change.values, std::vector<std::string>{"5"});
}

TEST(Options, refusals_name_the_wrong_word) {
  const auto& cancel = command(own_commands(), "cancel");
  EXPECT_NE(refused(cancel, {"x1"}).find("\"x1\" is not a job id"), std::string::npos);
  EXPECT_NE(refused(cancel, {"7_x"}).find("\"7_x\""), std::string::npos);
  EXPECT_NE(refused(command(own_commands(), "why"), {"7,8"}).find("name one"), std::string::npos);
  EXPECT_NE(refused(command(own_commands(), "update"), {"7", "Nice"}).find("NAME=VALUE"),
            std::string::npos);
  EXPECT_NE(refused(cancel, {"-1"}), "(not refused)");
  EXPECT_NE(refused(cancel, {}).find("JOB"), std::string::npos);
  EXPECT_NE(refused(command(own_commands(), "drain"), {"n1"}).find("--reason"), std::string::npos);
  EXPECT_NE(refused(command(own_commands(), "queue"), {"-t", "RUNING"}).find("RUNNING"),
            std::string::npos);
}

TEST(Options, select_checkpoints_of_jobs_and_of_single_tasks) {
  const auto& list = command(own_commands(), "checkpoints");
  const auto asked = parsed_as<CheckpointsOptions>(list, {"10_1,12"});
  EXPECT_EQ(asked.ids, (std::vector{JobId{10}, JobId{12}}));
  EXPECT_EQ(asked.tasks, (std::vector<std::string>{"1", ""}));
  const auto& remove = command(own_commands(), "checkpoints remove");
  EXPECT_EQ(parsed_as<CheckpointsOptions>(remove, {"10_1", "--step", "40"}).tasks,
            std::vector<std::string>{"1"});
  EXPECT_EQ(refused(remove, {"10_[1-3]"}),
            "\"10_[1-3]\" names several tasks; name each, like 17_4");
}

TEST(Options, a_checkpoint_step_that_is_not_a_whole_number_is_refused) {
  const std::string says = "is not a step; a step is a whole number from 0 on, like 40";
  const auto& done = command(own_commands(), "checkpoint done");
  const auto& remove = command(own_commands(), "checkpoints remove");
  EXPECT_EQ(parsed_as<CheckpointDoneOptions>(done, {"--step", "0"}).step, 0);
  for (const char* wrong : {"-3", "1.5", "x", "9223372036854775808"}) {
    EXPECT_EQ(refused(done, {"--step", wrong}), "--step: \"" + std::string(wrong) + "\" " + says);
    EXPECT_EQ(refused(remove, {"7", "--step", wrong}),
              "--step: \"" + std::string(wrong) + "\" " + says);
  }
}

TEST(Options, a_missing_option_is_named_with_its_meaning) {
  EXPECT_EQ(refused(command(own_commands(), "fence"), {"n2"}),
            "--confirm is required: confirms that the nodes are powered off or have rebooted, so "
            "that none of their jobs runs there");
  EXPECT_EQ(refused(command(own_commands(), "drain"), {"n2"}),
            "--reason is required: why, for everybody to read");
}

TEST(Commands, the_summary_of_cox_requeue_says_that_it_accepts_ended_jobs) {
  EXPECT_NE(command(own_commands(), "requeue").summary.find("ended"), std::string_view::npos);
}

TEST(Options, queue_asks_for_ended_jobs_only_with_all_a_job_id_or_their_state) {
  const auto& queue = command(own_commands(), "queue");
  const auto states = [&](const std::vector<std::string>& words) {
    return std::get<ListJobs>(queue.question(*parsed(queue, words))).states.size();
  };
  EXPECT_EQ(states({}), 0u);
  EXPECT_EQ(states({"--all"}), all_job_states.size());
  EXPECT_EQ(states({"17"}), all_job_states.size());
  EXPECT_EQ(states({"-t", "PD,running"}), 2u);
}

TEST(Queue, tasks_of_an_array_are_sorted_by_number) {
  std::vector<JobView> jobs;
  for (const auto& [id, array, task] : {std::tuple{41, 41, 3}, {42, 41, 0}, {43, 0, -1}}) {
    JobView& view = jobs.emplace_back();
    view.job.id = JobId{id};
    view.job.array_job = JobId{array};
    view.job.array_task = task;
  }
  const JobList list{jobs, false, {}};
  const std::string text = command(own_commands(), "queue").show(list, QueueOptions{}, {}).out;
  EXPECT_LT(text.find("41_0"), text.find("41_3"));
}

TEST(Partitions, change_their_state_and_are_listed_with_their_rules) {
  const Command& down = command(own_commands(), "partition down");
  const auto update = std::get<UpdatePartitions>(
      down.question(*parsed(down, {"gpu,cpu", "debug", "-r", "bad switch"})));
  EXPECT_EQ(update.partitions, (std::vector<std::string>{"gpu", "cpu", "debug"}));
  ASSERT_EQ(update.values.size(), 2u);
  EXPECT_EQ(update.values[0].name + "=" + update.values[0].value, "State=DOWN");
  EXPECT_EQ(update.values[1].name + "=" + update.values[1].value, "Reason=bad switch");
  NodeList list;
  PartitionView gpu;
  gpu.name = "gpu";
  gpu.is_default = true;
  gpu.state = PartitionState::Down;
  gpu.reason = "bad switch";
  gpu.max_nodes = 4;
  gpu.time_limit_max_s = 3600;
  gpu.deny_qos = {"night", "guest"};
  gpu.preempt_mode = PreemptMode::Off;
  list.partitions = {gpu};
  NodeView view;
  view.node.name = "n1";
  view.partitions = {"gpu"};
  list.nodes.push_back(view);
  EXPECT_EQ(command(own_commands(), "show partitions").show(list, {}, {}).out,
            "PARTITION  STATE  TIER   MAXTIME  NODES  RULES                             "
            "                NOTE\n"
            "gpu*       DOWN      1  01:00:00  n1     MaxNodes=4  DenyQos=night,guest  "
            "PreemptMode=off  bad switch\n");
  EXPECT_NE(command(own_commands(), "nodes")
                .show(list, {}, {})
                .out.find("\nPartition gpu is DOWN: bad switch\n"),
            std::string::npos);
}

TEST(Partitions, closed_by_their_hours_say_until_when) {
  NodeList list;
  PartitionView night;
  night.name = "night";
  night.hours = "nights: Mon-Fri 18:00-08:00";
  night.closed = true;
  night.turns = *parse_moment("2026-11-23T18:00:00Z");
  list.partitions = {night};
  Screen screen;
  screen.now = night.turns - std::chrono::hours{2};
  EXPECT_EQ(command(own_commands(), "show partitions").show(list, {}, screen).out,
            "PARTITION  STATE      TIER   MAXTIME  NODES  RULES                              NOTE\n"
            "night      UP+CLOSED     1  infinite         Hours=nights: Mon-Fri 18:00-08:00  "
            "closed until 2026-11-23 18:00:00 (in 2 h)\n");
  EXPECT_EQ(closed_partitions_text(list, screen),
            "Partition night is closed until 2026-11-23 18:00:00 (in 2 h): hours nights: Mon-Fri "
            "18:00-08:00\n");
  list.partitions.front().closed = false;
  EXPECT_EQ(closed_partitions_text(list, screen), "");
}

}  // namespace
}  // namespace cox
