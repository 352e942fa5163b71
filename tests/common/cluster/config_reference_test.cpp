// etc/coxswain.toml shows what it says it shows: every key that is commented out can be taken as it
// stands, and where that is the default, it changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include "common/io/config/config_file.h"

namespace cox {
namespace {

const std::string path = "etc/coxswain.toml";
const std::regex commented_key("# ([a-z_]+ = .+)");

// Less the tables that are commented out as a whole: they are examples of what may be added.
std::vector<std::string> lines_of_file() {
  const auto text = read_config_text(path);
  EXPECT_TRUE(text.ok());
  std::vector<std::string> lines;
  std::istringstream stream(*text);
  bool is_example = false;
  for (std::string line; std::getline(stream, line);) {
    if (std::regex_match(line, std::regex("(# )?\\[\\[?[a-z_]+\\]\\]?")))
      is_example = line[0] == '#';
    if (!is_example) lines.push_back(line);
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

void take(std::string& line) {
  line = std::regex_replace(line, commented_key, "$1");
}

// The words before a key, up to the empty line: whether they speak of its default themselves.
bool says_default(const std::vector<std::string>& lines, std::size_t at) {
  std::string words;
  while (at > 0 && !lines[at - 1].empty()) words = lines[--at] + " " + words;
  return std::regex_search(words, std::regex("[Dd]efaults?\\b"));
}

std::string shown(const std::vector<ConfigValue>& values) {
  std::string text;
  for (const auto& value : values) {
    text += value.table + " " + value.key + " =";
    for (const auto& word : value.value) text += " " + word;
    text += "\n";
  }
  return text;
}

TEST(ConfigReference, a_default_that_is_taken_changes_nothing) {
  const auto lines = lines_of_file();
  const auto as_it_is = check_config(joined(lines), path);
  ASSERT_TRUE(as_it_is.problems.empty()) << as_it_is.problems.front().fact;
  int defaults = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!std::regex_match(lines[i], commented_key) || says_default(lines, i)) continue;
    auto changed = lines;
    take(changed[i]);
    const auto taken = check_config(joined(changed), path);
    EXPECT_TRUE(taken.problems.empty()) << lines[i];
    EXPECT_EQ(shown(taken.values), shown(as_it_is.values)) << lines[i];
    ++defaults;
  }
  EXPECT_GT(defaults, 15);
}

TEST(ConfigReference, all_keys_can_be_taken_as_they_stand) {
  auto lines = lines_of_file();
  for (auto& line : lines) {
    if (std::regex_match(line, commented_key)) take(line);
  }
  const auto taken = check_config(joined(lines), path);
  EXPECT_TRUE(taken.problems.empty()) << taken.problems.front().fact;
  EXPECT_TRUE(std::all_of(taken.values.begin(), taken.values.end(),
                          [](const ConfigValue& value) { return value.given; }));
}

TEST(ConfigReference, all_problems_are_told_in_the_files_order) {
  const auto check = check_config(
      "[controller]\ndatabase = 7\nheartbet = \"1s\"\n[client]\ncontroler = \"x\"\n"
      "[[partition]]\nname = \"a\"\nnodes = \"n[\"\n",
      "x.toml");
  ASSERT_EQ(check.problems.size(), 4u);
  EXPECT_EQ(check.problems[0].fact,
            "x.toml:2: database in [controller] is an integer; it must be text in quotes");
  EXPECT_EQ(check.problems[1].fact,
            "x.toml:3: unknown key 'heartbet' in [controller]; did you mean 'heartbeat'?");
  EXPECT_EQ(check.problems[2].fact,
            "x.toml:5: unknown key 'controler' in [client]; did you mean 'controller'?");
  EXPECT_TRUE(check.problems[3].fact.starts_with("x.toml:8: nodes in [[partition]]"));
}

TEST(ConfigReference, the_first_partition_is_the_default_one_if_none_says_so) {
  const auto check =
      check_config("[[partition]]\nname = \"a\"\n[[partition]]\nname = \"b\"\n", "x");
  std::vector<std::string> said;
  for (const auto& value : check.values) {
    if (value.key == "is_default") said.push_back(value.value.front());
  }
  EXPECT_EQ(said, (std::vector<std::string>{"true", "false"}));
}

TEST(ConfigReference, log_settings_are_the_programs_own) {
  const auto check = check_config(
      "[worker]\ncontroller = \"ipc:///c\"\nspool_dir = \"/s\"\n"
      "checkpoint_root = \"/k\"\nlog_level = \"debug\"\nlog_format = \"json\"\n",
      "x");
  ASSERT_TRUE(check.problems.empty());
  EXPECT_EQ(check.config.worker_log, (LogSettings{LogLevel::Debug, LogFormat::Json}));
  EXPECT_EQ(check.config.controller_log, LogSettings{});
  const auto bad =
      check_config("[client]\ncontroller = \"ipc:///c\"\nlog_level = \"debug\"\n", "x");
  EXPECT_EQ(bad.problems.size(), 1u);
  const auto word = check_config("[controller]\nlog_level = \"loud\"\n", "x");
  ASSERT_EQ(word.problems.size(), 1u);
  EXPECT_EQ(word.problems.front().fact,
            "x:2: log_level in [controller] is \"loud\"; it must be one of \"debug\", \"info\", "
            "\"warning\", \"error\"");
}

}  // namespace
}  // namespace cox
