#include "controller/job/terms_pool.h"

#include <gtest/gtest.h>

#include "controller/job/spec_pool.h"

namespace cox {
namespace {

JobSpec named(const std::string& name, const std::string& partition) {
  JobSpec spec;
  spec.name = name;
  spec.partition = partition;
  return spec;
}

TEST(TermsPool, JobsThatDifferOnlyInTheirNamesShareTheirParsedTerms) {
  TermsPool pool;
  const ParsedSpec one = pool.parsed(named("one", "gpu"));
  const ParsedSpec two = pool.parsed(named("two", "gpu"));
  const ParsedSpec other = pool.parsed(named("one", "cpu"));
  EXPECT_EQ(one.terms->partitions, std::vector<std::string>{"gpu"});
  EXPECT_TRUE(one.terms.is(two.terms));
  EXPECT_FALSE(one.terms.is(other.terms));
}

TEST(TermsPool, EqualTextsOfDifferentOptionsAreKeptApart) {
  TermsPool pool;
  JobSpec constrained, preferring;
  constrained.constraint = "fast";
  preferring.prefer = "fast";
  EXPECT_FALSE(pool.parsed(constrained).terms->constraint.alternatives.empty());
  EXPECT_TRUE(pool.parsed(preferring).terms->constraint.alternatives.empty());
}

TEST(SpecPool, DifferentSpecificationsShareEqualTerms) {
  SpecPool pool;
  const Shared<ParsedSpec> one = pool.shared_with_terms(ParsedSpec(named("one", "gpu")));
  const Shared<ParsedSpec> two = pool.shared_with_terms(ParsedSpec(named("two", "gpu")));
  const Shared<ParsedSpec> again = pool.shared_with_terms(ParsedSpec(named("one", "gpu")));
  EXPECT_FALSE(one.is(two));
  EXPECT_TRUE(one.is(again));
  EXPECT_TRUE(one->terms.is(two->terms));
}

}  // namespace
}  // namespace cox
