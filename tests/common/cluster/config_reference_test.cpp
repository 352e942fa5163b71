// Tests etc/coxswain.toml, the example that lists all settings: every key that is commented out is
// valid as shown, and setting it to its shown default changes nothing.
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

// Returns the lines of etc/coxswain.toml. Leaves out tables whose header is commented out, since
// they only show examples.
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

// Returns whether the comment lines above line `at` contain the word "default".
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

TEST(ConfigReference, setting_a_key_to_its_shown_default_changes_nothing) {
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

TEST(ConfigReference, all_keys_are_valid_as_shown) {
  auto lines = lines_of_file();
  for (auto& line : lines) {
    if (std::regex_match(line, commented_key)) take(line);
  }
  const auto taken = check_config(joined(lines), path);
  EXPECT_TRUE(taken.problems.empty()) << taken.problems.front().fact;
  EXPECT_TRUE(std::all_of(taken.values.begin(), taken.values.end(),
                          [](const ConfigValue& value) { return value.given; }));
}

TEST(ConfigReference, all_problems_are_reported_in_the_order_of_the_file) {
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

TEST(ConfigReference, the_first_partition_is_the_default_unless_another_is_marked) {
  const auto check =
      check_config("[[partition]]\nname = \"a\"\n[[partition]]\nname = \"b\"\n", "x");
  std::vector<std::string> said;
  for (const auto& value : check.values) {
    if (value.key == "is_default") said.push_back(value.value.front());
  }
  EXPECT_EQ(said, (std::vector<std::string>{"true", "false"}));
}

TEST(ConfigReference, each_program_has_its_own_log_settings) {
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
