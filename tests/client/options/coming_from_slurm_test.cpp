// Tests that docs/coming-from-slurm.md lists every option, in the section that states its effect.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "client/options/submit_option_table.h"
#include "common/base/text.h"

namespace cox {
namespace {

std::string page() {
  std::ifstream file("docs/coming-from-slurm.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns the text from the first marker up to the second.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  const std::size_t end = text.find(to, begin);
  EXPECT_NE(begin, text.npos) << from;
  EXPECT_NE(end, text.npos) << to;
  return text.substr(begin, end - begin);
}

std::string shown(std::string_view name, char letter) {
  std::string text = "`--" + std::string(name) + "`";
  if (letter != 0) text += " `-" + std::string(1, letter) + "`";
  return text;
}

TEST(ComingFromSlurm, the_page_lists_every_option_of_jobs_in_its_section) {
  const std::string jobs = between(page(), "### sbatch and salloc", "### srun");
  const std::string honoured = between(jobs, "Honoured, with", "Stored with the job");
  const std::string stored = between(jobs, "Stored with the job", "Taken with a warning");
  const std::string ignored = between(jobs, "Taken with a warning", "Refused");
  const std::string refused = jobs.substr(jobs.find("Refused"));
  for (const SubmitOption& option : submit_option_table())
    EXPECT_NE(honoured.find(shown(option.name, option.letter)), jobs.npos) << option.name;
  for (const SubmitOption& option : resource_option_table())
    EXPECT_NE(honoured.find(shown(option.name, option.letter)), jobs.npos) << option.name;
  for (const SubmitOption& option : container_option_table())
    EXPECT_NE(honoured.find(shown(option.name, option.letter)), jobs.npos) << option.name;
  for (const SubmitOption& option : stored_option_table())
    EXPECT_NE(stored.find(shown(option.name, option.letter)), jobs.npos) << option.name;
  for (const SubmitOption& option : ignored_option_table())
    EXPECT_NE(ignored.find(shown(option.name, option.letter)), jobs.npos) << option.name;
  for (const UnsupportedOption& option : unsupported_option_table())
    EXPECT_NE(refused.find(shown(option.name, option.letter) + " | " + std::string(option.instead)),
              jobs.npos)
        << option.name;
}

TEST(ComingFromSlurm, the_page_lists_every_option_of_steps_and_every_variable) {
  const std::string steps = between(page(), "### srun", "## Environment variables");
  for (const auto table :
       {step_option_table(), step_company_option_table(), container_step_option_table()})
    for (const SubmitOption& option : table)
      EXPECT_NE(steps.find(shown(option.name, option.letter)), steps.npos) << option.name;
  for (const UnsupportedOption& option : unsupported_step_option_table())
    EXPECT_NE(steps.find(shown(option.name, option.letter) + " | " + std::string(option.instead)),
              steps.npos)
        << option.name;
  const std::string text = page();
  const std::string variables = text.substr(text.find("## Environment variables"));
  for (const auto table : {submit_option_table(), resource_option_table(), container_option_table(),
                           container_step_option_table(), stored_option_table(),
                           step_option_table(), step_company_option_table()})
    for (const SubmitOption& option : table)
      for (const std::string_view name : split(option.variable, ' ')) {
        EXPECT_NE(variables.find(std::string(name)), text.npos) << name;
      }
}

}  // namespace
}  // namespace cox
