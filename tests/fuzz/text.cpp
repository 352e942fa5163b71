// Fuzz target for text from outside. Checks that its shown form is printable, and that its
// shortened form is a beginning of the text.
#include "common/base/text.h"

#include "common/base/nearest.h"
#include "tests/fuzz/target.h"

namespace cox {
namespace {

bool is_shown_well(const std::string& text) {
  return is_utf8(text) && !has_control_characters(text);
}

}  // namespace

FUZZ_TARGET(text) {
  CHECK(is_shown_well(printable(input)) && is_shown_well(quoted(input)));
  CHECK(printable(input) != input || is_shown_well(std::string(input)));
  CHECK(printable(printable(input)) == printable(input));
  CHECK(quoted(input).size() <= 60 + 5);
  for (const std::size_t bytes : {0u, 1u, 7u, 60u}) {
    const std::string cut = cut_text(input, bytes);
    CHECK(cut.size() <= bytes && input.starts_with(cut));
    CHECK(is_utf8(cut) || !is_utf8(input));
  }
  std::vector<std::string> parts;
  for (const std::string_view part : split(input, ',')) parts.emplace_back(part);
  CHECK(joined(parts, ",") == input);
  const std::vector<std::string_view> names = {"nodes", "ntasks", "no-kill"};
  const std::string_view word = input.substr(0, 64);
  for (const std::string_view name : names)
    CHECK(edit_distance(word, name) == edit_distance(name, word));
  CHECK(nearest("nodes", names) == "nodes");
}

}  // namespace cox
