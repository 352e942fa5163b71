#include "common/syntax/mail_types.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

std::string types(std::string_view text) {
  const auto parsed = parse_mail_types(text);
  return parsed ? *parsed : "refused: " + parsed.refusal().fact + "; " + parsed.refusal().hint;
}

// Slurm 22.05 showed the types in this order.
TEST(MailTypes, AreListedInTheOrderOfSlurm) {
  EXPECT_EQ(types("ALL"), "INVALID_DEPEND,BEGIN,END,FAIL,REQUEUE,STAGE_OUT");
  EXPECT_EQ(types("ALL,TIME_LIMIT"), "INVALID_DEPEND,BEGIN,END,FAIL,REQUEUE,STAGE_OUT,TIME_LIMIT");
  EXPECT_EQ(types("begin,time_limit_80"), "BEGIN,TIME_LIMIT_80");
  EXPECT_EQ(types("END,ARRAY_TASKS"), "ARRAY_TASKS,END");
  EXPECT_EQ(types("TIME_LIMIT,TIME_LIMIT_50,FAIL"), "FAIL,TIME_LIMIT_50,TIME_LIMIT");
  EXPECT_EQ(types("NONE,END"), "");
  EXPECT_EQ(types("END,none"), "");
}

TEST(MailTypes, UnknownTypesAreRefused) {
  EXPECT_EQ(types("ENDE"), "refused: \"ENDE\" is not a mail type; did you mean END?");
  EXPECT_TRUE(types("").starts_with("refused: "));
}

}  // namespace
}  // namespace cox
