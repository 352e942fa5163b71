// Tests the brief rows of long job lists (JobSummary), and their conversion to and from views.
#include "common/messages/job_summary_views.h"

#include <gtest/gtest.h>

#include "common/messages/codec.h"
#include "tests/common/filled.h"

namespace cox {
namespace {

// Returns the row as an encoded frame, so that a comparison covers every field.
std::string frame_of(const JobSummary& row) {
  JobList page;
  page.brief = {row};
  Reply reply;
  reply.body = page;
  return encode(reply);
}

JobSummary a_row() {
  return test::filled<JobSummary>();
}

}  // namespace

// Every field of the row is set, so a field that the view loses is found.
TEST(JobSummary, ARowIsTheSameAfterItsConversionToAView) {
  JobSummary row = a_row();
  for (JobSize& one : row.components) {
    one.nodelist.clear();
    one.exclude.clear();
  }
  EXPECT_EQ(frame_of(summary_of(views_of({row}).front())), frame_of(row));
}

TEST(JobSummary, NodeListsOfComponentsAreLeftOut) {
  JobView view;
  JobSpec& spec = view.job.spec.change();
  spec.components.resize(2);
  spec.components[1].nodelist = {"n1"};
  spec.components[1].exclude = {"n2"};
  spec.components[1].constraint = "fast";
  const JobSummary row = summary_of(view);
  ASSERT_EQ(row.components.size(), 2U);
  EXPECT_TRUE(row.components[1].nodelist.empty());
  EXPECT_TRUE(row.components[1].exclude.empty());
  EXPECT_EQ(row.components[1].constraint, "fast");
}

TEST(JobSummary, NeighbouringRowsShareTheirSpecifications) {
  JobSummary other = a_row();
  other.account = "another";
  const std::vector<JobView> views = views_of({a_row(), a_row(), other, a_row()});
  const auto spec = [&](std::size_t i) { return &*views[i].job.spec; };
  EXPECT_EQ(spec(0), spec(1));
  EXPECT_NE(spec(1), spec(2));
  EXPECT_EQ(spec(2)->account, "another");
  EXPECT_EQ(spec(3)->account, spec(0)->account);
}

}  // namespace cox
