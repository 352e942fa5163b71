// Tests strigger: its command line, its requests, and that it prints the same lines as Slurm.
#include "client/slurm/strigger.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

using Words = std::vector<std::string>;

TriggerRequest wish_of(const Words& words) {
  const auto read = read_strigger(words);
  if (const auto* shown = std::get_if<Shown>(&read)) {
    ADD_FAILURE() << shown->err;
    return {};
  }
  return std::get<TriggerRequest>(read);
}

std::string refusal_of(const Words& words) {
  const auto read = read_strigger(words);
  const auto* shown = std::get_if<Shown>(&read);
  if (shown == nullptr) return "";
  EXPECT_EQ(shown->exit_code, 1);
  return shown->err;
}

EventTrigger trigger_of(const Words& words) {
  const auto question = trigger_question(wish_of(words), "");
  const auto* asked = std::get_if<Question>(&question);
  const auto* set = asked == nullptr ? nullptr : std::get_if<SetTrigger>(asked);
  EXPECT_NE(set, nullptr);
  return set == nullptr ? EventTrigger{} : set->trigger;
}

TEST(Strigger, sets_the_same_triggers_as_slurm) {
  EventTrigger expected;
  expected.event = TriggerEvent::Down;
  expected.program = "/usr/sbin/slurm_admin_notify";
  EXPECT_EQ(trigger_of({"--set", "--node", "--down", "--program=/usr/sbin/slurm_admin_notify"}),
            expected);
  expected.event = TriggerEvent::Idle;
  expected.offset_s = 600;
  expected.nodes = {"n1", "n2"};
  expected.permanent = true;
  expected.program = "/bin/a b c";
  EXPECT_EQ(trigger_of({"--set", "-nn[1-2]", "-I", "-o600", "--flags=perm", "-p", "/bin/a b c"}),
            expected);
  EventTrigger of_job;
  of_job.event = TriggerEvent::Time;
  of_job.job = JobId{1234};
  of_job.offset_s = -600;
  of_job.program = "/home/joe/clean_up";
  EXPECT_EQ(trigger_of({"--set", "--jobid=1234", "--time", "--offset=-600",
                        "--program=/home/joe/clean_up"}),
            of_job);
  EXPECT_EQ(trigger_of({"--set", "-A", "-p/x"}).event, TriggerEvent::ControllerStarted);
  EXPECT_EQ(program_path(wish_of({"--set", "-d", "-p", "/bin/a b c"})), "/bin/a");
}

TEST(Strigger, refuses_in_the_words_of_slurm) {
  const std::string error = "strigger: error: ";
  EXPECT_EQ(refusal_of({}), error +
                                "You must use exactly one of the following options: --set, --get "
                                "or --clear\n");
  EXPECT_EQ(refusal_of({"--set", "--get"}).substr(0, 40),
            (error + "You must use exactly one").substr(0, 40));
  EXPECT_EQ(refusal_of({"--clear"}),
            error + "You must specify a --id, --jobid, or --user to clear\n");
  EXPECT_EQ(refusal_of({"--set", "-p/x"}), error + "You must specify a trigger\n");
  EXPECT_EQ(refusal_of({"--set", "-d"}), error + "You must specify a --program value\n");
  EXPECT_EQ(refusal_of({"--set", "-f", "-p/x"}), error + "You must specify a --jobid value\n");
  EXPECT_EQ(refusal_of({"--set", "-d", "-px"}),
            error + "The --program value must start with \"/\"\n");
  EXPECT_EQ(refusal_of({"--set", "-d", "-p/x", "-o32001"}),
            error + "The --offset parameter must be between +/-32000\n");
  EXPECT_EQ(refusal_of({"--set", "-d", "-p/x", "--flags=often"}), error + "Invalid flags often\n");
  EXPECT_EQ(refusal_of({"--get", "-jx"}).substr(0, 32), error + "Invalid jobid x");
  const std::string idle = " chooses no trigger with ";
  EXPECT_EQ(refusal_of({"--clear", "-i2", "--up"}),
            error + "--up" + idle + "--clear: use --id, --jobid or --user\n");
  for (const std::string option : {"--node=n1", "-p/x", "-o5", "--flags=perm"})
    EXPECT_NE(refusal_of({"--clear", "-i2", option}), "") << option;
  for (const std::string option : {"-p/x", "-o5", "--flags=perm"})
    EXPECT_NE(refusal_of({"--get", option}), "") << option;
  for (const std::string option : {"-i3", "--user=ada"})
    EXPECT_NE(refusal_of({"--set", "-A", "-p/x", option}), "") << option;
  EXPECT_EQ(refusal_of({"--frob"}),
            "strigger: unrecognized option '--frob'\n"
            "Try \"strigger --help\" for more information\n");
}

