#include <gtest/gtest.h>

#include "client/show/json.h"
#include "client/show/show_acted.h"
#include "client/show/show_cluster.h"
#include "client/show/show_history.h"
#include "client/show/show_job.h"
#include "client/show/show_licences.h"
#include "client/show/show_nodes.h"
#include "client/show/show_queue.h"
#include "client/show/show_reservations.h"
#include "client/show/show_tested.h"
#include "client/show/show_why.h"
#include "client/show/show_words.h"
#include "client/submit/reservation_settings.h"
#include "client/text/moments.h"
#include "client/text/table.h"
#include "common/base/text.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

TEST(Moments, are_shown_to_people_in_suitable_units) {
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

TEST(Table, columns_are_aligned_by_visible_width) {
  Table table({"A", "LONG"});
  table.right(1);
  table.row({"größe", "1"});
  table.row({"x\033[31m", "22"});  // the escape character is shown as '?', one column wide
  EXPECT_EQ(table.text(false),
            "A       LONG\n"
            "größe      1\n"
            "x?[31m    22\n");
}

TEST(Table, colours_do_not_change_the_width) {
  Table table({"S"});
  table.row({{"RUNNING", Colour::Green}});
  EXPECT_EQ(table.text(true), "\033[1mS\033[0m\n\033[32mRUNNING\033[0m\n");
}

TEST(Queue, a_pending_job_shows_its_reason_and_a_running_one_its_nodes) {
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

TEST(Queue, names_cannot_contain_terminal_escapes) {
  JobDetail job = a_job(JobState::Running);
  job.view.job.spec.change().name = "\033]0;owned\007";
  job.view.nodes = {"n1\033[2J"};
  const std::string all = show_queue({{job.view}, false, {}}, at_noon()) +
                          show_job(job, at_noon()) + show_why(job, at_noon());
  EXPECT_EQ(all.find('\033'), std::string::npos) << all;
  EXPECT_EQ(all.find('\007'), std::string::npos);
}

TEST(Queue, shows_partitions_and_accounts_if_there_are_several) {
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

TEST(Queue, lines_fit_the_terminal) {
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
  EXPECT_GT(widest(), 200u) << "a file contains the whole text";
  for (const std::size_t width : {80, 100, 120}) {
    screen.width = width;
    EXPECT_EQ(widest(), width) << show_queue({{waits.view}, false, {}}, screen);
  }
  EXPECT_NE(show_queue({{waits.view}, false, {}}, screen).find("xxx..\n"), std::string::npos);
  screen.width = 20;
  EXPECT_NE(show_queue({{waits.view}, false, {}}, screen).find("größer: xxxxxx..\n"),
            std::string::npos)
      << "a part of it is always shown";
  EXPECT_EQ(show_queue({{waits.view}, false, {}}, screen).find("RANKS"), std::string::npos)
      << "the least important column is omitted first";
}

TEST(Queue, long_names_of_jobs_and_nodes_stay_different_on_a_narrow_terminal) {
  JobDetail one = a_job(JobState::Running);
  JobDetail other = one;
  one.view.job.spec.change().name = "training-of-the-large-model-seed-1";
  other.view.job.spec.change().name = "training-of-the-large-model-seed-2";
  Screen screen = at_noon();
  screen.width = 80;
  const std::string text = show_queue({{one.view, other.view}, false, {}}, screen);
  for (const char* name : {"seed-1 ", "seed-2 "})
    EXPECT_NE(text.find(name), std::string::npos) << text;
}

TEST(Array, a_whole_array_shows_the_present_limit_of_tasks_that_run_at_once) {
  JobDetail detail = an_array();
  detail.view.job.spec.change().array = "0-9%4";
  detail.view.job.array_limit = 6;  // the user has changed ArrayTaskThrottle
  EXPECT_NE(show_job(detail, at_noon()).find("tasks       0-9%6: 6 PENDING"), std::string::npos)
      << show_job(detail, at_noon());
}

TEST(Array, a_whole_array_shows_its_tasks_by_state) {
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

TEST(Array, the_history_names_the_task_of_each_event) {
  HistoryPage page;
  page.events.resize(2);
  page.job_names = {"17", "17"};
  EXPECT_EQ(show_history(page, at_noon()).substr(0, 4), "WHEN") << "a single job is not an array";
  page.job_names[1] = "17_3";
  const std::string text = show_history(page, at_noon());
  EXPECT_EQ(text.substr(0, 10), "JOB   WHEN") << text;
  EXPECT_NE(text.find("\n17_3  "), std::string::npos) << text;
}

TEST(Events, are_shown_one_per_line_with_job_state_and_actor) {
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

TEST(Array, the_history_is_in_order_of_time) {
  HistoryPage page;
  page.job_names = {"17", "17_1", "17_3", "17_3"};  // the job or task of each event below
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

TEST(Array, long_lists_of_tasks_are_cut) {
  JobDetail detail = an_array();
  std::string odd;
  for (int task = 1; task < 200; task += 3) odd += (odd.empty() ? "" : ",") + std::to_string(task);
  odd.replace(odd.find(",10,"), 4, ",11,");
  detail.tasks = {{JobState::Completed, 0, 0, 67, odd}};
  EXPECT_NE(show_job(detail, at_noon()).find("17_[1,4,7,11,"), std::string::npos);
  EXPECT_NE(show_job(detail, at_noon()).find(",...]"), std::string::npos);
}

TEST(Job, shows_its_priority_and_its_nice_value) {
  JobDetail job = a_job(JobState::Pending);
  EXPECT_EQ(show_job(job, at_noon()).find("nice"), std::string::npos);
  job.view.job.spec.change().nice = 100;
  job.view.priority = 1234.5;
  const std::string text = show_job(job, at_noon());
  EXPECT_NE(text.find("nice       100\n"), std::string::npos) << text;
  EXPECT_NE(text.find("priority   1234.5; within its tier, the higher priority starts first\n"),
            std::string::npos)
      << text;
  job.priority_parts = {"age 12", "fair share 300", "nice -100"};
  EXPECT_NE(show_job(job, at_noon())
                .find("age 12 + fair share 300 + nice -100; within its tier, the higher sum starts "
                      "first\n"),
            std::string::npos);
  job.first_after_s = 7'800;
  EXPECT_NE(show_job(job, at_noon())
                .find("the higher sum starts first; after a wait of 2 h 10 min it goes first, but "
                      "its account's fair share still counts\n"),
            std::string::npos);
  job.priority_parts.clear();
  job.view.priority = 0;
  EXPECT_NE(show_job(job, at_noon()).find("priority   after a wait of 2 h 10 min it goes first\n"),
            std::string::npos);
}

TEST(Nodes, name_tasks_of_arrays_by_array_and_index) {
  NodeList list;
  list.nodes.resize(1);
  list.nodes[0].jobs = {JobId{4}, JobId{31}};
  EXPECT_NE(show_node(list.nodes[0], at_noon()).find("4,31\n"), std::string::npos)
      << "an older controller sends no names";
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
  EXPECT_NE(text.find("ordered"), std::string::npos) << "the note continues on further lines";
}

TEST(Job, an_elastic_gang_shows_its_range_of_nodes_and_ranks) {
  JobDetail job = a_job(JobState::Pending);
  ParsedSpec& spec = job.view.job.spec.change();
  const auto wants = [&job, &spec](const std::string& text) {
    spec.parse();
    return show_job(job, at_noon()).find(" " + text) != std::string::npos;
  };
  EXPECT_TRUE(wants("2 nodes, 4 ranks, 1 CPU a rank\n"));
  spec.node_sizes = "2-16";
  EXPECT_TRUE(wants("2-16 nodes, 4-32 ranks, ")) << show_job(job, at_noon());
  spec.node_sizes = "2,4,16";
  EXPECT_TRUE(wants("2,4,16 nodes, 4,8,32 ranks, ")) << show_job(job, at_noon());
  spec.tasks_asked = true;
  EXPECT_TRUE(wants("2,4,16 nodes, 4 ranks, "))
      << "the number of ranks does not depend on the nodes";
}

TEST(Job, shows_the_minimum_time_and_the_limit_of_the_attempt) {
  JobDetail job = a_job(JobState::Running);
  job.view.job.spec.change().time_limit_s = 3600;
  job.view.job.spec.change().time_min_s = 600;
  const auto shown = [&job] { return show_job(job, at_noon()); };
  const auto has_line = [&shown](const std::string& name, const std::string& value) {
    const std::string text = shown();
    const std::size_t at = text.find(name + " ");
    if (at == std::string::npos) return value.empty();
    return text.find(value + "\n", at) < text.find('\n', at);
  };
  EXPECT_TRUE(has_line("time limit", "1 h")) << shown();
  EXPECT_TRUE(has_line("time min", "10 min")) << shown();
  EXPECT_TRUE(has_line("limit now", "")) << shown();
  Attempt& attempt = job.attempts.emplace_back();
  EXPECT_TRUE(has_line("limit now", "")) << shown();
  attempt.time_limit_s = 1200;
  EXPECT_TRUE(has_line("limit now", "20 min, shortened to start sooner")) << shown();
  attempt.fills = true;
  EXPECT_TRUE(has_line("limit now", "then it saves, and continues later")) << shown();
  attempt.ended = at_noon().now;
  EXPECT_TRUE(has_line("limit now", "")) << shown();
}

TEST(Job, a_job_without_a_limit_shows_the_limit_from_its_reservation) {
  JobDetail job = a_job(JobState::Running);
  job.view.job.spec.change().time_limit_s = 0;
  job.view.job.spec.change().reservation = "class";
  job.attempts.emplace_back().time_limit_s = 1200;
  const std::string text = show_job(job, at_noon());
  EXPECT_NE(text.find("20 min, the rest of reservation class\n"), std::string::npos) << text;
}

TEST(Job, only_a_pending_job_has_an_expected_start) {
  for (const JobState state : {JobState::Pending, JobState::Suspended}) {
    JobDetail job = a_job(state);
    job.view.expected_start = before(at_noon(), -5 * minute_ms);
    const std::string text = show_job(job, at_noon());
    const bool waits = state == JobState::Pending;
    EXPECT_EQ(text.find("start expected") != std::string::npos, waits) << text;
    EXPECT_EQ(text.find("resume expected ") != std::string::npos, !waits) << text;
    EXPECT_NE(text.find("in 5 min  (2026-11-21 13:05:00)"), std::string::npos) << text;
  }
}

TEST(Reservation, shows_its_request_and_its_jobs) {
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

TEST(Reservation, may_be_named_with_the_setting_reservationname_as_in_scontrol) {
  std::string name = "Duration=60";
  std::vector<std::string> settings{"Users=ada", "reservationName=d5", "Nodes=n1"};
  resolve_reservation_name(name, settings);
  EXPECT_EQ(name, "d5");
  EXPECT_EQ(settings, (std::vector<std::string>{"Users=ada", "Duration=60", "Nodes=n1"}));
  resolve_reservation_name(name, settings);
  EXPECT_EQ(name, "d5");
}

TEST(Tested, submit_rules_show_their_effect) {
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

TEST(Tested, shows_when_and_where_a_job_would_start_also_in_slurms_words) {
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

TEST(Cluster, shows_the_accuracy_of_estimates_once_there_are_enough) {
  ClusterView view;
  view.estimates = {9, 30'000, 300'000, 771};
  EXPECT_EQ(show_cluster(view, {}, at_noon()).find("estimated"), std::string::npos);
  view.estimates.count = 10;
  EXPECT_NE(
      show_cluster(view, {}, at_noon())
          .find("estimated starts  of 10, half were off by 30 s or less, nine of ten by 5 min "
                "or less; 77 % by a minute or a tenth of the wait at most\n"),
      std::string::npos)
      << show_cluster(view, {}, at_noon());
}

TEST(Acted, one_refusal_makes_the_command_fail_but_the_rest_is_shown) {
  const Refusal unknown{"there is no job 18", "look"};
  const Acted acted{{{"17", "begins at 2026-11-21T12:05:00Z", {}}, {"18", "", unknown}}};
  const Shown shown = show_acted(acted, at_noon());
  EXPECT_EQ(shown.out, "17: begins at 2026-11-21 13:05:00 (in 5 min)\n");
  EXPECT_EQ(shown.err, "cox: there is no job 18\n     look\n");
  EXPECT_EQ(shown.exit_code, exit_refused);
}

TEST(Nodes, have_the_states_of_slurm) {
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

TEST(Nodes, show_which_of_their_gpus_are_joined) {
  NodeView view;
  view.node.total.gpus = {{0, "a40", ""}, {1, "a40", ""}, {2, "a40", ""}};
  EXPECT_EQ(show_node(view, at_noon()).find("gpu links"), std::string::npos);
  view.node.total.gpus = {{0, "a40", "", 1}, {1, "a40", "", 1}, {2, "a40", "", 2}};
  EXPECT_NE(show_node(view, at_noon()).find("gpu links  0-1 2\n"), std::string::npos)
      << show_node(view, at_noon());
}

TEST(Nodes, show_their_gres_with_the_used_ones) {
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

TEST(Licences, show_how_many_are_free) {
  EXPECT_NE(show_licences({}, at_noon()).find("has no licences"), std::string::npos);
  EXPECT_EQ(
      show_licences({{{"matlab", 3, 2, {JobId{4}, JobId{7}}}, {"ansys", 1, 0, {}}}}, at_noon()),
      "LICENCE  TOTAL  USED  FREE  JOBS\n"
      "matlab       3     2     1  4,7\n"
      "ansys        1     0     1\n");
}

TEST(Json, has_field_names_as_keys_and_null_for_missing_values) {
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
