#include "client/slurm/records/record_options.h"

#include "common/base/text.h"

namespace cox {

namespace {

const Refusal starts_late{"Start time (-S) is after the end time (-E, or now)", "exchange them"};

}  // namespace

Failure resolve_records(SacctOptions& options) {
  constexpr std::int64_t day_s = 24ll * 3600;
  const LocalTime& here = options.here;
  if (!options.since_text.empty()) {
    const auto since = parse_past_moment(options.since_text, here);
    if (!since)
      return Refusal{"Invalid time specification: " + printable(options.since_text),
                     since.refusal().hint};
    options.since = *since;
  } else if (options.jobs.empty()) {
    const std::int64_t local_s = local_seconds(here.zone, here.now);
    const Wall midnight = moment_of_local(here.zone, local_s - local_s % day_s);
    options.since = options.has_state_filter ? here.now : midnight;
  }
  if (!options.until_text.empty()) {
    const auto until = parse_past_moment(options.until_text, here);
    if (!until)
      return Refusal{"Invalid time specification: " + printable(options.until_text),
                     until.refusal().hint};
    // --endtime=now or later means no bound: the controller's clock may be ahead, and a job that
    // has just ended must not be left out.
    const bool is_bound = *until < std::chrono::floor<std::chrono::seconds>(here.now);
    options.until = is_bound ? *until : Wall{};
    if (*until < options.since) return starts_late;
  }
  if (options.since > here.now) return starts_late;
  const bool all =
      options.all_users || options.is_root || !options.jobs.empty() || !options.nodes.empty();
  if (options.users.empty() && !all) options.users = {options.own_user};
  if (options.all_users) options.users.clear();
  if (options.completion) return Refusal{"Slurm job completion is disabled", ""};
  if (options.batch_script && options.jobs.size() != 1)
    return Refusal{"-B prints the script of one job", "name it with -j"};
  return std::nullopt;
}

}  // namespace cox