TEST(Strigger, refuses_events_that_never_happen_and_names_one_that_does) {
  const std::string why = refusal_of({"--set", "-a", "-p/x"});
  EXPECT_NE(why.find("--primary_slurmctld_failure is not supported"), std::string::npos) << why;
  EXPECT_NE(why.find("--primary_slurmctld_resumed_operation"), std::string::npos) << why;
  for (const char* event : {"-b", "-B", "-c", "-C", "-e", "-g", "-G", "-h", "-H", "-F", "-r",
                            "--front_end", "--burst_buffer"})
    EXPECT_NE(refusal_of({"--set", event, "-p/x"}).find("is not supported: "), std::string::npos)
        << event;
  EXPECT_NE(refusal_of({"--set", "-d", "-u", "-p/x"}).find("are two events"), std::string::npos);
  EXPECT_NE(refusal_of({"--set", "-d", "-n", "n1", "-p/x"}).find("--node=n1"), std::string::npos)
      << "Slurm reads the value as a separate word, and means all nodes";
}

TriggerList two_triggers() {
  TriggerList list;
  EventTrigger& job = list.triggers.emplace_back();
  job.id = EventTriggerId{123};
  job.event = TriggerEvent::Time;
  job.job = JobId{1235};
  job.offset_s = -600;
  job.user_name = "joe";
  job.program = "/home/bob/clean_up";
  EventTrigger& node = list.triggers.emplace_back();
  node.id = EventTriggerId{124};
  node.event = TriggerEvent::Down;
  node.user_name = "root";
  node.permanent = true;
  node.program = "/sbin/notify it";
  return list;
}

TEST(Strigger, shows_triggers_in_slurms_columns) {
  const auto shown = [](const Words& words, const std::string& user = "") {
    return show_triggers(wish_of(words), user, two_triggers()).out;
  };
  const std::string head =
      "TRIG_ID RES_TYPE   RES_ID TYPE                                OFFSET USER     FLAGS "
      "PROGRAM\n";
  const std::string first =
      "    123 job          1235 time                                  -600 joe            "
      "/home/bob/clean_up\n";
  const std::string second =
      "    124 node            * down                                     0 root     PERM  "
      "/sbin/notify it\n";
  EXPECT_EQ(shown({"--get"}), head + first + second);
  EXPECT_EQ(shown({"--get", "-N"}), first + second);
  EXPECT_EQ(shown({"--get", "-N", "--jobid=1235"}), first);
  EXPECT_EQ(shown({"--get", "-N", "--down"}), second);
  EXPECT_EQ(shown({"--get", "-N", "--node"}), second);
  EXPECT_EQ(shown({"--get", "-N", "--node=n7"}), second) << "it is for all nodes";
  TriggerList of_n1 = two_triggers();
  of_n1.triggers[1].nodes = {"n1"};
  EXPECT_EQ(show_triggers(wish_of({"--get", "-N", "--node=n7"}), "", of_n1).out, "");
  EXPECT_EQ(shown({"--get", "-N", "--id=124"}), second);
  EXPECT_EQ(shown({"--get", "-N", "--user=joe"}, "joe"), first);
  EXPECT_EQ(shown({"--get", "--up"}), "");
}

TEST(Strigger, clears_triggers_and_reports_failures) {
  const TriggerRequest wish = wish_of({"--clear", "--id=3", "--user=joe"});
  const auto question = trigger_question(wish, "joe");
  const auto& ask = std::get<ClearTriggers>(std::get<Question>(question));
  EXPECT_EQ(ask.id, EventTriggerId{3});
  EXPECT_EQ(ask.user_name, "joe");
  const Acted acted{{{"trigger 3", "cleared", {}}, {"trigger 4", "", Refusal{"denied", "why"}}}};
  const Shown shown = show_trigger_acted(wish, acted);
  EXPECT_EQ(shown.err, "slurm_clear_trigger: denied\nstrigger: error: why\n");
  EXPECT_EQ(shown.exit_code, 1);
  const Shown quiet = show_trigger_acted(wish_of({"--clear", "-Q", "--id=3"}), acted);
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_EQ(show_trigger_acted(wish_of({"--clear", "-v", "--id=3"}), acted).err.substr(0, 28),
            "strigger: trigger 3 cleared\n");
}

}  // namespace
}  // namespace cox
