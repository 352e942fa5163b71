#include "client/submit/reservation_settings.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/moment_text.h"
#include "common/base/text.h"
#include "common/cluster/advance_reservation.h"

namespace cox {

Failure resolve_reservation_moments(std::vector<std::string>& settings, const LocalTime& here) {
  for (std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || !is_reservation_moment(setting.substr(0, equals))) continue;
    const std::string value = setting.substr(equals + 1);
    if (parse_moment(value)) continue;
    const auto moment = parse_local_moment(value, here);
    if (!moment) return moment.refusal();
    setting = setting.substr(0, equals + 1) + moment_text(*moment);
  }
  return std::nullopt;
}

void resolve_reservation_name(std::string& name, std::vector<std::string>& settings) {
  constexpr std::string_view key = "reservationname=";
  const auto names_it = [&](const std::string& word) {
    return lower_case(word.substr(0, key.size())) == key;
  };
  if (!names_it(name)) {
    const auto named = std::ranges::find_if(settings, names_it);
    if (named == settings.end()) return;
    std::swap(name, *named);  // then what was `name` is a setting
  }
  name.erase(0, key.size());
}

}  // namespace cox
