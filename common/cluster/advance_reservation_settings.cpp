// Settings of advance reservations as people write them: Slurm's names and flags.
#include <algorithm>
#include <set>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/cluster/advance_reservation.h"
#include "common/cluster/reservation_flags.h"
#include "common/resources/tres.h"
#include "common/syntax/constraint.h"

namespace cox {
namespace {

constexpr std::int64_t duration_s_max = 366ll * 24 * 3600;
constexpr std::int64_t duration_s_unlimited = 365ll * 24 * 3600;  // as in Slurm

// A reservation while its settings are read. Begin and end are computed after all settings are
// read.
struct Draft {
  AdvanceReservation reservation;
  Wall now{};
  std::optional<Wall> begin;
  std::optional<Wall> end;
  std::optional<std::int64_t> duration_s;
  std::set<std::string> given;           // names of the settings with "="
  Recurrence recurs = Recurrence::None;  // the recurrence that a flag has set
};

// A setting as written: name, value, and '+' or '-' before the '='.
struct Setting {
  std::string name;  // in lower case
  std::string value;
  char sign = ' ';
};

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  for (const std::string_view word : split(list, ','))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

Failure read_moment(const Setting& setting, Wall now, std::optional<Wall>& into) {
  into = lower_case(setting.value) == "now" ? now : parse_moment(setting.value);
  if (into) return std::nullopt;
  return Refusal{setting.name + ": " + quoted(setting.value) + " is not a valid time",
                 "write it like 2026-12-24T18:00:00Z"};
}

Failure take_begin(Draft& draft, const Setting& setting) {
  return read_moment(setting, draft.now, draft.begin);
}
Failure take_end(Draft& draft, const Setting& setting) {
  return read_moment(setting, draft.now, draft.end);
}

Failure take_duration(Draft& draft, const Setting& setting) {
  const auto seconds = parse_time_limit(setting.value);
  if (!seconds) return seconds.refusal();
  const AdvanceReservation& r = draft.reservation;
  const std::int64_t lasts_s = (r.end - r.begin).count() / 1000;
  if (setting.sign == '+') draft.duration_s = lasts_s + *seconds;
  if (setting.sign == '-') draft.duration_s = lasts_s - *seconds;
  if (setting.sign == ' ') draft.duration_s = *seconds == 0 ? duration_s_unlimited : *seconds;
  return std::nullopt;
}

// Returns the refusal of a "-=" setting that removes a word which `list` does not contain.
Refusal not_among(const Setting& setting, const std::string& word,
                  const std::vector<std::string>& list) {
  constexpr std::size_t bytes_max = 200;
  return {quoted(word) + " is not among its " + setting.name,
          list.empty() ? "it names none" : "possible: " + cut_text(joined(list, ", "), bytes_max)};
}

// Adds nodes to those that the reservation has, or removes some of them. The result becomes the new
// request by name, even if the nodes were requested by number before.
Failure change_nodes(AdvanceReservation& r, const Setting& setting) {
  const auto words = expand_hostlist(setting.value);
  if (!words) return words.refusal();
  std::vector<std::string> nodes = r.nodes;
  for (const std::string& word : *words) {
    if (std::erase(nodes, word) == 0 && setting.sign == '-') return not_among(setting, word, nodes);
    if (setting.sign == '+') nodes.push_back(word);
  }
  if (nodes.empty())
    return Refusal{"the reservation would have no node", "delete it, or name other nodes"};
  sort_hostnames(nodes);
  r.nodes_asked = compress_hostlist(nodes);
  return std::nullopt;
}

Failure take_nodes(Draft& draft, const Setting& setting) {
  if (setting.sign != ' ') {
    if (auto failure = change_nodes(draft.reservation, setting)) return failure;
    draft.reservation.node_count = 0;
    draft.reservation.features.clear();
    draft.reservation.tres.clear();
    return std::nullopt;
  }
  if (setting.value.empty() && draft.given.contains("NodeCnt")) return std::nullopt;
  draft.reservation.nodes_asked = lower_case(setting.value) == "all" ? "ALL" : setting.value;
  draft.reservation.node_count = 0;
  draft.reservation.features.clear();
  draft.reservation.tres.clear();
  return std::nullopt;
}

Failure take_node_count(Draft& draft, const Setting& setting) {
  const auto count = parse_count(setting.value, 1, limits::nodes_per_job_max);
  if (!count)
    return Refusal{"NodeCnt is " + quoted(setting.value) + "; it may be 1 to " +
                       std::to_string(limits::nodes_per_job_max),
                   "give a number within that range"};
  const auto has = static_cast<std::int64_t>(draft.reservation.nodes.size());
  std::int64_t asked = *count;
  if (setting.sign == '+') asked = has + *count;
  if (setting.sign == '-') asked = has - *count;
  if (asked < 1)
    return Refusal{"it has " + std::to_string(has) + " nodes", "delete it, or leave it some"};
  draft.reservation.node_count = asked;
  draft.reservation.nodes_asked.clear();
  return std::nullopt;
}

Failure take_features(Draft& draft, const Setting& setting) {
  const auto constraint = parse_constraint(setting.value);
  if (!constraint) return constraint.refusal();
  for (const GangFeatures& one : constraint->alternatives)
    if (constraint->alternatives.size() > 1 || !one.some.empty())
      return Refusal{"Features=" + setting.value + " has alternatives or counts",
                     "name features that every node must have, like fast&ib"};
  draft.reservation.features = setting.value;
  draft.reservation.nodes_asked.clear();
  return std::nullopt;
}

Failure take_tres(Draft& draft, const Setting& setting) {
  const auto tres = parse_tres(setting.value);
  if (!tres) return tres.refusal();
  for (const TresCount& one : *tres)
    if (one.what == Tres::Licences)
      return Refusal{"licences cannot be reserved: " + tres_name(one),
                     "reserve nodes, CPUs or GPUs: TRES=gres/gpu=8"};
  draft.reservation.tres = setting.value;
  draft.reservation.nodes_asked.clear();
  return std::nullopt;
}

Failure take_partition(Draft& draft, const Setting& setting) {
  draft.reservation.partition = setting.value;
  return std::nullopt;
}

Failure change_list(std::vector<std::string>& list, const Setting& setting) {
  const std::vector<std::string> words = words_of(setting.value);
  if (setting.sign == ' ') list.clear();
  for (const std::string& word : words) {
    if (word.size() > limits::word_bytes_max || has_control_characters(word) || !is_utf8(word))
      return Refusal{quoted(word) + " is not a name", "use plain names, with commas between them"};
    if (std::erase(list, word) == 0 && setting.sign == '-') return not_among(setting, word, list);
    if (setting.sign != '-') list.push_back(word);
  }
  if (list.size() <= limits::page_rows_max) return std::nullopt;
  return Refusal{setting.name + " has " + std::to_string(list.size()) + " names; the limit is " +
                     std::to_string(limits::page_rows_max),
                 "name accounts instead of users"};
}

Failure take_users(Draft& draft, const Setting& setting) {
  return change_list(draft.reservation.users, setting);
}
// Takes the list of accounts in lower case, because accounts are stored so.
Failure take_accounts(Draft& draft, const Setting& setting) {
  Setting low = setting;
  low.value = lower_case(low.value);
  return change_list(draft.reservation.accounts, low);
}
Failure take_qos(Draft& draft, const Setting& setting) {
  return change_list(draft.reservation.qos, setting);
}

// Refuses two recurrences in one command. One that differs from the present recurrence replaces it.
Failure check_recurs_once(Draft& draft, const ReservationFlag& flag) {
  if (flag.recurs == Recurrence::None || flag.recurs == draft.recurs) return std::nullopt;
  if (draft.recurs == Recurrence::None) {
    draft.recurs = flag.recurs;
    return std::nullopt;
  }
  const auto flags = reservation_flags();
  const auto other = std::ranges::find(flags, draft.recurs, &ReservationFlag::recurs);
  return Refusal{"the flags " + std::string(other->name) + " and " + std::string(flag.name) +
                     " are both given, but a reservation can recur in only one way",
                 "leave one of them out, or make two reservations"};
}

// Parses the value of "PURGE_COMP=10", as Slurm does, in whole minutes, rounded up.
Failure take_purge(Draft& draft, std::string_view value) {
  const auto seconds = parse_time_limit(value);
  if (!seconds) return seconds.refusal();
  if (*seconds == 0 || *seconds > duration_s_max)
    return Refusal{std::string(purge_flag) + "=" + quoted(value) + " is not from 1 minute to " +
                       std::to_string(duration_s_max / (24 * 3600)) + " days",
                   "leave the flag out if the reservation is not to end early"};
  constexpr std::int64_t minute_s = 60;
  draft.reservation.purge_idle_s = (*seconds + minute_s - 1) / minute_s * minute_s;
  return std::nullopt;
}

Refusal no_such_flag(const std::string& word, const std::string& upper) {
  std::vector<std::string_view> names;
  std::string all;
  for (const ReservationFlag& one : reservation_flags()) {
    names.push_back(one.name);
    all += (all.empty() ? "possible: " : ", ") + std::string(one.name);
  }
  const std::string suggestion = did_you_mean(upper, names);
  return {"there is no flag " + quoted(word), suggestion.empty() ? all : suggestion};
}

Failure take_flags(Draft& draft, const Setting& setting) {
  const auto flags = reservation_flags();
  for (std::string word : words_of(setting.value)) {
    bool is_set = setting.sign != '-';
    if (word.starts_with('-') || word.starts_with('+')) {
      is_set = word.front() == '+';
      word.erase(0, 1);
    }
    std::string upper = word;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (upper.starts_with(std::string(purge_flag) + "=")) {
      if (auto failure = take_purge(draft, word.substr(purge_flag.size() + 1))) return failure;
      if (!is_set) draft.reservation.purge_idle_s = 0;
      continue;
    }
    const auto flag = std::ranges::find_if(
        flags, [&](const ReservationFlag& one) { return upper == one.name || upper == one.shown; });
    if (flag == flags.end()) return no_such_flag(word, upper);
    if (is_set)
      if (auto failure = check_recurs_once(draft, *flag)) return failure;
    flag->set(draft.reservation, is_set);
  }
  return std::nullopt;
}

struct Reader {
  std::string_view name;  // Slurm's
  Failure (*take)(Draft&, const Setting&);
  bool adds = true;      // "+=" and "-=" are allowed for this setting
  bool repeats = false;  // may be given twice, as in Slurm; all values apply
};

constexpr Reader readers[] = {
    {"StartTime", take_begin, false},
    {"EndTime", take_end, false},
    {"Duration", take_duration},
    {"Nodes", take_nodes},
    {"NodeCnt", take_node_count},
    {"Features", take_features, false},
    {"TRES", take_tres, false},
    {"PartitionName", take_partition, false},
    {"Users", take_users},
    {"Accounts", take_accounts},
    {"QOS", take_qos},
    {"Flags", take_flags, true, true},
};

// Returns the full name of a setting; Slurm also accepts short ones such as "user".
std::string full_name(const std::string& name) {
  if (name == "user") return "users";
  if (name == "account") return "accounts";
  if (name == "node") return "nodes";
  if (name == "nodecount") return "nodecnt";
  if (name == "feature") return "features";
  if (name == "partition") return "partitionname";
  if (name == "flag") return "flags";
  return name;
}

const Reader* reader_of(const std::string& name) {
  for (const Reader& reader : readers)
    if (lower_case(reader.name) == name) return &reader;
  return nullptr;
}

// Refuses a setting that is given twice or that excludes another one, so that no setting is
// silently ignored.
Failure check_once(Draft& draft, const Reader& reader, const Setting& setting) {
  if (setting.sign != ' ' && !reader.adds)
    return Refusal{setting.name + " has a single value, which cannot be added to or taken from",
                   "write " + setting.name + "="};
  // Slurm accepts an empty "Nodes=" beside NodeCnt: it drops the present nodes, and NodeCnt chooses
  // new ones.
  if (setting.name == "Nodes" && setting.sign == ' ' && setting.value.empty()) return std::nullopt;
  if (setting.sign == ' ' && !draft.given.insert(setting.name).second && !reader.repeats)
    return Refusal{setting.name + " is given twice", "leave one of them out"};
  if (draft.given.contains("Nodes"))
    for (const std::string counted : {"NodeCnt", "Features", "TRES"})
      if (draft.given.contains(counted))
        return Refusal{"Nodes and " + counted + " are both given", "leave one of them out"};
  return std::nullopt;
}

Failure take(Draft& draft, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos)
    return Refusal{quoted(text) + " is not NAME=VALUE", "write it like Nodes=n[1-2]"};
  Setting setting{lower_case(text.substr(0, equals)), text.substr(equals + 1), ' '};
  if (setting.name.ends_with('+') || setting.name.ends_with('-')) {
    setting.sign = setting.name.back();
    setting.name.pop_back();
  }
  setting.name = full_name(setting.name);
  if (setting.value.size() > limits::wish_bytes_max)
    return Refusal{setting.name + " has " + std::to_string(setting.value.size()) +
                       " bytes; the limit is " + std::to_string(limits::wish_bytes_max),
                   "make it shorter"};
  const Reader* reader = reader_of(setting.name);
  if (reader != nullptr) {
    setting.name = reader->name;
    if (auto failure = check_once(draft, *reader, setting)) return failure;
    return reader->take(draft, setting);
  }
  std::vector<std::string> known;
  for (const Reader& one : readers) known.push_back(lower_case(one.name));
  const std::string_view suggestion =
      nearest(setting.name, std::vector<std::string_view>(known.begin(), known.end()));
  std::string all;
  for (const Reader& one : readers)
    all += (all.empty() ? "possible: " : ", ") + std::string(one.name);
  return Refusal{
      "a reservation has no " + quoted(text.substr(0, equals)),
      suggestion.empty()
          ? all
          : "did you mean " + std::string(reader_of(std::string(suggestion))->name) + "?"};
}

// Formats a duration for people: "25 h", "90 min", "3 days".
std::string lasts_text(std::chrono::seconds lasts) {
  const std::int64_t minutes = lasts.count() / 60;
  if (lasts.count() % 60 != 0) return format_time_limit(lasts.count());
  if (minutes % (48 * 60) == 0) return std::to_string(minutes / (24 * 60)) + " days";
  return minutes % 60 == 0 ? std::to_string(minutes / 60) + " h" : std::to_string(minutes) + " min";
}

std::chrono::seconds whole_seconds(const AdvanceReservation& r) {
  return std::chrono::duration_cast<std::chrono::seconds>(r.end - r.begin);
}

// Sets begin and end of the reservation. If only the begin is given, the duration stays.
Failure resolve_times(Draft& draft) {
  AdvanceReservation& r = draft.reservation;
  const bool is_new = r.begin == Wall{};
  const Milliseconds lasted = r.end - r.begin;
  if (draft.end && draft.duration_s && draft.begin)
    return Refusal{"StartTime, EndTime and Duration are all given", "leave one of them out"};
  if (is_new && !draft.begin) draft.begin = draft.now;
  if (draft.begin) r.begin = *draft.begin;
  if (draft.end) {
    r.end = *draft.end;
  } else if (draft.duration_s) {
    r.end = r.begin + std::chrono::seconds{*draft.duration_s};
  } else if (draft.begin && !is_new) {
    r.end = r.begin + lasted;
  } else if (is_new) {
    return Refusal{"it has no end", "give Duration= or EndTime="};
  }
  if (r.end <= r.begin)
    return Refusal{
        "it ends at " + moment_text(r.end) + ", before it begins at " + moment_text(r.begin),
        "give a later EndTime= or a Duration="};
  const std::chrono::seconds far{limits::moment_seconds_max};
  if (r.begin >= Wall{} + far)
    return Refusal{"it begins at " + moment_text(r.begin) + "; it must begin before " +
                       moment_text(Wall{} + far),
                   "give an earlier StartTime="};
  if (r.end - r.begin <= std::chrono::seconds{duration_s_max}) return std::nullopt;
  return Refusal{"it lasts " + lasts_text(whole_seconds(r)) + "; the limit is " +
                     lasts_text(std::chrono::seconds{duration_s_max}),
                 "give an earlier EndTime="};
}

// Sets begin and end of a recurring reservation to its first occurrence that is not over at `now`.
void resolve_first_time(AdvanceReservation& r, Wall now) {
  const auto first = occurrences_of(r, now, 1);
  if (first.empty()) return;  // it is over; the caller refuses it
  r.begin = first.front().begin;
  r.end = first.front().end;
}

Failure check_recurrence(const AdvanceReservation& r) {
  using std::chrono::hours;
  Milliseconds most = hours{24 * 366};
  if (r.recurrence == Recurrence::Hourly) most = hours{1};
  if (r.recurrence == Recurrence::Daily || r.recurrence == Recurrence::Weekday ||
      r.recurrence == Recurrence::Weekend)
    most = hours{24};
  if (r.recurrence == Recurrence::Weekly) most = hours{7 * 24};
  if (r.end - r.begin <= most) return std::nullopt;
  return Refusal{"it lasts " + lasts_text(whole_seconds(r)) +
                     ", longer than the time to the next occurrence, which is " +
                     lasts_text(std::chrono::duration_cast<std::chrono::seconds>(most)),
                 "give a shorter Duration="};
}

}  // namespace

