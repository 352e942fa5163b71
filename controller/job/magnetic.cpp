#include "controller/job/magnetic.h"

#include <iterator>

#include "schedule/place/alternatives.h"

namespace cox {

std::vector<std::string> accounts_above(const Accounts& accounts, const JobSpec& spec) {
  std::vector<std::string> above;
  if (const Association* own = accounts.of(spec))
    for (const Association* one : accounts.chain(*own)) above.push_back(one->account);
  return above;
}

bool draws_in(const AdvanceReservation& reservation, const Accounts& accounts,
              const JobSpec& spec) {
  return reservation.magnetic && may_use(reservation, spec, accounts_above(accounts, spec));
}

Shared<schedule::Request> drawn_in(const std::map<std::string, AdvanceReservation>& reservations,
                                   const Accounts& accounts, Shared<schedule::Request> request,
                                   const JobSpec& spec) {
  if (!spec.reservation.empty()) return request;
  // At most so many, since each is tried with every alternative of the request.
  constexpr int reservations_max = 4;
  int drawn = 0;
  std::vector<schedule::Request> all;
  for (const auto& [name, reservation] : reservations) {
    if (!draws_in(reservation, accounts, spec)) continue;
    if (drawn++ == reservations_max) break;
    for (schedule::Request& one : schedule::unchained(*request)) {
      one.reservation = name;
      all.push_back(std::move(one));
    }
  }
  if (all.empty()) return request;
  std::ranges::move(schedule::unchained(*request), std::back_inserter(all));
  return schedule::chained(std::move(all));
}

}  // namespace cox
