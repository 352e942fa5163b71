#include "common/syntax/dependency.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.h"
#include "tests/common/refusal.h"

namespace cox {
namespace {

using enum DependencyKind;

TEST(Dependencies, AreParsedInSlurmsForm) {
  const std::vector<std::pair<std::string, DependencyWish>> table = {
      {"afterok:12", {{{AfterOk, JobId{12}, 0, false}}, false}},
      {"afterany:12,afterany:13", {{{AfterAny, JobId{12}}, {AfterAny, JobId{13}}}, false}},
      {"afternotok:12?afterok:7", {{{AfterNotOk, JobId{12}}, {AfterOk, JobId{7}}}, true}},
      {"after:12+5,singleton", {{{After, JobId{12}, 300, false}, {Singleton, {}}}, false}},
  };
  for (const auto& [text, wish] : table) {
    const auto parsed = parse_dependency(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.refusal().fact;
    EXPECT_EQ(parsed->terms, wish.terms) << text;
    EXPECT_EQ(parsed->any, wish.any) << text;
    EXPECT_EQ(format_dependency(*parsed), text);
  }
}

TEST(Dependencies, AreFormattedInOneNormalForm) {
  for (const auto& [text, form] : std::vector<std::pair<std::string, std::string>>{
           {"afterok:12:13:12", "afterok:12,afterok:13"},
           {"AfterOK:12", "afterok:12"},
           {"AFTERCORR:12", "aftercorr:12"},
           {"afterok:12_3:12:12_3", "afterok:12_3,afterok:12"},
           {"after:12_0+5", "after:12_0+5"},
           {"after:12+0", "after:12"},
           {"12", "afterany:12"},
           {"12,13_2", "afterany:12,afterany:13_2"},
           {"afterok:12,13", "afterok:12,afterany:13"},
           {"afterok:17_[1,3-4]", "afterok:17_1,afterok:17_3,afterok:17_4"},
           {"afterok:17_[1,3]?12", "afterok:17_1?afterok:17_3?afterany:12"},
           {"afterany:17_*", "afterany:17"},
           {"aftercorr:17_*", "aftercorr:17"}})
    EXPECT_EQ(format_dependency(*parse_dependency(text)), form);
}

TEST(Dependencies, InvalidDependenciesAreRefused) {
  std::string many = "afterok";
  for (std::size_t i = 0; i <= limits::dependencies_per_job_max; ++i)
    many += ":" + std::to_string(i + 1);
  expect_refusals({{"", "\"\" is not a type of dependency"},
                   {"1:2", "\"1\" is not a type of dependency"},
                   {"12,", "\"\" is not a type of dependency"},
                   {"afterok", "\"afterok\" names no job"},
                   {"afterok:", "\"\" is not the id of a job"},
                   {"afterok:SELF", "\"SELF\" is not the id of a job"},
                   {"afterok:0", "\"0\" is not the id of a job"},
                   {"afterok:-3", "\"-3\" is not the id of a job"},
                   {"afterok:99999999999999999999", "is not the id of a job"},
                   {"afterok:1+5", "has a delay, which only after: accepts"},
                   {"after:1+x", "the minutes of \"1+x\""},
                   {"after:1+999999999", "the minutes of"},
                   {"singleton:12", "singleton takes none"},
                   {"afterok:12_x", "the task of \"12_x\""},
                   {"afterok:12_[x]", "is not"},
                   {"afterok:12_[0-10000]", "names more than 10000 jobs, the limit"},
                   {"aftercorr:12_[1,3]", "aftercorr needs a whole array"},
                   {"aftercorr:12_3", "names one task, but aftercorr needs a whole array"},
                   {"afterok:1,afterany:2?afterok:3", "has both ',' (all of them) and '?'"},
                   {"after:1+5?afterok:2", "has a delay together with '?'"},
                   {"afterok:7,afternotok:7", "can never both be met"},
                   {"expand:12", "\"expand\" is not a type of dependency"},
                   {many, "names more than 10000 jobs, the limit"}},
                  parse_dependency);
}

TEST(Dependencies, AreAcceptedUpToTheirLimits) {
  const auto form_of = [](const std::string& text) {
    const auto parsed = parse_dependency(text);
    return parsed ? format_dependency(*parsed) : parsed.refusal().fact;
  };
  std::string most = "afterok";
  for (std::size_t i = 1; i <= limits::dependencies_per_job_max; ++i)
    most += ":" + std::to_string(i);
  EXPECT_EQ(parse_dependency(most)->terms.size(), limits::dependencies_per_job_max);
  EXPECT_EQ(parse_dependency(most + ":1:2")->terms.size(), limits::dependencies_per_job_max)
      << "each job counts once";
  const std::string task = "afterok:1_" + std::to_string(limits::array_task_id_max);
  EXPECT_EQ(form_of(task), task);
  EXPECT_NE(form_of("afterok:1_" + std::to_string(limits::array_task_id_max + 1)).find("the task"),
            std::string::npos);
  const std::string late = "after:1+" + std::to_string(limits::time_limit_s_max / 60);
  EXPECT_EQ(form_of(late), late);
  EXPECT_NE(form_of("after:1+" + std::to_string(limits::time_limit_s_max / 60 + 1)).find("minutes"),
            std::string::npos);
}

TEST(Dependencies, AfterokAndAfternotokContradictEachOtherOnlyForTheSameJobOrTask) {
  for (const std::string text :
       {"afterok:7,afternotok:8", "afterok:7_1,afternotok:7_2", "afterok:7,afternotok:7_1",
        "afterok:7,afterany:7", "afternotok:7,afterany:7", "afterok:7?afternotok:7"})
    EXPECT_EQ(format_dependency(*parse_dependency(text)), text);
  const auto both = parse_dependency("afternotok:7_1,afterok:7_1");
  EXPECT_EQ(both.refusal().fact, "afterok:7_1 and afternotok:7_1 can never both be met");
  EXPECT_EQ(both.refusal().hint, "write afterany:7_1, or '?' between them (any of them)");
}

TEST(Dependencies, AMisspeltKindIsRefusedWithTheNearest) {
  EXPECT_EQ(parse_dependency("aftrok:1").refusal().hint, "did you mean afterok?");
  EXPECT_EQ(parse_dependency("aftercorr:12_3+\x1b[31m").refusal().hint, "write afterok:12_3");
  EXPECT_EQ(parse_dependency("x:1").refusal().hint,
            "possible: after, afterany, afterok, afternotok, singleton, aftercorr");
}

}  // namespace
}  // namespace cox
