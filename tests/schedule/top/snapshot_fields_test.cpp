// Tests that a snapshot file has every field of the scheduler's input by its name, and that each
// field is read back.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "schedule/top/snapshot.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

// Returns the JSON text without the spaces and newlines that make it readable.
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
  job.suspends = job.suspended = job.is_suspended = job.resumable = true;
  job.resumed = boot_from_ms(18);
  job.time_left = Milliseconds{19};
  job.limits = Limits{{20, {Tres::Gres, "fpga", "u280", 21, "nights"}, 22}};
  job.partition_tier = 23;
  job.held = true;
  job.given_back = {{"n2", 6, 7, 8, 9, {}, 1'000, 0}};
  job.done_by = boot_from_ms(24);
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
  job.partition_tier = 38;
  job.copies = 39;
  job.work_left = Milliseconds{40};
  return job;
}

Settings odd_settings() {
  Settings settings;
  settings.order = OrderPolicy::Gittins;
  settings.priority = {51, 52, 53, true, 54, 55, 56, 57, 58, Milliseconds{59}, Milliseconds{93},
                       94};
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

// Returns an input in which no field has its default value.
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
  input.waits = {{95, 96, wall_from_ms(97)}};
  input.charged = {0, 92};
  input.titles = {{JobId{3}, {"ada", "3"}}, {JobId{7}, {"bob", "5_2"}}};
  return input;
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_TRUE(has(text, part)) << part << "\nin " << text;
}

// Returns the fact of the refusal of a snapshot that has this JSON member; the rest of the snapshot
// is valid.
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
       R"("occurrences":[{"begin":71,"end":72}],"flex":true,"overrules":true,"users_text":"ada"}])",
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
       R"("suspends":true,"suspended":true,"is_suspended":true,"resumable":true,"resumed":18,)"
       R"("time_left_ms":19,"requeued":false,"preempt_weight":15,"exempt_time_ms":16,)"
       R"("preempted":[17],"id":3,"tier":4,"began":11,"ran_before_ms":12,)",
       R"("grants":[{"node":"n1","first_rank":1,"ranks":2,"cpus":3,"memory_mb":4,"gpus":[5],)"
       R"("gpu_milli":250,"component":1}],"stopping":true,"preemptable":true,"movable":true,)"
       R"("ends_by":13,"loss_per_second_units":1.5,"unsaved_since":14,"limits":[{"id":20,"most":)"
       R"({"what":5,"name":"fpga","type":"u280","count":21,"hours":"nights"},"seconds":22}],)"
       R"("rank":23,"held":true,"done_by":24,"request":0})",
       R"("pending":[{"copies":39,"fair_share":0.5,"account":32,"time_min_ms":36,)"
       R"("fill_min_ms":37,"ran_ms":33,"id":7,"tier":31,"priority":2.5,"eligible":34,)"
       R"("time_limit_ms":35,"may_preempt":false,"held":true,"limits":[],"rank":38,)"
       R"("work_left_ms":40,"request":0}])",
       R"("claims":[{"job":7,"placement":[{"node":"n3",)", R"("users":{"ada":[3],"bob":[7]})",
       R"("names":[[7,"5_2"]])"});
  const auto back = input_from(text);
  ASSERT_TRUE(back) << back.refusal().fact;
  EXPECT_EQ(text_of(*back), text);
  EXPECT_EQ(back->world.running.at(0).grants, odd_input().world.running.at(0).grants);
}

// The list of names is matched with the fields by position. If a field were moved, it would be
// written by the name of another.
TEST(SnapshotFields, OfRequestsAreWrittenAndRead) {
  Request request;
  request.whole_memory = true;
  request.gpu_types = {"h100"};
  request.gpus_per_node = 41;
  request.gpu_milli = 500;
  request.partition_gone = "old";
  request.nodelist = {"n1"};
  request.exclude = {"n2"};
  request.avoid = {"n3"};
  request.constraint = "fast";
  request.reservation = "maint";
  request.switches = 42;
  request.topology_level = "block";
  Input input = odd_input();
  input.world.pending.at(0).request = request;
  const std::string text = text_of(input);
  expect_parts(compact(text),
               {R"("gpu_types":["h100"],"gpus_per_node":41)", R"("gpu_milli":500,)",
                R"("partition_gone":"old","nodelist":["n1"],"avoid":["n3"])",
                R"("exclude":["n2"],"whole_memory":true)", R"("constraint":"fast")",
                R"("switches":42)", R"("topology_level":"block","reservation":"maint")"});
  const auto back = input_from(text);
  ASSERT_TRUE(back) << back.refusal().fact;
  EXPECT_EQ(*back->world.pending.at(0).request, request);
}

TEST(SnapshotFields, OfSettingsAndLearntRunTimesAreWrittenAndRead) {
  const std::string text = text_of(odd_input());
  expect_parts(
      compact(text),
      {R"("settings":{"fill_min_ms":69,"preempt_restart_cost_ms":62,"preempt_exempt_time_ms":63,)"
       R"("preempt_budget":64,"preempt_budget_window_ms":65,"order":5,"priority":{"age":51,)"
       R"("shortness":52,"size":53,"favor_small":true,"fair_share":54,"partition":55,"qos":56,)"
       R"("tres_cpu":57,"tres_gpu":58,"max_age_ms":59,"max_age_min_ms":93,"wait_memory":94},)"
       R"("placement":3,"backfill":)"
       R"({"reservations":60},"moves":false,"order_exempt_ms":61,"gpu_prices":[{"type":"h100",)"
       R"("milli":66}],"gpu_choice":2,"shards_per_gpu":67,"max_switch_wait_ms":68,)"
       R"("licences":[{"name":"matlab","count":70}],"topology_levels":["leaf"]})",
       R"("ended":[{"id":90,"units":91,"bin":63}],"waits":[{"rank":95,"tier":96,)"
       R"("forgotten":97}],"charged":[0,92])",
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

TEST(SnapshotFields, OfAWrongTypeAreRefused) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {R"("nodes": [3])", "name is not in an object"},
      {R"("nodes": [{"weight": 1.5}])", "a number is not an integer"},
      {R"("nodes": [{"available": 1}])", "available has the wrong type"},
      {R"("settings": {"order": 300})", "a number is out of range"},
      {R"("settings": {"order": -1})", "a number is out of range"},
      {R"("settings": {"priority": {"wait_memory": 0}})", "its wait_memory is not from 1 to 1000"},
      {R"("settings": {"priority": {"wait_memory": 1001}})",
       "its wait_memory is not from 1 to 1000"},
      {R"("charged": [1.5])", "a number is not an integer"},
      {R"("users": 3)", "users has the wrong type"},
      {R"("requests": [{}], "pending": [{"id": 1, "request": 1}])", "a job has an unknown request"},
  };
  for (const auto& [member, fact] : table)
    EXPECT_EQ(fact_about(member), "this is not a snapshot: " + fact) << member;
  EXPECT_EQ(fact_about(R"("settings": {"order": 5})"), "");
  for (const char* begin :
       {R"({"format": "coxswain-snapshot", "version": 0})",
        R"({"format": "coxswain-snapshot", "version": 2})", R"({"format": "x", "version": 1})"})
    EXPECT_EQ(input_from(begin).refusal().fact,
              "this is not a snapshot: it does not begin like a snapshot of this version")
        << begin;
}

}  // namespace cox::schedule
