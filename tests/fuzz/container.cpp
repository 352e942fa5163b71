// Fuzz target for --container-* options as a client may send them. Checks that accepted options add
// their own words to the site's command, and no word that this command would take for an option.
#include "common/job/container.h"

#include <algorithm>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(container) {
  std::vector<std::string> stored;
  for (const std::string_view line : split(input, '\n')) stored.emplace_back(line);
  const auto wish = container_wish(stored);
  if (!wish) return fuzz::check_refusal(wish.refusal());
  CHECK(wish->mounts.size() <= limits::container_parts_max);
  CHECK(wish->environment.size() <= limits::container_parts_max);
  const std::vector<std::string> command{"/run",      "{mounts}", "{environment}",
                                         "{workdir}", "{name}",   "{image}"};
  const auto words = container_words(command, stored, {{"task"}, {}, {}});
  CHECK(words.ok() && words->back() == "task");
  CHECK(wants_container(stored) == (words->size() > 1));
  for (const std::string& word : *words) CHECK(!word.starts_with('-') && !word.empty());
}

}  // namespace cox
