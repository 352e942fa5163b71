// Tests options that are given with an empty value.
#include <gtest/gtest.h>

#include "client/submit/submit.h"

namespace cox {
namespace {

JobSpec asked_by(const std::vector<std::string>& words) {
  std::vector<std::string> all = words;
  all.push_back("job.sh");
  const auto command = parse_submit(all, true);
  EXPECT_TRUE(command.ok()) << (command.ok() ? "" : command.refusal().fact);
  const auto plan = build_submit(*command, "#!/bin/sh\n", {{}, "/home/ann", "login1", {}});
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.refusal().fact);
  return plan.ok() ? plan->request.spec : JobSpec{};
}

// Scripts write --dependency=$PREVIOUS --account=$ACCOUNT.
TEST(EmptyValues, take_back_what_was_given_before) {
  const JobSpec plain = asked_by({});
  for (const std::vector<std::string>& given :
       std::vector<std::vector<std::string>>{{"--dependency=12", "--dependency="},
                                             {"-d", "12", "-d", "0"},
                                             {"--partition=a", "--partition="},
                                             {"--account=a", "-A", ""},
                                             {"--qos=critical", "--qos="},
                                             {"--constraint=a&b", "--constraint="},
                                             {"--prefer=a", "--prefer="},
                                             {"--nodelist=n1", "--nodelist="},
                                             {"--exclude=n1", "-x", ""},
                                             {"--licenses=matlab:2", "--licenses="},
                                             {"--gres=gpu:2", "--gres="}})
    EXPECT_EQ(asked_by(given), plain) << given.front();
}

}  // namespace
}  // namespace cox
