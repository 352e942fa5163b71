// Tests how each command shows the controller's reply, and the overview of cox's commands.
#include <gtest/gtest.h>

#include "client/job_lines.h"
#include "client/show/json.h"
#include "client/show/show_nodes.h"
#include "client/show/show_reservations.h"
#include "tests/client/find_command.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

TEST(CommandReply, of_an_unexpected_kind_is_refused_by_each_command) {
  for (const Command& command : own_commands()) {
    if (command.show == nullptr) continue;
    const Shown shown = command.show(Answer{Submitted{}}, *command.line->make(), at_noon());
    EXPECT_EQ(shown.out, "") << command.name;
    EXPECT_EQ(shown.err, "cox: the controller sent an unexpected reply\n") << command.name;
    EXPECT_EQ(shown.exit_code, exit_refused) << command.name;
  }
}

TEST(CommandReply, with_nodes_shows_only_the_requested_nodes) {
  NodeList list;
  for (const char* name : {"n1", "n2", "n3"}) list.nodes.emplace_back().node.name = name;
  const Command& command = command_called("show node");
  NodesOptions options;
  options.nodes = {"n1", "n3"};
  const std::string n1 = show_node(list.nodes[0], at_noon());
  const std::string n3 = show_node(list.nodes[2], at_noon());
  EXPECT_EQ(command.show(list, options, at_noon()).out, n1 + "\n" + n3);
  options.json = true;
  EXPECT_EQ(command.show(list, options, at_noon()).out,
            json_text(list.nodes[0]) + "\n" + json_text(list.nodes[2]));
  options.json = false;
  options.nodes = {"n1", "m3"};
  EXPECT_EQ(command.show(list, options, at_noon()).err,
            "cox: there is no node \"m3\"\n     did you mean n3?\n");
  options.nodes = {"elsewhere"};
  const Shown shown = command.show(list, options, at_noon());
  EXPECT_EQ(shown.err, "cox: there is no node \"elsewhere\"\n     `cox nodes` lists them\n");
  EXPECT_EQ(shown.exit_code, exit_refused);
}

TEST(CommandReply, with_reservations_shows_only_the_requested_one) {
  ReservationList list;
  for (const char* name : {"class", "lab"})
    list.reservations.emplace_back().reservation.name = name;
  const Command& command = command_called("show reservation");
  ReservationOptions options;
  options.reservation = "lab";
  const Shown shown = command.show(list, options, at_noon());
  EXPECT_EQ(shown.out, show_reservation(list.reservations[1], at_noon()));
  EXPECT_EQ(shown.exit_code, exit_ok);
  options.json = true;
  EXPECT_EQ(command.show(list, options, at_noon()).out, json_text(list.reservations[1]));
  options.json = false;
  options.reservation = "clas";
  EXPECT_EQ(command.show(list, options, at_noon()).err,
            "cox: there is no reservation \"clas\"\n     did you mean class?\n");
  options.reservation = "elsewhere";
  EXPECT_EQ(command.show(list, options, at_noon()).err,
            "cox: there is no reservation \"elsewhere\"\n     `cox show reservations` lists "
            "them\n");
}

TEST(CommandReply, with_the_outcome_for_each_job_is_shown_as_text_or_json) {
  const Acted acted{{{"17", "cancelled", {}}, {"18", "", Refusal{"it has ended", "see sacct"}}}};
  const Command& command = command_called("cancel");
  Options options;
  EXPECT_EQ(command.show(acted, options, at_noon()).out, "17: cancelled\n");
  options.json = true;
  const Shown shown = command.show(acted, options, at_noon());
  EXPECT_EQ(shown.out, json_text(Answer{acted}));
  EXPECT_EQ(shown.err, "cox: 18: it has ended\n     see sacct\n");
  EXPECT_EQ(shown.exit_code, exit_refused);
  EXPECT_EQ(show_refused({"no", "go"}, options).out, json_text(Refusal{"no", "go"}));
  options.json = false;
  EXPECT_EQ(show_refused({"no", "go"}, options).out, "");
  EXPECT_EQ(show_refused({"no", ""}, options).err, "cox: no\n");
}

