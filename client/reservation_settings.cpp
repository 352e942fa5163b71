#include "client/reservation_settings.h"

#include "common/advance_reservation.h"
#include "common/moment_text.h"

namespace cox {

Failure settle_reservation_moments(std::vector<std::string>& settings, const LocalTime& here) {
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

}  // namespace cox
