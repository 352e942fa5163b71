#include <gtest/gtest.h>

#include "client/show/json.h"
#include "client/show/show.h"
#include "client/submit/reservation_settings.h"
#include "client/text/moments.h"
#include "client/text/table.h"
#include "common/base/text.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

TEST(Moments, people_read_them_in_their_own_units) {
  const Screen screen = at_noon();
  EXPECT_EQ(ago_text(before(screen, 3 * minute_ms + 5'000), screen), "3 min ago");
  EXPECT_EQ(ago_text(before(screen, -12'000), screen), "in 12 s");
  EXPECT_EQ(ago_text(before(screen, -(120 * minute_ms - 500)), screen), "in 2 h");
  EXPECT_EQ(ago_text(before(screen, -(119 * minute_ms + 30'000)), screen), "in 1 h 59 min");
  EXPECT_EQ(ago_text(before(screen, 119 * minute_ms), screen), "1 h ago");
  EXPECT_EQ(ago_text(Wall{}, screen), "-");
  EXPECT_EQ(absolute_text(screen.now, screen), "2026-11-21 13:00:00");  // one hour east
  EXPECT_EQ(iso_text(screen.now), "2026-11-21T12:00:00.000Z");
  EXPECT_EQ(duration_text(200'000), "3 min 20 s");
  EXPECT_EQ(slurm_clock_text(9), "0:09");
  EXPECT_EQ(slurm_clock_text(3'661), "1:01:01");
  EXPECT_EQ(slurm_clock_text(86'400 + 62), "1-00:01:02");
}

TEST(Table, columns_are_aligned_by_what_is_seen) {
  Table table({"A", "LONG"});
  table.right(1);
  table.row({"größe", "1"});
  table.row({"x\033[31m", "22"});  // an escape is shown as '?', and is as wide
  EXPECT_EQ(table.text(false),
            "A       LONG\n"
            "größe      1\n"
            "x?[31m    22\n");
}

TEST(Table, colour_changes_no_width) {
  Table table({"S"});
  table.row({{"RUNNING", Colour::Green}});
  EXPECT_EQ(table.text(true), "\033[1mS\033[0m\n\033[32mRUNNING\033[0m\n");
}

TEST(Queue, a_waiting_job_tells_why_and_a_running_one_where) {
  JobDetail waits = a_job(JobState::Pending);
  waits.view.reason = WaitReason::Resources;
  waits.view.reason_detail = "needs 2 nodes, 1 is free";
  JobDetail runs = a_job(JobState::Running);
  runs.view.ran_ms = 65'000;
  runs.view.left_ms = 5 * minute_ms;
  const std::string text = show_queue({{waits.view, runs.view}, false, {}}, at_noon());
  EXPECT_NE(text.find("queued 3 min ago  -      needs 2 nodes, 1 is free\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("for 1 min 5 s     5 min  n[1-2]\n"), std::string::npos) << text;
}

TEST(Queue, names_from_elsewhere_cannot_write_to_the_terminal) {
  JobDetail job = a_job(JobState::Running);
  job.view.job.spec.change().name = "\033]0;owned\007";
  job.view.nodes = {"n1\033[2J"};
  const std::string all = show_queue({{job.view}, false, {}}, at_noon()) +
                          show_job(job, at_noon()) + show_why(job, at_noon());
  EXPECT_EQ(all.find('\033'), std::string::npos) << all;
  EXPECT_EQ(all.find('\007'), std::string::npos);
}

TEST(Queue, says_partition_and_account_where_there_are_several) {
  JobDetail one = a_job(JobState::Pending);
  one.view.partition = "gpu";
  JobDetail other = one;
  const auto shown = [&] { return show_queue({{one.view, other.view}, false, {}}, at_noon()); };
  EXPECT_EQ(shown().substr(0, 35), "JOB  NAME    USER  QOS       STATE ") << shown();
  other.view.partition = "cpu";
  EXPECT_EQ(shown().substr(0, 46), "JOB  NAME    USER  QOS       PARTITION  STATE ") << shown();
  other.view.job.spec.change().account = "physics";
  EXPECT_EQ(shown().substr(0, 55), "JOB  NAME    USER  ACCOUNT  QOS       PARTITION  STATE ")
      << shown();
  EXPECT_NE(shown().find("\n 17  digits  ada   -        standard  gpu "), std::string::npos)
      << shown();
}

TEST(Queue, a_terminal_breaks_no_line_of_it) {
  JobDetail waits = a_job(JobState::Pending);
  waits.view.reason_detail = "größer: " + std::string(200, 'x');
  Screen screen = at_noon();
  const auto widest = [&] {
    std::size_t width = 0;
    const std::string text = show_queue({{waits.view}, false, {}}, screen);
    for (const std::string_view line : split(text, '\n'))
      width = std::max(width, display_width(line));
    return width;
  };
  EXPECT_GT(widest(), 200u) << "in a file all of it";
  for (const std::size_t width : {80, 100, 120}) {
    screen.width = width;
    EXPECT_EQ(widest(), width) << show_queue({{waits.view}, false, {}}, screen);
  }
  EXPECT_NE(show_queue({{waits.view}, false, {}}, screen).find("xxx..\n"), std::string::npos);
  screen.width = 20;
  EXPECT_NE(show_queue({{waits.view}, false, {}}, screen).find("größer: xxxxxx..\n"),
            std::string::npos)
      << "but some of it always";
  EXPECT_EQ(show_queue({{waits.view}, false, {}}, screen).find("RANKS"), std::string::npos)
      << "what matters least is left out first";
}

TEST(Array, as_a_whole_it_tells_how_many_tasks_stand_how_and_which) {
  const std::string text = show_job(an_array(), at_noon());
  EXPECT_NE(text.find("tasks       0-9: 6 PENDING, 1 RUNNING, 2 COMPLETED, 1 FAILED\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("waits for   17_[4-9]: no room\n"), std::string::npos) << text;
  EXPECT_NE(text.find("TASKS     STATE      HOW MANY  RESULT\n"
                      "17_[4-9]  PENDING           6\n"
                      "17_3      RUNNING           1\n"
                      "17_[0,2]  COMPLETED         2\n"
                      "17_1      FAILED            1  exit code 7\n"),
            std::string::npos)
      << text;
  EXPECT_NE(show_why(an_array(), at_noon())
                .find("Array 17 (digits): 6 PENDING, 1 RUNNING, 2 COMPLETED, 1 FAILED.\n"
                      "Job 17_[4-9] (digits) is PENDING"),
            std::string::npos)
      << show_why(an_array(), at_noon());
}

TEST(Array, its_history_says_whose_each_event_is) {
  HistoryPage page;
  page.events.resize(2);
  page.job_names = {"17", "17"};
  EXPECT_EQ(show_history(page, at_noon()).substr(0, 4), "WHEN") << "one job is no array";
  page.job_names[1] = "17_3";
  const std::string text = show_history(page, at_noon());
  EXPECT_EQ(text.substr(0, 10), "JOB   WHEN") << text;
  EXPECT_NE(text.find("\n17_3  "), std::string::npos) << text;
}

TEST(Events, are_shown_one_a_line_with_their_job_state_and_actor) {
  EventPage page;
  page.events.resize(3);
  page.events[0].at = at_noon().now;
  page.events[0].what = "state";
  page.events[0].why = "submitted";
  page.events[0].actor = "user ada";
  page.events[1] = page.events[0];
  page.events[1].what = "checkpoint";
  page.events[1].state = JobState::OutOfMemory;
  page.events[1].why = "step 40 at 2026-11-21T12:00:00Z";
  page.events[1].actor = "node n1";
  page.job_names = {"17", "1234567_89"};
  EXPECT_EQ(show_events(page, at_noon()),
            "2026-11-21 13:00:00  17       PENDING      submitted (user ada)\n"
            "2026-11-21 13:00:00  1234567_89 OUT_OF_MEMORY checkpoint: step 40 at 2026-11-21 "
            "13:00:00 (now) (node n1)\n");
}

TEST(Array, its_history_is_read_as_it_happened) {
  HistoryPage page;
  page.job_names = {"17", "17_1", "17_3", "17_3"};  // row by row
  for (const std::int64_t sequence : {4, 9, 5, 7}) {
    JobEvent& event = page.events.emplace_back();
    event.what = "event " + std::to_string(sequence);
    event.sequence = sequence;
  }
  order_by_time(page);
  std::string text;
  for (std::size_t i = 0; i < page.events.size(); ++i)
    text += page.job_names.at(i) + " " + page.events[i].what + "; ";
  EXPECT_EQ(text, "17 event 4; 17_3 event 5; 17_3 event 7; 17_1 event 9; ");
}

TEST(Array, tasks_that_are_too_many_to_read_are_cut_where_they_are_shown) {
  JobDetail detail = an_array();
  std::string odd;
  for (int task = 1; task < 200; task += 3) odd += (odd.empty() ? "" : ",") + std::to_string(task);
  odd.replace(odd.find(",10,"), 4, ",11,");
  detail.tasks = {{JobState::Completed, 0, 0, 67, odd}};
  EXPECT_NE(show_job(detail, at_noon()).find("17_[1,4,7,11,"), std::string::npos);
  EXPECT_NE(show_job(detail, at_noon()).find(",...]"), std::string::npos);
}

TEST(Job, tells_its_priority_and_how_nice_it_is) {
  JobDetail job = a_job(JobState::Pending);
  EXPECT_EQ(show_job(job, at_noon()).find("nice"), std::string::npos);
  job.view.job.spec.change().nice = 100;
  job.view.priority = 1234.5;
  const std::string text = show_job(job, at_noon());
  EXPECT_NE(text.find("nice       100\n"), std::string::npos) << text;
  EXPECT_NE(text.find("priority   1234.5; inside its tier the higher goes first\n"),
            std::string::npos)
      << text;
  job.priority_parts = {"age 12", "fair share 300", "nice -100"};
  EXPECT_NE(show_job(job, at_noon())
                .find("age 12 + fair share 300 + nice -100; inside its tier the higher sum goes "
                      "first\n"),
            std::string::npos);
}

TEST(Nodes, name_tasks_of_arrays_as_people_write_them) {
  NodeList list;
  list.nodes.resize(1);
  list.nodes[0].jobs = {JobId{4}, JobId{31}};
  EXPECT_NE(show_node(list.nodes[0], at_noon()).find("4,31\n"), std::string::npos)
      << "as a controller of before says them";
  list.nodes[0].job_names = {"4", "17_3"};
  EXPECT_NE(show_node(list.nodes[0], at_noon()).find("4,17_3\n"), std::string::npos);
  EXPECT_NE(show_nodes(list, at_noon()).find("4,17_3"), std::string::npos);
}

TEST(Nodes, fit_a_narrow_terminal) {
  NodeList list;
  list.nodes.resize(1);
  list.nodes[0].node.name = "n1";
  list.nodes[0].node.responding = true;
  list.nodes[0].node.features = {"a-long-feature", "another-long-feature"};
  list.nodes[0].node.reason = "the fan of the second power supply is broken, spare ordered";
  Screen narrow = at_noon();
  narrow.width = 60;
  const std::string text = show_nodes(list, narrow);
  for (const std::string_view line : split(text, '\n')) EXPECT_LE(line.size(), 60u) << text;
  EXPECT_NE(text.find("ordered"), std::string::npos) << "the note goes on in further lines";
}

TEST(Job, an_elastic_gang_tells_its_range_of_nodes_and_ranks) {
  JobDetail job = a_job(JobState::Pending);
  JobSpec& spec = job.view.job.spec.change();
  const auto wants = [&job](const std::string& text) {
    return show_job(job, at_noon()).find(" " + text) != std::string::npos;
  };
  EXPECT_TRUE(wants("2 nodes, 4 ranks, 1 cpu a rank\n"));
  spec.node_sizes = "2-16";
  EXPECT_TRUE(wants("2-16 nodes, 4-32 ranks, ")) << show_job(job, at_noon());
  spec.node_sizes = "2,4,16";
  EXPECT_TRUE(wants("2,4,16 nodes, 4,8,32 ranks, ")) << show_job(job, at_noon());
  spec.tasks_asked = true;
  EXPECT_TRUE(wants("2,4,16 nodes, 4 ranks, ")) << "as many on however many nodes";
}

TEST(Job, one_tells_the_shortest_limit_that_will_do_and_that_of_the_attempt) {
  JobDetail job = a_job(JobState::Running);
  job.view.job.spec.change().time_limit_s = 3600;
  job.view.job.spec.change().time_min_s = 600;
  const auto shown = [&job] { return show_job(job, at_noon()); };
  const auto tells = [&shown](const std::string& name, const std::string& value) {
    const std::string text = shown();
    const std::size_t at = text.find(name + " ");
    if (at == std::string::npos) return value.empty();
    return text.find(value + "\n", at) < text.find('\n', at);
  };
  EXPECT_TRUE(tells("time limit", "1 h")) << shown();
  EXPECT_TRUE(tells("time min", "10 min")) << shown();
  EXPECT_TRUE(tells("limit now", "")) << shown();
  Attempt& attempt = job.attempts.emplace_back();
  EXPECT_TRUE(tells("limit now", "")) << shown();
  attempt.time_limit_s = 1200;
  EXPECT_TRUE(tells("limit now", "20 min, shortened to start sooner")) << shown();
  attempt.fills = true;
  EXPECT_TRUE(tells("limit now", "then it saves, and goes on later")) << shown();
  attempt.ended = at_noon().now;
  EXPECT_TRUE(tells("limit now", "")) << shown();
}

TEST(Job, one_that_asks_for_no_limit_tells_what_its_reservation_gives_it) {
  JobDetail job = a_job(JobState::Running);
  job.view.job.spec.change().time_limit_s = 0;
  job.view.job.spec.change().reservation = "class";
  job.attempts.emplace_back().time_limit_s = 1200;
  const std::string text = show_job(job, at_noon());
  EXPECT_NE(text.find("20 min, what was left of reservation class\n"), std::string::npos) << text;
}

TEST(Job, only_who_has_not_started_is_expected_to_start) {
  for (const JobState state : {JobState::Pending, JobState::Suspended}) {
    JobDetail job = a_job(state);
    job.view.expected_start = before(at_noon(), -5 * minute_ms);
    const std::string text = show_job(job, at_noon());
    const bool waits = state == JobState::Pending;
    EXPECT_EQ(text.find("start expected") != std::string::npos, waits) << text;
    EXPECT_EQ(text.find("goes on ") != std::string::npos, !waits) << text;
    EXPECT_NE(text.find("in 5 min  (2026-11-21 13:05:00)"), std::string::npos) << text;
  }
}

TEST(Reservation, one_tells_what_was_asked_for_and_who_is_in_it) {
  ReservationView view;
  view.reservation.name = "class";
  view.reservation.nodes = {"n1", "n2"};
  view.reservation.node_count = 2;
  view.reservation.users = {"ada"};
  view.reservation.begin = at_noon().now;
  view.running = {JobId{4}, JobId{7}};
  const std::string text = show_reservation(view, at_noon());
  for (const char* part :
       {"2: n[1-2]", "NodeCnt=2", "user ada", "2026-11-21 13:00:00 (now)", "4, 7"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Reservation, its_name_is_taken_in_scontrols_form_too) {
  std::string name = "Duration=60";
  std::vector<std::string> settings{"Users=ada", "reservationName=d5", "Nodes=n1"};
  settle_reservation_name(name, settings);
  EXPECT_EQ(name, "d5");
  EXPECT_EQ(settings, (std::vector<std::string>{"Users=ada", "Duration=60", "Nodes=n1"}));
  settle_reservation_name(name, settings);
  EXPECT_EQ(name, "d5");
}

TEST(Tested, the_rules_for_submissions_show_what_they_do) {
  JobTested tested;
  EXPECT_EQ(show_submit_rules(tested, at_noon()), "This cluster has no rules for submissions.\n");
  tested.rules = {"submit_rule long: sets qos: (none) -> long"};
  EXPECT_EQ(show_submit_rules(tested, at_noon()),
            "submit_rule long: sets qos: (none) -> long\n"
            "The rules accept this job. `cox submit --test` also shows when it would start.\n");
  tested.refused = Refusal{"Not on Sundays.", ""};
  EXPECT_NE(
      show_submit_rules(tested, at_noon()).find("The rules refuse this job: Not on Sundays.\n"),
      std::string::npos);
}

TEST(Tested, people_and_those_used_to_slurm_read_when_and_where) {
  JobTested tested;
  tested.view = a_job(JobState::Pending).view;
  tested.view.partition = "main";
  tested.starts_now = true;
  EXPECT_EQ(show_tested(tested, at_noon()), "It would start now on n[1-2].\n");
  EXPECT_EQ(show_tested_as_slurm(tested, at_noon()),
            "sbatch: Job 17 to start at 2026-11-21T13:00:00 using 4 processors on nodes n[1-2] in "
            "partition main\n");
  tested.starts_now = false;
  tested.view.reason = WaitReason::Resources;
  tested.view.reason_detail = "2 nodes are busy";
  tested.why = {"busy: n1"};
  tested.view.expected_start = before(at_noon(), -5 * minute_ms);
  EXPECT_EQ(show_tested(tested, at_noon()),
            "It would wait. Reason: Resources\n2 nodes are busy\n  1. busy: n1\n"
            "It would start in 5 min (2026-11-21 13:05:00) on n[1-2].\n");
  tested.at_the_latest = true;
  EXPECT_NE(show_tested(tested, at_noon())
                .find("It would start in 5 min at the latest (2026-11-21 13:05:00) on n[1-2].\n"),
            std::string::npos);
  EXPECT_EQ(show_tested_as_slurm(tested, at_noon()),
            "sbatch: Job 17 to start at 2026-11-21T13:05:00 using 4 processors on nodes n[1-2] in "
            "partition main\n");
}

TEST(Cluster, estimates_are_judged_when_there_are_enough) {
  ClusterView view;
  view.estimates = {9, 30'000, 300'000, 771};
  EXPECT_EQ(show_cluster(view, at_noon()).find("estimated"), std::string::npos);
  view.estimates.count = 10;
  EXPECT_NE(show_cluster(view, at_noon())
                .find("estimated starts  half were off by 30 s or less, nine of ten by 5 min; "
                      "77 % close (of 10)\n"),
            std::string::npos)
      << show_cluster(view, at_noon());
}

TEST(Acted, one_refusal_makes_the_command_fail_and_the_rest_is_told) {
  const Refusal unknown{"there is no job 18", "look"};
  const Acted acted{{{"17", "begins at 2026-11-21T12:05:00Z", {}}, {"18", "", unknown}}};
  const Shown shown = show_acted(acted, at_noon());
  EXPECT_EQ(shown.out, "17: begins at 2026-11-21 13:05:00 (in 5 min)\n");
  EXPECT_EQ(shown.err, "cox: there is no job 18\n     look\n");
  EXPECT_EQ(shown.exit_code, exit_refused);
}

TEST(Nodes, their_states_are_slurms) {
  NodeView view;
  view.node.total.cpus = 4;
  EXPECT_EQ(node_state_text(view), "down*");
  view.node.responding = true;
  EXPECT_EQ(node_state_text(view), "idle");
  view.jobs = {JobId{1}};
  view.cpus_used = 2;
  EXPECT_EQ(node_state_text(view), "mix");
  view.cpus_used = 4;
  EXPECT_EQ(node_state_text(view), "alloc");
  view.node.drained = true;
  EXPECT_EQ(node_state_text(view), "drng");
}

TEST(Nodes, one_tells_which_of_its_gpus_are_joined) {
  NodeView view;
  view.node.total.gpus = {{0, "a40", ""}, {1, "a40", ""}, {2, "a40", ""}};
  EXPECT_EQ(show_node(view, at_noon()).find("gpu links"), std::string::npos);
  view.node.total.gpus = {{0, "a40", "", 1}, {1, "a40", "", 1}, {2, "a40", "", 2}};
  EXPECT_NE(show_node(view, at_noon()).find("gpu links  0-1 2\n"), std::string::npos)
      << show_node(view, at_noon());
}

TEST(Nodes, what_else_they_have_in_numbers_is_told_with_what_is_used) {
  NodeList list;
  list.nodes.resize(2);
  list.nodes[0].node.name = "n1";
  list.nodes[1].node.name = "n2";
  EXPECT_EQ(show_nodes(list, at_noon()).find("GRES"), std::string::npos);
  list.nodes[1].node.total.gres = {{"fpga", "u280", 2}, {"fpga", "u250", 1}, {"nic", "", 4}};
  list.nodes[1].gres_used = {{"fpga", "", 1}, {"fpga", "u280", 1}};
  const std::string text = show_nodes(list, at_noon());
  EXPECT_NE(text.find("GPUS  GRES               FEATURES"), std::string::npos) << text;
  EXPECT_NE(text.find(" -     -   "), std::string::npos) << text;
  EXPECT_NE(text.find(" -     2/3 fpga, 0/4 nic"), std::string::npos) << text;
  EXPECT_NE(show_node(list.nodes[1], at_noon()).find("gres used  2/3 fpga, 0/4 nic\n"),
            std::string::npos)
      << show_node(list.nodes[1], at_noon());
}

TEST(Licences, each_with_what_is_free) {
  EXPECT_NE(show_licences({}, at_noon()).find("has no licences"), std::string::npos);
  EXPECT_EQ(
      show_licences({{{"matlab", 3, 2, {JobId{4}, JobId{7}}}, {"ansys", 1, 0, {}}}}, at_noon()),
      "LICENCE  TOTAL  USED  FREE  JOBS\n"
      "matlab       3     2     1  4,7\n"
      "ansys        1     0     1\n");
}

TEST(Json, keys_are_field_names_and_what_is_not_yet_is_null) {
  JobDetail job = a_job(JobState::Running);
  job.view.job.spec.change().name = "bad \xff byte";
  const std::string text = json_text(decltype(Reply::body){job});
  EXPECT_NE(text.find("\"state\": \"RUNNING\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"submitted\": \"2026-11-21T11:57:00.000Z\""), std::string::npos);
  EXPECT_NE(text.find("\"ended\": null"), std::string::npos);
  EXPECT_NE(text.find("\"form\": \"gang\""), std::string::npos);
  EXPECT_NE(text.find("\"name\": \"bad \xEF\xBF\xBD byte\""), std::string::npos);
  EXPECT_NE(json_text(Refusal{"no", "go"}).find("\"hint\": \"go\""), std::string::npos);
}

}  // namespace
}  // namespace cox