TEST(CommandReply, with_the_queue_names_the_requested_jobs_that_are_unknown) {
  const Command& command = command_called("queue");
  JobList list;
  list.unknown = {JobId{4}, JobId{5}};
  const Shown shown = command.show(list, QueueOptions{}, at_noon());
  EXPECT_EQ(shown.out, "");
  EXPECT_EQ(shown.exit_code, exit_refused);
  EXPECT_EQ(shown.err,
            "cox: job 4 is neither queued nor recently finished\n"
            "     if there was one, 'cox history 4' shows it\n"
            "cox: job 5 is neither queued nor recently finished\n"
            "     if there was one, 'cox history 5' shows it\n");
  list.unknown.clear();
  EXPECT_EQ(command.show(list, QueueOptions{}, at_noon()).exit_code, exit_ok);
}

TEST(CommandOverview, lists_all_commands_of_cox_and_the_slurm_commands_that_it_can_act_as) {
  EXPECT_EQ(overview_text(
                {{"Jobs", {command_called("queue")}}, {"Everything", {command_called("show job")}}},
                {slurm_commands()[0], slurm_commands()[1]}),

            "cox: jobs for a whole gang of ranks. Usage: cox COMMAND ...\n"
            "\n"
            "Jobs\n"
            "  queue     pending and running jobs\n"
            "\n"
            "Everything\n"
            "  show job  everything about one job\n"
            "\n"
            "  cox COMMAND --help  its options         --json    the answer as JSON\n"
            "  --config FILE       another cluster     --version\n"
            "\n"
            "Exit codes: 0 done, 1 refused or failed, 2 the command line is wrong,\n"
            "            3 no controller answers. 'cox wait' exits as the job did.\n"
            "The cluster is found by --config, $COX_CONFIG, ~/.local/state/coxswain (cox up),\n"
            "/etc/coxswain. Called by one of these names, it acts as that Slurm command:\n"
            "  sbatch srun\n");
  const std::string all = overview_text(command_groups(), slurm_commands());
  const std::string names = all.substr(all.find("that Slurm command:\n") + 20);
  EXPECT_EQ(names,
            "  sbatch srun salloc sbcast sattach squeue scancel scrontab sinfo sacctmgr sacct\n"
            "  seff sreport sstat scontrol strigger sprio sshare sdiag\n");
}

TEST(CommandOverview, of_a_group_such_as_reserve_lists_the_commands_of_the_group) {
  EXPECT_EQ(group_text(own_commands(), "reserve"),
            "  cox reserve create  reserve nodes for users, accounts or QOS for a time\n"
            "  cox reserve update  change a reservation\n"
            "  cox reserve delete  end a reservation\n"
            "\n"
            "See 'cox COMMAND --help' for the options of each.\n");
  EXPECT_EQ(group_text(own_commands(), "nosuch"), "");
  EXPECT_EQ(group_text(own_commands(), "checkpoints"), "") << "it is a command itself";
}

TEST(CommandOverview, an_unknown_command_gets_a_hint) {
  const auto refusal = [](const std::vector<std::string>& words) {
    const auto found = find_command(own_commands(), words);
    return found.ok() ? "found" : found.refusal().fact + "; " + found.refusal().hint;
  };
  EXPECT_EQ(
      refusal({"reserve"}),
      "\"reserve\" is not a whole command; 'cox reserve create' or 'cox reserve update' or 'cox "
      "reserve delete'");
  EXPECT_EQ(refusal({"xyzzyx"}), "\"xyzzyx\" is not a command; 'cox --help' lists them");
  EXPECT_EQ(refusal({"cancle", "17"}), "\"cancle\" is not a command; did you mean 'cox cancel'?");
}

TEST(CommandOverview, options_before_the_command_end_at_the_first_word_that_is_no_option) {
  std::vector<std::string> words{"--config", "/x", "--json", "-x", "--json"};
  Options options;
  take_leading_options(words, options);
  EXPECT_EQ(options.config, "/x");
  EXPECT_TRUE(options.json);
  EXPECT_EQ(words, (std::vector<std::string>{"-x", "--json"}));
  words = {"--config"};
  take_leading_options(words, options);
  EXPECT_EQ(words, std::vector<std::string>{"--config"}) << "its value is missing";
}

}  // namespace
}  // namespace cox
