#include "common/resources/licence.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.h"
#include "tests/common/refusal.h"

namespace cox {
namespace {

TEST(Licences, AreParsedWithTheirCounts) {
  const std::vector<std::pair<std::string, std::vector<LicenceCount>>> table = {
      {"matlab:1", {{"matlab", 1}}},
      {"matlab:2,ansys:1", {{"matlab", 2}, {"ansys", 1}}},
      {"fluent@db.example:1000000", {{"fluent@db.example", 1'000'000}}},
  };
  for (const auto& [text, licences] : table) {
    const auto parsed = parse_licences(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.refusal().fact;
    EXPECT_EQ(*parsed, licences) << text;
    EXPECT_EQ(format_licences(*parsed), text);
  }
  EXPECT_EQ(format_licences(*parse_licences("matlab:2,ansys")), "matlab:2,ansys:1");
  EXPECT_EQ(format_licences({}), "");
}

TEST(Licences, InvalidLicencesAreRefused) {
  std::string many = "l0";
  for (std::size_t i = 1; i <= limits::licences_per_job_max; ++i) many += ",l" + std::to_string(i);
  expect_refusals({{"", "\"\" is not the name of a licence"},
                   {"a,,b", "\"\" is not the name of a licence"},
                   {"a b", "is not the name of a licence"},
                   {"a@", "is not the name of a licence"},
                   {"a@b@c", "is not the name of a licence"},
                   {"a:0", "the licences of a: \"0\" is not a whole number from 1 to 1000000"},
                   {"a:", "the licences of a"},
                   {"a:1000001", "the licences of a"},
                   {"a:1:2", "the licences of a"},
                   {"a:1|b:1", "offers a choice"},
                   {"a,b,a:2", "names the licence a twice"},
                   {many, "17 licences, and a job may have 16"}},
                  parse_licences);
}

}  // namespace
}  // namespace cox
