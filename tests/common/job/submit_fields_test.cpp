// Tests the fields of a submission that submit rules and submit programs use: how each is read, set
// and shown.
#include "common/job/submit_fields.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace cox {
namespace {

// Sets the field to the text. Returns its value as a rule would show it, or the refusal.
std::string shown_after(JobSpec& spec, const std::string& name, const std::string& text) {
  const SubmitField& field = *submit_field(name);
  const auto value = parse_submit_value(field, text);
  if (!value) return value.refusal().fact;
  if (const Failure failure = set_submit_value(spec, field, *value)) return failure->fact;
  return submit_value_text(submit_value(spec, field));
}

std::string shown_after(const std::string& name, const std::string& text) {
  JobSpec spec;
  return shown_after(spec, name, text);
}

// Returns the refusal of a value that a site's submit program returned for this field; the value
// may have any JSON type.
std::string fact_of(const std::string& name, const SubmitValue& value) {
  JobSpec spec;
  const Failure failure = set_submit_value(spec, *submit_field(name), value);
  return failure ? failure->fact : "";
}

bool asks(const SubmitValue& value) {
  return is_requested(value);
}

}  // namespace

TEST(SubmitFields, AreParsedAndShown) {
  const std::vector<std::pair<std::pair<std::string, std::string>, std::string>> table = {
      {{"name", "train"}, "train"},
      {{"name", ""}, "(none)"},
      {{"nodes", "4"}, "4"},
      {{"nodes", "x"}, "nodes must be a number; it is \"x\""},
      {{"nodes", "1-2"}, "nodes must be a number; it is \"1-2\""},
      {{"nodes", "0:05"}, "nodes must be a number; it is \"0:05\""},
      {{"nice", "-5"}, "-5"},
      {{"nice", "--5"}, "nice must be a number; it is \"--5\""},
      {{"time_limit_s", "90"}, "90"},
      {{"time_limit_s", "1-00:00:00"}, "86400"},
      {{"time_limit_s", "0:05"}, "5"},
      {{"hold", "true"}, "true"},
      {{"hold", "false"}, "false"},
      {{"hold", "yes"}, "hold must be true or false; it is \"yes\""},
      {{"requeue", "true"}, "true"},
      {{"nodelist", "n2,n1"}, "n2,n1"},
      {{"nodelist", ""}, "(none)"},
      {{"begin", "2030-01-01T00:00:00Z"}, "2030-01-01T00:00:00Z"},
      {{"begin", ""}, "(none)"},
      {{"begin", "soon"}, "begin must be a moment such as \"2026-12-24T18:00:00Z\", or empty"},
      {{"checkpoint_by", "rank0"}, "rank0"},
      {{"checkpoint_by", "all_ranks"}, "all_ranks"},
      {{"checkpoint_by", "none"}, "checkpoint_by must be \"all_ranks\" or \"rank0\""},
      {{"gpu_milli", "2147483648"}, "gpu_milli must be a smaller number"},
      {{"gpu_milli", "2147483647"}, "2147483647"},
      {{"user_name", "root"}, "user_name of a submission cannot be changed"},
  };
  for (const auto& [set, shown] : table)
    EXPECT_EQ(shown_after(set.first, set.second), shown) << set.first << "=" << set.second;
}

TEST(SubmitFields, AcceptOnlyValuesOfTheirType) {
  EXPECT_EQ(fact_of("name", std::int64_t{1}), "name must be text");
  EXPECT_EQ(fact_of("nodes", std::string("4")), "nodes must be a number");
  EXPECT_EQ(fact_of("hold", std::int64_t{1}), "hold must be true or false");
  EXPECT_EQ(fact_of("nodelist", std::string("n1")), "nodelist must be a list of texts");
  EXPECT_EQ(fact_of("begin", true), "begin must be a moment, as text");
  EXPECT_EQ(fact_of("nodes", std::int64_t{4}), "");
}

// When a rule sets a field, fields that depend on it get the values that sbatch would have sent
// with the new value.
TEST(SubmitFields, SettingAFieldUpdatesDependentFields) {
  JobSpec spec;
  spec.node_sizes = "2-4";
  spec.tasks_asked = false;
  spec.stored_options = {"gpus-per-node=4", "x"};
  shown_after(spec, "tasks", "0");
  shown_after(spec, "name", "a");
  EXPECT_FALSE(spec.tasks_asked) << "0 tasks means one per node";
  EXPECT_FALSE(spec.cpus_per_task_asked);
  EXPECT_EQ(spec.node_sizes, "2-4");
  EXPECT_EQ(spec.stored_options.size(), 2U);
  shown_after(spec, "tasks", "1");
  EXPECT_TRUE(spec.tasks_asked);
  shown_after(spec, "cpus_per_task", "1");
  EXPECT_TRUE(spec.cpus_per_task_asked);
  shown_after(spec, "gpus_per_node", "2");
  EXPECT_EQ(spec.stored_options, std::vector<std::string>{"x"});
  shown_after(spec, "nodes", "3");
  EXPECT_EQ(spec.node_sizes, "");
}

TEST(SubmitFields, CountAsRequestedIfTheyAreNotEmptyFalseOr0) {
  EXPECT_TRUE(asks(true));
  EXPECT_FALSE(asks(false));
  EXPECT_TRUE(asks(std::int64_t{-1}));
  EXPECT_FALSE(asks(std::int64_t{0}));
  EXPECT_TRUE(asks(std::string("a")));
  EXPECT_FALSE(asks(std::string()));
  EXPECT_TRUE(asks(std::vector<std::string>{"a"}));
  EXPECT_FALSE(asks(std::vector<std::string>{}));
}

}  // namespace cox