std::vector<std::string_view> reservation_settings() {
  std::vector<std::string_view> names;
  for (const Reader& one : readers) names.push_back(one.name);
  return names;
}

bool is_reservation_moment(std::string_view name) {
  const std::string low = lower_case(name);
  return low == "starttime" || low == "endtime";
}

Result<AdvanceReservation> with_settings(const AdvanceReservation& before,
                                         const std::vector<std::string>& settings, Wall now) {
  Draft draft{before, now, {}, {}, {}, {}, {}};
  for (const std::string& text : settings)
    if (auto failure = take(draft, text)) return *failure;
  if (auto failure = resolve_times(draft)) return *failure;
  AdvanceReservation& r = draft.reservation;
  if (auto failure = check_recurrence(r)) return *failure;
  resolve_first_time(r, now);
  if (r.nodes_asked.empty() && r.node_count == 0 && r.features.empty() && r.tres.empty())
    return Refusal{"it names no nodes",
                   "give Nodes=n[1-2], NodeCnt=2, Features=fast or TRES=gres/gpu=8; "
                   "Nodes=ALL with PartitionName= is all nodes of a partition"};
  if (r.replace_down && (!r.nodes_asked.empty() || r.maint || r.static_alloc))
    return Refusal{"the flag REPLACE_DOWN does not go with Nodes=, MAINT or STATIC_ALLOC",
                   "ask for the nodes with NodeCnt=, or leave the flag out"};
  if (r.users.empty() && r.accounts.empty() && r.qos.empty() && !r.maint)
    return Refusal{
        "it names no users",
        "give Users=, Accounts= or QOS=; or Flags=MAINT for a reservation without users"};
  return draft.reservation;
}

}  // namespace cox
