// Tests that the parser of column formats (such as those of squeue -o) accepts any text.
#include "client/slurm/text/field_format.h"

#include <gtest/gtest.h>

#include <random>

namespace cox {
namespace {

struct Row {
  std::string name;
};

constexpr Field<Row> table[] = {
    {'j', "Name", "NAME", [](const Row& row, const FieldView&) { return row.name; }},
    {'N', "Nodes", "NODELIST", [](const Row&, const FieldView&) { return std::string("n[1-20]"); },
     nullptr, Uncut::Both},
};
constexpr std::span<const Field<Row>> fields(table);

std::string line(std::string_view format, bool by_names, const Row& row) {
  std::string out;
  add_line(out, lay_out(format, by_names, fields), fields, row, {});
  return out;
}

TEST(FieldFormat, cuts_and_pads_columns) {
  EXPECT_EQ(line("%3j|%.3j|%6j|%.6j|%j", false, {"name"}), "nam|nam|name  |  name|name\n");
  EXPECT_EQ(line("%3N|%.3N|", false, {}), "n[1|n[1-20]|\n");
  EXPECT_EQ(line("%2j|", false, {"\xc3\xa9\xc3\xa9"}), "\xc3\xa9|\n")
      << "no character is cut in half";
  EXPECT_EQ(line("%2j|", false, {"a\xc3\xa9"}), "a |\n");
  EXPECT_EQ(line("name:5,NAME:.5,Name", true, {"name"}), "name  namename                \n");
}

TEST(FieldFormat, random_formats_print_whole_lines_of_bounded_length) {
  std::mt19937 random(4711);
  const std::string alphabet = "%%%..0123456789jNxX:,-| aName\x1f\xc3\xa9\n";
  for (int round = 0; round < 3'000; ++round) {
    std::string format;
    for (auto left = random() % 24; left > 0; --left)
      format += alphabet[random() % alphabet.size()];
    for (const bool by_names : {false, true}) {
      const FieldLayout layout = lay_out<Row>(format, by_names, fields);
      std::string out;
      add_line(out, layout, fields, {"name"}, {});
      EXPECT_TRUE(out.ends_with('\n'));
      EXPECT_TRUE(head_line(layout, fields).ends_with('\n'));
      std::size_t widths = format.size() * 24 + 64;
      for (const auto& place : layout.places)
        widths += static_cast<std::size_t>(std::max<std::int64_t>(place.width, 0));
      EXPECT_LE(out.size(), widths) << format;
    }
  }
}

}  // namespace
}  // namespace cox
