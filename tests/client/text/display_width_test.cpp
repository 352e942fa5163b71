// Tests output in terminals of 60, 80 and 120 columns, for any names of jobs.
#include "client/text/display_width.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "client/show/show_history.h"
#include "client/show/show_queue.h"
#include "client/text/table.h"
#include "common/base/text.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

TEST(DisplayWidth, CountsColumns) {
  for (const auto& [text, width] : std::vector<std::pair<std::string, std::size_t>>{
           {"", 0},
           {"digits", 6},
           {"größer", 6},
           {"学習", 4},
           {"학습", 4},
           {"ｗｉｄｅ", 8},
           {"e\u0301", 1},
           {"🚀", 2},
           {"→", 1},
           {"Ω≈ç", 3},
           {"\xff", 1},
           {"\xe5\xad", 2},
       })
    EXPECT_EQ(display_width(text), width) << text;
}

TEST(DisplayWidth, TextIsCutBetweenCharactersAndNotInsideNumbers) {
  EXPECT_EQ(cut_to_width("needs 2 nodes", 13), "needs 2 nodes");
  EXPECT_EQ(cut_to_width("needs 2 nodes", 10), "needs 2 ..");
  EXPECT_EQ(cut_to_width("学習学習", 7), "学習..");
  EXPECT_EQ(cut_to_width("学習学習", 6), "学習..");
  EXPECT_EQ(cut_to_width("学習学習", 5), "学..");
  EXPECT_EQ(cut_to_width("waits for job 1093 to end", 18), "waits for job ..");
  EXPECT_EQ(cut_to_width("waits for job 1093 to end", 20), "waits for job 1093..");
  EXPECT_EQ(cut_to_width("123456789", 5), "123..");
  EXPECT_EQ(cut_to_width("abc", 1), "..");
}

TEST(DisplayWidth, TextIsWrappedAtBlanks) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped_to_width("", 5), Lines{""});
  EXPECT_EQ(wrapped_to_width("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped_to_width("one  two", 4), (Lines{"one", "two"}));
  EXPECT_EQ(wrapped_to_width("abcdefgh", 3), (Lines{"abc", "def", "gh"}));
  EXPECT_EQ(wrapped_to_width("学習 学習", 5), (Lines{"学習", "学習"}));
  EXPECT_EQ(wrapped_to_width("学習", 1), (Lines{"学", "習"})) << "no character is cut";
}

std::size_t widest_of(const std::string& text) {
  std::size_t width = 0;
  for (const std::string_view line : split(text, '\n'))
    width = std::max(width, display_width(line));
  return width;
}

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

JobList jobs_called(const std::string& name) {
  JobDetail waits = a_job(JobState::Pending);
  waits.view.job.spec.change().name = name;
  waits.view.job.spec.change().user_name = "someone-with-a-long-name";
  waits.view.reason_detail =
      "waits for job 1093 (RUNNING) to end well; time limits end what it waits for by tomorrow";
  JobDetail runs = a_job(JobState::Running);
  runs.view.job.id = JobId{12'345'678};
  runs.view.ran_ms = 3 * 24 * 60 * minute_ms;
  return {{waits.view, runs.view}, false, {}};
}

TEST(Queue, FitsTheScreenForAllJobNames) {
  Screen screen = at_noon();
  for (const std::string& name :
       {std::string("digits"), std::string(72, 'x'), repeated("学習", 18), repeated("🚀", 36)})
    for (const std::size_t width : {60, 80, 120}) {
      screen.width = width;
      const std::string text = show_queue(jobs_called(name), screen);
      EXPECT_LE(widest_of(text), width) << text;
      EXPECT_NE(text.find("waits for job 1093"), std::string::npos)
          << "the number in the reason is not cut\n"
          << text;
      for (const char* column : {"JOB", "NAME", "STATE", "WHERE OR WHY"})
        EXPECT_NE(text.find(column), std::string::npos) << text;
    }
  screen.width = 0;
  EXPECT_NE(show_queue(jobs_called(std::string(72, 'x')), screen).find(std::string(72, 'x')),
            std::string::npos)
      << "a file contains the whole text";
}

TEST(Queue, CutsLongNamesBeforeItOmitsColumns) {
  Screen screen = at_noon();
  screen.width = 120;
  const std::string text = show_queue(jobs_called(std::string(72, 'x')), screen);
  EXPECT_NE(text.find("xxx..  "), std::string::npos) << text;
  EXPECT_NE(text.find("USER"), std::string::npos) << text;
}

TEST(History, FitsTheScreenAndOmitsNothing) {
  HistoryPage page;
  for (const char* what : {"Submitted", "RequeuedAfterEnd"}) {
    JobEvent& event = page.events.emplace_back();
    event.at = before(at_noon(), minute_ms);
    event.state = JobState::Completing;
    event.what = what;
    event.actor = "someone-with-a-long-name";
    event.why = "requeued by " + std::string(72, 'y') + ": node n1 was lost while 学習学習学習 ran";
  }
  page.job_names = {"17_1", "17_2"};
  Screen screen = at_noon();
  for (const std::size_t width : {60, 80, 120}) {
    screen.width = width;
    const std::string text = show_history(page, screen);
    EXPECT_LE(widest_of(text), width) << text;
    std::size_t ys = 0;
    for (const char c : text) ys += c == 'y' ? 1 : 0;
    EXPECT_GE(ys, 2 * 72u) << text;
    EXPECT_NE(text.find("WHY"), std::string::npos) << text;
    EXPECT_NE(text.find("Submitted"), std::string::npos) << text;
  }
}

TEST(CutApart, CutsOnlyNamesThatWouldLookAlikeInTheMiddle) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(
      cut_apart({"train-resnet-seed1", "train-resnet-seed2", "train-vit-seed1-lr1", "short"}, 12),
      (Texts{"tra..t-seed1", "tra..t-seed2", "train-vit-..", "short"}));
  EXPECT_EQ(cut_apart({"train-resnet-seed1", "train-resnet-seed1"}, 12),
            (Texts{"train-resn..", "train-resn.."}))
      << "the names are the same";
  EXPECT_EQ(cut_apart({"needs 4 nodes, 1 is free", "needs 4 nodes, 2 are free"}, 14),
            (Texts{"needs 4 node..", "needs 4 node.."}))
      << "sentences are cut at their end";
  EXPECT_EQ(cut_apart({"abcdefg", "abcdefx"}, 1), (Texts{"..", ".."}));
}

TEST(Table, GivesTheLastColumnTheRemainingWidth) {
  Table table({"A", "B", "C"});
  table.shrinks(0, 4).leaves(1, 1);
  table.row({std::string(30, 'a'), std::string(10, 'b'), std::string(50, 'c')});
  EXPECT_EQ(table.text(false).substr(0, 2), "A ");
  const auto second_line = [&](std::size_t width) {
    const std::string text = table.text(false, width);
    return text.substr(text.find('\n') + 1);
  };
  EXPECT_EQ(second_line(100), std::string(30, 'a') + "  " + std::string(10, 'b') + "  " +
                                  std::string(50, 'c') + "\n");
  EXPECT_EQ(second_line(80), std::string(24, 'a') + "..  " + std::string(10, 'b') + "  " +
                                 std::string(38, 'c') + "..\n");
  EXPECT_EQ(second_line(40), std::string(8, 'a') + "..  " + std::string(10, 'b') + "  " +
                                 std::string(14, 'c') + "..\n");
  EXPECT_EQ(second_line(24), std::string(4, 'a') + "..  " + std::string(14, 'c') + "..\n");
}

}  // namespace
}  // namespace cox
