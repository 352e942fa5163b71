// Tests the components of a heterogeneous job, each shown in a row of its own.
#include "client/submit/components.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

JobSpec unlike() {
  JobSpec spec;
  spec.form = JobForm::Batch;
  spec.nodes = 1;
  spec.tasks = 2;
  spec.partition = "main";
  JobSize size;
  size.nodes = 2;
  size.tasks = 2;
  size.cpus_per_task = 4;
  size.partition = "gpu";
  spec.components = {size};
  return spec;
}

TEST(Components, HaveTheirNodesInRankOrder) {
  JobView view;
  view.job.id = JobId{17};
  view.job.spec = unlike();
  view.nodes = {"n4", "n1", "n2"};
  view.partition = "main";
  const auto views = component_views(view);
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[0].nodes, std::vector<std::string>{"n4"});
  EXPECT_EQ(views[1].nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(views[1].partition, "gpu");
  EXPECT_EQ(views[1].cpus, 8);
  view.nodes.clear();
  EXPECT_TRUE(component_views(view)[1].nodes.empty()) << "a pending component has no nodes";
}

TEST(Components, EachStepOfARecordIsShownOnce) {
  JobRecord record;
  record.job.id = JobId{17};
  record.job.spec = unlike();
  record.run.nodelist = "n4,n[1-2]";
  record.run.usage.user_cpu_ms = 500;
  for (const std::int64_t component : {0, 1, -1}) {  // -1: the step runs on all components
    Step& step = record.steps.emplace_back();
    step.key.number = static_cast<std::int32_t>(record.steps.size()) - 1;
    step.spec.component = component;
  }
  const auto records = component_records({record});
  ASSERT_EQ(records.size(), 2u);
  ASSERT_EQ(records[0].steps.size(), 2u);
  EXPECT_EQ(records[0].steps[1].key.number, 2);
  ASSERT_EQ(records[1].steps.size(), 1u);
  EXPECT_EQ(records[1].run.nodelist, "n[1-2]");
  EXPECT_EQ(records[0].run.usage.user_cpu_ms, 500);
  EXPECT_EQ(records[1].run.usage.user_cpu_ms, 0) << "the script belongs to the first component";
}

}  // namespace
}  // namespace cox
