// Tests rules for submissions: which jobs they match, and what they require, set and refuse.
#include "common/job/submit_rule.h"

#include <gtest/gtest.h>

#include "common/base/fields.h"
#include "common/io/config/config_file.h"

namespace cox {
namespace {

const std::string beginning =
    "[controller]\ndatabase = \"x\"\nlisten_local = \"ipc:///s\"\ncheckpoint_root = \"/c\"\n";

std::vector<SubmitRule> rules(const std::string& text) {
  const auto config = parse_config(beginning + text, "c.toml");
  EXPECT_TRUE(config.ok()) << config.refusal().fact;
  return config ? config->controller.submit_rules : std::vector<SubmitRule>{};
}

std::string problem(const std::string& text) {
  const auto config = parse_config(beginning + text, "c.toml");
  return config ? "" : config.refusal().fact;
}

std::string rule(const std::string& keys) {
  return "[[submit_rule]]\nname = \"r\"\n" + keys + "\n";
}

bool holds(const JobSpec& spec, const std::string& condition) {
  const auto parsed = parse_submit_condition(condition);
  EXPECT_TRUE(parsed.ok()) << condition << ": " << parsed.refusal().fact;
  return parsed && fulfils(spec, *parsed);
}

std::string wrong(const std::string& condition) {
  const auto parsed = parse_submit_condition(condition);
  return parsed ? "" : parsed.refusal().fact;
}

JobSpec sample() {
  JobSpec spec;
  spec.name = "train-7";
  spec.user_name = "ada";
  spec.partition = "cpu,gpu";
  spec.nodes = 4;
  spec.time_limit_s = 90'000;
  spec.nodelist = {"n1", "n2"};
  return spec;
}

TEST(SubmitRule, ConditionsCompareTextsNumbersFlagsAndLists) {
  const JobSpec spec = sample();
  for (const char* true_one : {"name",
                               "!account",
                               "name=train-*",
                               "name=*7",
                               "name!=eval*",
                               "user_name=bob|ada",
                               "partition=gpu",
                               "partition=g*",
                               "nodes=4",
                               "nodes=2|4",
                               "nodes!=3",
                               "nodes>3",
                               "nodes>=4",
                               "nodes<5",
                               "nodes<=4",
                               "time_limit_s>1-00:00:00",
                               "time_limit_s<=2-00:00:00",
                               "nodelist=n2",
                               "account=",
                               "hold=false",
                               "requeue",
                               "!exclusive",
                               "form=gang",
                               "begin="})
    EXPECT_TRUE(holds(spec, true_one)) << true_one;
  for (const char* false_one :
       {"!name", "account", "name=train", "name=TRAIN-7", "partition!=gpu", "partition=g",
        "nodes>4", "nodes<4", "nodes!=4", "nodelist=n3", "hold", "hold=true", "user_name!=a*"})
    EXPECT_FALSE(holds(spec, false_one)) << false_one;
}

TEST(SubmitRule, AnInvalidConditionIsRefusedWithTheNearestField) {
  EXPECT_EQ(wrong("partion=gpu"), "a submission has no field \"partion\"");
  EXPECT_EQ(parse_submit_condition("partion=gpu").refusal().hint, "did you mean partition?");
  EXPECT_NE(wrong("name<4").find("is not a number"), std::string::npos);
  EXPECT_NE(wrong("nodes>four").find("a number"), std::string::npos);
  EXPECT_NE(wrong("hold=yes").find("true or false"), std::string::npos);
  EXPECT_NE(wrong("!nodes=4").find("is not a valid condition"), std::string::npos);
  EXPECT_NE(wrong("nodes!4").find("is not a valid condition"), std::string::npos);
  EXPECT_NE(wrong("").find("no field"), std::string::npos);
  EXPECT_NE(wrong("name=" + std::string(2'000, 'x')).find("the limit is"), std::string::npos);
}

TEST(SubmitRule, FieldsHaveTheNamesAndTheOrderOfTheJobSpecification) {
  EXPECT_EQ(submit_field("signal"), nullptr) << "it has several values";
  EXPECT_EQ(submit_field("components"), nullptr);
  for (const char* proven : {"user_name", "uid", "gid", "script_hash"})
    EXPECT_FALSE(submit_field(proven)->can_change) << proven;
  std::vector<std::string_view> names;
  const JobSpec none;
  each_field(none, [&](std::string_view name, const auto&) { names.push_back(name); });
  std::size_t at = 0;
  for (const SubmitField& field : submit_fields()) {
    while (at < names.size() && field.name != names[at]) ++at;
    EXPECT_LT(at, names.size()) << field.name << " is not in the list, or not in its order";
  }
}

TEST(SubmitRule, ASetValueActsLikeARequestedOne) {
  JobSpec spec = sample();
  spec.node_sizes = "2-4";
  const auto set = [&](const std::string& text) {
    const auto setting = parse_submit_setting(text);
    ASSERT_TRUE(setting.ok()) << setting.refusal().fact;
    EXPECT_EQ(set_submit_value(spec, *setting->field, setting->value), std::nullopt);
  };
  for (const char* text : {"nodes=3", "tasks=6", "cpus_per_task=2", "nodelist=a,b",
                           "exclusive=true", "begin=2030-01-01T00:00:00Z", "checkpoint_by=rank0",
                           "nice=-5", "time_limit_s=1:00:00", "comment=a=b"})
    set(text);
  EXPECT_EQ(spec.nodes, 3);
  EXPECT_EQ(spec.node_sizes, "");
  EXPECT_TRUE(spec.tasks_asked);
  EXPECT_TRUE(spec.cpus_per_task_asked);
  EXPECT_EQ(spec.nodelist, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(spec.exclusive);
  EXPECT_NE(spec.begin, Wall{});
  EXPECT_EQ(spec.checkpoint_by, CheckpointBy::Rank0);
  EXPECT_EQ(spec.nice, -5);
  EXPECT_EQ(spec.time_limit_s, 3'600);
  EXPECT_EQ(spec.comment, "a=b");
  for (const char* text : {"user_name=root", "nodes", "nodes=x", "begin=soon", "checkpoint_by=me",
                           "gpu_milli=99999999999", "colour=red"})
    EXPECT_FALSE(parse_submit_setting(text).ok()) << text;
}

TEST(SubmitRule, RulesAreAppliedInOrderToTheChangedSubmission) {
  const auto all = rules(rule("match = [\"time_limit_s>1-00:00:00\"]\nset = [\"qos=long\"]") +
                         "[[submit_rule]]\nname = \"q\"\nmatch = [\"qos=long\"]\n"
                         "require = [\"account\"]\nrefuse = \"Long jobs need an account.\"\n");
  ASSERT_EQ(all.size(), 2u);
  JobSpec spec = sample();
  std::vector<std::string> lines;
  EXPECT_EQ(apply_submit_rules(all, spec, &lines)->fact, "Long jobs need an account.");
  EXPECT_EQ(lines,
            (std::vector<std::string>{"submit_rule r: sets qos: (none) -> long",
                                      "submit_rule q: refuses the job: account does not hold"}));
  spec = sample();
  spec.account = "physics";
  EXPECT_EQ(apply_submit_rules(all, spec, nullptr), std::nullopt);
  EXPECT_EQ(spec.qos, "long");
  spec = sample();
  spec.time_limit_s = 60;
  lines.clear();
  EXPECT_EQ(apply_submit_rules(all, spec, &lines), std::nullopt);
  EXPECT_EQ(spec.qos, "");
  EXPECT_EQ(lines[0], "submit_rule r: does not apply: time_limit_s>1-00:00:00 does not hold");
}

TEST(SubmitRule, ARefusalByARuleWithoutATextNamesTheRuleAndTheCondition) {
  JobSpec spec = sample();
  const auto failure = apply_submit_rules(rules(rule("require = [\"account\"]")), spec, nullptr);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->fact, "submit_rule r of this cluster requires account");
}

TEST(SubmitRule, EachComponentIsCheckedLikeAJob) {
  JobSpec spec = sample();
  spec.components.resize(1);
  spec.components[0].gpus_per_node = 9;
  const auto most = rules(rule("match = [\"gpus_per_node>8\"]\nrefuse = \"Too many GPUs.\""));
  EXPECT_EQ(apply_submit_rules(most, spec, nullptr)->fact, "Too many GPUs.");
  ASSERT_EQ(spec.components.size(), 1u);
  const auto change = rules(
      rule("match = [\"gpus_per_node>8\"]\nset = [\"gpus_per_node=8\", \"comment=fewer GPUs\"]"));
  EXPECT_EQ(apply_submit_rules(change, spec, nullptr), std::nullopt);
  EXPECT_EQ(spec.components[0].gpus_per_node, 8);
  EXPECT_EQ(spec.gpus_per_node, 0);
  EXPECT_EQ(spec.nodes, 4);
  EXPECT_EQ(spec.comment, "fewer GPUs");
}

TEST(SubmitRule, EachMistakeInTheConfigurationIsReported) {
  EXPECT_NE(problem(rule("")).find("a rule without effect"), std::string::npos);
  EXPECT_NE(
      problem(rule("match = [\"partion=gpu\"]\nrefuse = \"no\"")).find("did you mean partition"),
      std::string::npos);
  EXPECT_NE(problem(rule("set = [\"uid=0\"]")).find("cannot be changed"), std::string::npos);
  EXPECT_NE(problem(rule("set = [\"qos=a\"]\nrefuse = \"no\"")).find("refuses all that match"),
            std::string::npos);
  EXPECT_NE(problem(rule("refuse = \"no\"") + rule("refuse = \"no\"")).find("is described twice"),
            std::string::npos);
  EXPECT_NE(problem("[submit_rule]\nname = \"r\"\n").find("[[submit_rule]]"), std::string::npos);
  EXPECT_NE(problem("submit_program = \"judge\"\n").find("submit_program"), std::string::npos);
  EXPECT_NE(problem("submit_program_timeout = \"10s\"\n").find("must be from 100ms to 9s"),
            std::string::npos);
}

}  // namespace
}  // namespace cox
