// The file of a snapshot: every field stands in it by its name, and is read from there.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "schedule/top/snapshot.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

// Without spaces and ends of lines, which the file has for people.
std::string compact(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

SchedulerNode odd_node() {
  SchedulerNode node;
  node.name = "n1";
  node.total = {64, 9'000, {{5, "h100", "GPU-7", 3}}, {{"fpga", "u280", 6}}};
  node.features = {"fast"};
  node.domains = {"spine", "leaf"};
  node.available = false;
  node.unavailable_why = "drained";
  node.weight = 8;
  return node;
}

RunningJob odd_running() {
  RunningJob job;
  job.id = JobId{3};
  job.tier = 4;
  job.began = boot_from_ms(11);
  job.ran_before = Milliseconds{12};
  job.grants = {{"n1", 1, 2, 3, 4, {5}, 250, 1}};
  job.stopping = job.preemptable = job.movable = true;
  job.requeued = false;
  job.ends_by = boot_from_ms(13);
  job.loss_per_second_units = 1.5;
  job.unsaved_since = boot_from_ms(14);
  job.preempt_weight = 15;
  job.exempt_time = Milliseconds{16};
  job.preempted = {boot_from_ms(17)};
  job.suspends = job.suspended = job.stands_still = job.resumable = true;
  job.resumed = boot_from_ms(18);
  job.time_left = Milliseconds{19};
  job.limits = Limits{{20, {Tres::Gres, "fpga", "u280", 21, "nights"}, 22}};
  job.rank = 23;
  job.held = true;
  job.given_back = {{"n2", 6, 7, 8, 9, {}, 1'000, 0}};
  return job;
}

PendingJob odd_pending() {
  PendingJob job;
  job.id = JobId{7};
  job.tier = 31;
  job.priority = 2.5;
  job.fair_share = 0.5;
  job.account = 32;
  job.ran = Milliseconds{33};
  job.eligible = wall_from_ms(34);
  job.time_limit = Milliseconds{35};
  job.time_min = Milliseconds{36};
  job.fill_min = Milliseconds{37};
  job.may_preempt = false;
  job.held = true;
  job.rank = 38;
  job.copies = 39;
  return job;
}

Settings odd_settings() {
  Settings settings;
  settings.order = OrderPolicy::Gittins;
  settings.priority = {51, 52, 53, true, 54, 55, 56, 57, 58, Milliseconds{59}};
  settings.placement = PlacementPolicy::Spreading;
  settings.backfill.reservations = 60;
  settings.moves = false;
  settings.order_exempt = Milliseconds{61};
  settings.preempt_restart_cost = Milliseconds{62};
  settings.preempt_exempt_time = Milliseconds{63};
  settings.preempt_budget = 64;
  settings.preempt_budget_window = Milliseconds{65};
  settings.gpu_prices = {{"h100", 66}};
  settings.gpu_choice = Preference::Speed;
  settings.shards_per_gpu = 67;
  settings.max_switch_wait = Milliseconds{68};
  settings.fill_min = Milliseconds{69};
  settings.licences = {{"matlab", 70}};
  settings.topology_levels = {"leaf"};
  return settings;
}

// No field has its default.
Input odd_input() {
  Input input;
  input.now = {boot_from_ms(1'000), wall_from_ms(2'000)};
  input.settings = odd_settings();
  input.world.nodes = {odd_node()};
  input.world.running = {odd_running()};
  input.world.pending = {odd_pending()};
  input.world.reservations = {
      {"maint", {"n1"}, {{boot_from_ms(71), boot_from_ms(72)}}, true, true, "ada", true, true}};
  input.world.quotas = {{80, -1, {Tres::Cpus, "", "", 0}, 81, 82, 83, 84},
                        {85, 0, {Tres::Cpus, "", "", 0}, 0, 0, 86, 1}};
  input.claims = {{JobId{7}, {{"n3", 0, 1, 2, 0, {}, 1'000, 0}}}};
  input.usual = {{{87, 2, 500, {"a100"}}, 88.5}};
  input.ended = {{JobId{90}, 91, 63}};
  input.charged = {0, 92};
  input.titles = {{JobId{3}, {"ada", "3"}}, {JobId{7}, {"bob", "5_2"}}};
  return input;
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_TRUE(has(text, part)) << part << "\nin " << text;
}

// What is said of this snapshot, of which the rest is right.
std::string fact_about(const std::string& member) {
  const auto input = input_from(R"({"format": "coxswain-snapshot", "version": 1, )" + member + "}");
  return input ? "" : input.refusal().fact;
}

}  // namespace

TEST(SnapshotFields, OfNodesAndReservationsAreWrittenAndRead) {
  const std::string text = text_of(odd_input());
  expect_parts(
      compact(text),
      {R"("format":"coxswain-snapshot","version":1,"now":{"boot":1000,"wall":2000})",
       R"("nodes":[{"name":"n1","total":{"cpus":64,"memory_mb":9000,"gpus":[{"index":5,)"
       R"("type":"h100","uuid":"GPU-7","island":3}],"gres":[{"name":"fpga","type":"u280",)"
       R"("count":6}]},"features":["fast"],"available":false,"domains":["spine","leaf"],)"
       R"("unavailable_why":"drained","weight":8}])",
       R"("reservations":[{"is_silence":true,"recurs":true,"name":"maint","nodes":["n1"],)"
       R"("occurrences":[{"begin":71,"end":72}],"flex":true,"overrules":true,"for_whom":"ada"}])",
       R"("quotas":[{"limit":80,"parent":-1,"what":{"what":2,"name":"","type":"","count":0,)"
       R"("hours":""},"guarantee":81,"deserved":82,"most":83,"shares":84},)"});
  const auto back = input_from(text);
  ASSERT_TRUE(back) << back.refusal().fact;
  EXPECT_EQ(text_of(*back), text);
  EXPECT_EQ(back->world.reservations, odd_input().world.reservations);
  EXPECT_EQ(back->world.quotas, odd_input().world.quotas);
}

TEST(SnapshotFields, OfJobsAreWrittenAndRead) {
  const std::string text = text_of(odd_input());
  expect_parts(
      compact(text),
      {R"("given_back":[{"node":"n2","first_rank":6,"ranks":7,"cpus":8,"memory_mb":9,"gpus":[],)"
       R"("gpu_milli":1000,"component":0}])",
       R"("suspends":true,"suspended":true,"stands_still":true,"resumable":true,"resumed":18,)"
       R"("time_left_ms":19,"requeued":false,"preempt_weight":15,"exempt_time_ms":16,)"
       R"("preempted":[17],"id":3,"tier":4,"began":11,"ran_before_ms":12,)",
       R"("grants":[{"node":"n1","first_rank":1,"ranks":2,"cpus":3,"memory_mb":4,"gpus":[5],)"
       R"("gpu_milli":250,"component":1}],"stopping":true,"preemptable":true,"movable":true,)"
       R"("ends_by":13,"loss_per_second_units":1.5,"unsaved_since":14,"limits":[{"id":20,"most":)"
       R"({"what":5,"name":"fpga","type":"u280","count":21,"hours":"nights"},"seconds":22}],)"
       R"("rank":23,"held":true,"request":0})",
       R"("pending":[{"copies":39,"fair_share":0.5,"account":32,"time_min_ms":36,)"
       R"("fill_min_ms":37,"ran_ms":33,"id":7,"tier":31,"priority":2.5,"eligible":34,)"
       R"("time_limit_ms":35,"may_preempt":false,"held":true,"limits":[],"rank":38,"request":0}])",
       R"("claims":[{"job":7,"placement":[{"node":"n3",)", R"("users":{"ada":[3],"bob":[7]})",
       R"("names":[[7,"5_2"]])"});
  const auto back = input_from(text);
  ASSERT_TRUE(back) << back.refusal().fact;
  EXPECT_EQ(text_of(*back), text);
  EXPECT_EQ(back->world.running.at(0).grants, odd_input().world.running.at(0).grants);
}

// Their names are bound to the fields by position: a field that moved would bear another's name.
TEST(SnapshotFields, OfRequestsAreWrittenByTheirNames) {
  Request asked;
  asked.whole_memory = true;
  asked.gpu_types = {"h100"};
  asked.gpus_per_node = 41;
  asked.gpu_milli = 500;
  asked.partition_gone = "old";
  asked.nodelist = {"n1"};
  asked.exclude = {"n2"};
  asked.avoid = {"n3"};
  asked.constraint = "fast";
  asked.reservation = "maint";
  asked.switches = 42;
  asked.topology_level = "block";
  Input input = odd_input();
  input.world.pending.at(0).request = asked;
  const std::string text = text_of(input);
  expect_parts(compact(text),
               {R"("gpu_types":["h100"],"gpus_per_node":41)", R"("gpu_milli":500,)",
                R"("partition_gone":"old","nodelist":["n1"],"avoid":["n3"])",
                R"("exclude":["n2"],"whole_memory":true)", R"("constraint":"fast")",
                R"("switches":42)", R"("topology_level":"block","reservation":"maint")"});
  const auto back = input_from(text);
  ASSERT_TRUE(back) << back.refusal().fact;
  EXPECT_EQ(*back->world.pending.at(0).request, asked);
}

TEST(SnapshotFields, OfSettingsAndOfWhatWasLearntAreWrittenAndRead) {
  const std::string text = text_of(odd_input());
  expect_parts(
      compact(text),
      {R"("settings":{"fill_min_ms":69,"preempt_restart_cost_ms":62,"preempt_exempt_time_ms":63,)"
       R"("preempt_budget":64,"preempt_budget_window_ms":65,"order":5,"priority":{"age":51,)"
       R"("shortness":52,"size":53,"favor_small":true,"fair_share":54,"partition":55,"qos":56,)"
       R"("tres_cpu":57,"tres_gpu":58,"max_age_ms":59},"placement":3,"backfill":)"
       R"({"reservations":60},"moves":false,"order_exempt_ms":61,"gpu_prices":[{"type":"h100",)"
       R"("milli":66}],"gpu_choice":2,"shards_per_gpu":67,"max_switch_wait_ms":68,)"
       R"("licences":[{"name":"matlab","count":70}],"topology_levels":["leaf"]})",
       R"("ended":[{"id":90,"units":91,"bin":63}],"charged":[0,92])",
       R"("usual":[{"cpus":87,"gpus":2,"gpu_milli":500,"gpu_types":["a100"],"jobs":88.5}])"});
  const auto back = input_from(text);
  ASSERT_TRUE(back) << back.refusal().fact;
  EXPECT_EQ(back->usual, odd_input().usual);
  EXPECT_EQ(back->charged, odd_input().charged);
  EXPECT_EQ(back->settings.priority.max_age, Milliseconds{59});
  EXPECT_EQ(back->settings.gpu_choice, Preference::Speed);
}

TEST(SnapshotFields, ThatAreAbsentKeepTheirDefaults) {
  const auto input = input_from(
      R"({"format": "coxswain-snapshot", "version": 1, "nodes": [{"name": "n1"}], )"
      R"("requests": [{}], "running": [{"id": 1, "ends_by": null}], "pending": [{"id": 2}]})");
  ASSERT_TRUE(input) << input.refusal().fact;
  EXPECT_EQ(input->world.nodes.at(0).weight, 1);
  EXPECT_TRUE(input->world.nodes.at(0).available);
  EXPECT_TRUE(input->world.running.at(0).requeued);
  EXPECT_EQ(input->world.running.at(0).ends_by, std::nullopt);
  EXPECT_EQ(input->world.pending.at(0).copies, 1);
  EXPECT_EQ(*input->world.pending.at(0).request, Request{});
  EXPECT_EQ(input->settings.preempt_budget, Settings{}.preempt_budget);
}

TEST(SnapshotFields, OfAnotherKindAreRefused) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {R"("nodes": [3])", "no object has name"},
      {R"("nodes": [{"weight": 1.5}])", "a number is not whole"},
      {R"("nodes": [{"available": 1}])", "available is of another kind"},
      {R"("settings": {"order": 300})", "a number is out of range"},
      {R"("settings": {"order": -1})", "a number is out of range"},
      {R"("charged": [1.5])", "a number is not whole"},
      {R"("users": 3)", "users is of another kind"},
      {R"("requests": [{}], "pending": [{"id": 1, "request": 1}])",
       "a job asks for a request that is not there"},
  };
  for (const auto& [member, fact] : table)
    EXPECT_EQ(fact_about(member), "this is no snapshot: " + fact) << member;
  EXPECT_EQ(fact_about(R"("settings": {"order": 5})"), "");
  for (const char* begin :
       {R"({"format": "coxswain-snapshot", "version": 0})",
        R"({"format": "coxswain-snapshot", "version": 2})", R"({"format": "x", "version": 1})"})
    EXPECT_EQ(input_from(begin).refusal().fact,
              "this is no snapshot: it does not begin as a snapshot of this version does")
        << begin;
}

}  // namespace cox::schedule
