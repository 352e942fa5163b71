#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "common/job/job.h"

namespace cox {
namespace {

JobSpec all_texts() {
  JobSpec spec;
  spec.partition = "gpu,debug,gpu";
  spec.constraint = "fast&!old";
  spec.prefer = "new";
  spec.gres = "fpga:2,nic";
  spec.gpu_type = "h200|h100:0.8";
  spec.gpu_choice = "speed";
  spec.array = "0-9:3%2";
  spec.dependency = "afterok:12?singleton";
  spec.licences = "matlab:2,ansys";
  spec.node_sizes = "2-4";
  spec.switches = "1@60";
  spec.topology = "required:leaf";
  spec.components.resize(1);
  spec.components[0].partition = "cpu";
  spec.components[0].gres = "nic:3";
  return spec;
}

TEST(JobTerms, AreWhatTheParserOfEachTextReturns) {
  const JobSpec spec = all_texts();
  const JobTerms terms = parse_terms(spec);
  EXPECT_EQ(terms.partitions, (std::vector<std::string>{"gpu", "debug"}));
  EXPECT_EQ(terms.constraint, *parse_constraint(spec.constraint));
  EXPECT_EQ(terms.prefer, *parse_constraint(spec.prefer));
  EXPECT_EQ(terms.gres, *parse_gres(spec.gres));
  EXPECT_EQ(terms.gpu_types, *parse_gpu_types(spec.gpu_type));
  EXPECT_EQ(terms.gpu_choice, Preference::Speed);
  EXPECT_EQ(terms.array, *parse_array(spec.array));
  EXPECT_EQ(terms.dependency.terms, parse_dependency(spec.dependency)->terms);
  EXPECT_TRUE(terms.dependency.any);
  EXPECT_EQ(terms.licences, *parse_licences(spec.licences));
  EXPECT_EQ(terms.node_range, *parse_node_range(spec.node_sizes));
  EXPECT_EQ(terms.switches, *parse_switches(spec.switches));
  EXPECT_EQ(terms.topology, *parse_topology_wish(spec.topology));
  ASSERT_EQ(terms.components.size(), 1u);
  EXPECT_EQ(terms.components[0].partitions, std::vector<std::string>{"cpu"});
  EXPECT_EQ(terms.components[0].gres, *parse_gres("nic:3"));
  EXPECT_TRUE(terms.unreadable.empty());
}

TEST(JobTerms, AreOneSharedObjectForJobsWithoutTexts) {
  JobSpec named;
  named.name = "train";
  const ParsedSpec none;
  EXPECT_TRUE(ParsedSpec(JobSpec{}).terms.is(none.terms));
  EXPECT_TRUE(ParsedSpec(named).terms.is(none.terms));
  EXPECT_FALSE(none.terms->node_range);
  EXPECT_TRUE(none.terms->array.tasks.empty());
  EXPECT_EQ(tasks_asked(none.terms->array), 1);
}

TEST(JobTerms, AnInvalidTextHasNoEffectAndIsRefusedWithItsOption) {
  JobSpec spec = all_texts();
  spec.gres = "fpga:2,,";
  spec.array = "9-0";
  spec.dependency = "afterok:12?later:13";
  spec.node_sizes = std::string(limits::wish_bytes_max + 1, '1');
  spec.components[0].gpu_type = "h100:";
  const JobTerms terms = parse_terms(spec);
  EXPECT_TRUE(terms.gres.others.empty());
  EXPECT_TRUE(terms.array.tasks.empty());
  EXPECT_TRUE(terms.dependency.terms.empty());
  EXPECT_TRUE(terms.dependency.any) << "the text has a ?";
  EXPECT_FALSE(terms.node_range);
  EXPECT_EQ(terms.unreadable.size(), 4u);
  EXPECT_EQ(unreadable(terms, "--gres")->fact, "--gres: " + parse_gres(spec.gres).refusal().fact);
  EXPECT_EQ(unreadable(terms, "--array")->hint, parse_array(spec.array).refusal().hint);
  EXPECT_EQ(unreadable(terms, "--nodes")->fact, "--nodes has 4097 bytes; the limit is 4096");
  EXPECT_FALSE(unreadable(terms, "--gpu-type")) << "that of the first component is valid";
  EXPECT_TRUE(unreadable(terms.components[0], "--gpu-type"));
}

TEST(JobTerms, OfAComponentIncludeThoseOfTheWholeJob) {
  const ParsedSpec spec(all_texts());
  const ParsedSpec first = component_spec(spec, 0);
  const ParsedSpec second = component_spec(spec, 1);
  EXPECT_EQ(first.terms->partitions, spec.terms->partitions);
  EXPECT_EQ(second.terms->partitions, std::vector<std::string>{"cpu"});
  EXPECT_EQ(second.terms->gres, *parse_gres("nic:3"));
  EXPECT_EQ(second.terms->licences, spec.terms->licences);
  EXPECT_TRUE(first.terms->components.empty());
  EXPECT_TRUE(second.terms->components.empty());
}

TEST(JobTerms, FollowAChangeOfTheirText) {
  ParsedSpec spec(all_texts());
  set_partitions(spec, {"cpu", "gpu"});
  drop_licences(spec);
  EXPECT_EQ(spec.partition, "cpu,gpu");
  EXPECT_EQ(spec.terms->partitions, (std::vector<std::string>{"cpu", "gpu"}));
  EXPECT_EQ(spec.licences, "");
  EXPECT_TRUE(spec.terms->licences.empty());
  spec.gres = "";
  spec.parse();
  EXPECT_TRUE(spec.terms->gres.others.empty());
}

}  // namespace
}  // namespace cox
