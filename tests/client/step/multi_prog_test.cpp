// Tests the file of srun --multi-prog, which assigns commands to tasks.
#include "client/step/multi_prog.h"

#include <gtest/gtest.h>

#include <string>

#include "common/base/limits.h"

namespace cox {
namespace {

// Returns the ranks and the words of each command, such as "0,2 a|b; 1 c", or the refusal.
std::string programs_text(const std::string& text, std::int64_t tasks) {
  const auto lines = parse_multi_prog(text);
  if (!lines) return lines.refusal().fact + "; " + lines.refusal().hint;
  const auto commands = commands_of(*lines, tasks, "roles.conf");
  if (!commands) return commands.refusal().fact + "; " + commands.refusal().hint;
  std::string out;
  for (const TaskCommand& command : *commands) {
    if (!out.empty()) out += "; ";
    for (const std::int32_t rank : command.ranks)
      out += (rank == command.ranks.front() ? "" : ",") + std::to_string(rank);
    for (const std::string& word : command.words)
      out += (&word == &command.words.front() ? " " : "|") + word;
  }
  return out;
}

TEST(MultiProgFile, gives_each_task_the_first_line_that_names_it) {
  EXPECT_EQ(programs_text("0 a\n1 b\n", 2), "0 a; 1 b");
  EXPECT_EQ(programs_text("0-1 a\n0-3 b\n* c\n* d\n", 6), "0,1 a; 2,3 b; 4,5 c");
  EXPECT_EQ(programs_text("* c\n1 a\n", 3), "0,2 c; 1 a");
  EXPECT_EQ(programs_text("0-9 a\n7 b\n", 2), "0,1 a") << "a file may name tasks that do not exist";
  EXPECT_EQ(programs_text("2,0-0 a\n* b", 3), "0,2 a; 1 b");
  EXPECT_EQ(programs_text("0,2 a\n", 3),
            "Configuration file roles.conf invalid, no record for task id 1; add a line for it, or "
            "one that begins with * for all others");
}

TEST(MultiProgFile, may_have_comments_empty_lines_and_continued_lines) {
  EXPECT_EQ(programs_text("# all\n\n \t\n  # more\n0 \t a\tb  c \r\n1 d \\\n e\\\nf\n", 2),
            "0 a|b|c; 1 d|ef");
  EXPECT_EQ(programs_text("0 a b\\", 1), "0 a|b") << "the last line cannot continue";
  EXPECT_EQ(programs_text("0 a # b\n", 1), "0 a|#|b") << "a comment needs a line of its own";
}

TEST(MultiProgFile, quotes_words_as_a_shell_does) {
  EXPECT_EQ(programs_text(R"(0 'a b' "c d" e\ f "" x"y z"w)", 1), "0 a b|c d|e f||xy zw");
  EXPECT_EQ(programs_text(R"(0 "it's" 'say "x"' "a\"b" 'a\b' a\\b)", 1),
            R"(0 it's|say "x"|a"b|a\b|a\b)");
  EXPECT_EQ(programs_text("0 a 'b\tc\n", 1), "0 a|b\tc") << "the quotation mark is not closed";
}

TEST(MultiProgFile, replaces_the_rank_and_its_position_in_the_line) {
  EXPECT_EQ(programs_text("1,3 w %t/%o\n* v %o%t\n", 4), "1 w|1/0; 3 w|3/1; 0 v|00; 2 v|12");
  EXPECT_EQ(programs_text("* w %%t 5% %x '%t' \\%o %\n", 2),
            "0 w|%0|5%|%x|%t|%o|%; 1 w|%1|5%|%x|%t|%o|%");
  EXPECT_EQ(programs_text("* w 5% '%t' \\%o\n", 2), "0,1 w|5%|%t|%o")
      << "no word depends on the task";
}

TEST(MultiProgFile, with_a_wrong_line_is_refused_with_that_line) {
  const std::string advice = "; write lines like: 0-3,7 ./program argument";
  for (const char* ranks : {"x", "-1", "1-", "3-2", "0,,1", ",0", "0-x", "262144", "0-262144"})
    EXPECT_EQ(programs_text(std::string(ranks) + " a", 1),
              "\"" + std::string(ranks) + "\" names no tasks" + advice);
  EXPECT_EQ(programs_text("0 a\n1\n", 2), "the line \"1\" names no program" + advice);
  EXPECT_EQ(programs_text("# nothing\n", 2), "the file of --multi-prog has no line" + advice);
  EXPECT_EQ(programs_text("0,262143 a", 1), "0 a") << "this is the highest possible task";
  const std::string all = "0-" + std::to_string(limits::tasks_per_job_max - 1);
  EXPECT_EQ(programs_text(all + " a", 1), "0 a");
  EXPECT_EQ(programs_text(all + ",0 a", 1), "\"" + all + ",0\" names too many tasks" + advice);
}

}  // namespace
}  // namespace cox
