// Fuzz target for settings of advance reservations, one a line. Checks that they make a valid
// reservation or are refused.
#include "common/cluster/advance_reservation.h"
#include "common/cluster/reservation_flags.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(reservation) {
  std::vector<std::string> settings;
  for (const std::string_view line : split(input, '\n')) settings.emplace_back(line);
  const Wall now = wall_from_ms(1'790'000'000'000);
  AdvanceReservation before;
  before.name = "r";
  before.begin = now;
  before.end = now + std::chrono::hours{1};
  before.users = {"ada"};
  const auto made = with_settings(before, settings, now);
  if (!made) return fuzz::check_refusal(made.refusal());
  CHECK(made->begin < made->end);
  CHECK(!made->nodes_asked.empty() + (made->node_count > 0) <= 1);
  const auto occurrences = occurrences_of(*made, now, occurrences_planned);
  CHECK(occurrences.size() <= occurrences_planned);
  for (std::size_t i = 1; i < occurrences.size(); ++i)
    CHECK(occurrences[i - 1].begin < occurrences[i].begin);
  CHECK(is_utf8(access_text(*made)) && is_utf8(flags_text(*made)));
}

}  // namespace cox
