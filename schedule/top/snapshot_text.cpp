// The JSON of a snapshot. Each type's fields are bound one by one: one that is added there and not
// here does not compile.
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "common/syntax/constraint.h"
#include "schedule/model/request_pool.h"
#include "schedule/place/feature_parts.h"
#include "schedule/top/snapshot.h"
#include "schedule/top/snapshot_check.h"

namespace cox::schedule {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "coxswain-snapshot";

template <class Visit, class Self>
void fields_of(Visit& v, Self& self);

// ---- values

struct Writer {
  Json& object;

  template <class T>
  void operator()(const char* key, const T& value) {
    object[key] = written(value);
  }
  template <class T>
  static Json written(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<int>(value);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else {
      Json json = Json::object();
      Writer writer{json};
      fields_of(writer, value);
      return json;
    }
  }
  static Json written(const Milliseconds& value) { return value.count(); }
  static Json written(const Boot& value) { return to_ms(value); }
  static Json written(const Wall& value) { return to_ms(value); }
  static Json written(const JobId& value) { return value.value; }
  template <class T>
  static Json written(const Shared<T>& value) {
    return written(*value);
  }
  template <class T>
  static Json written(const std::optional<T>& value) {
    return value ? written(*value) : Json(nullptr);
  }
  template <class T>
  static Json written(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(written(value));
    return list;
  }
};

// What is absent keeps its default, so that older files can be read.
struct Reader {
  const Json& object;

  template <class T>
  void operator()(const char* key, T& value) {
    if (!object.is_object()) throw Wrong{std::string("no object has ") + key};
    const auto found = object.find(key);
    if (found == object.end()) return;
    try {
      read(*found, value);
    } catch (const Json::exception&) {
      throw Wrong{std::string(key) + " is of another kind"};
    }
  }
  template <class T>
  static void read(const Json& json, T& value) {
    if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> number = 0;
      read(json, number);
      value = static_cast<T>(number);
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (!json.is_number_integer()) throw Wrong{"a number is not whole"};
      const auto number = json.template get<std::int64_t>();
      if (!std::in_range<T>(number)) throw Wrong{"a number is out of range"};
      value = static_cast<T>(number);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      value = json.template get<T>();
    } else {
      Reader reader{json};
      fields_of(reader, value);
    }
  }
  static std::int64_t whole(const Json& json) {
    std::int64_t number = 0;
    read(json, number);
    return number;
  }
  static void read(const Json& json, Milliseconds& value) { value = Milliseconds{whole(json)}; }
  static void read(const Json& json, Boot& value) { value = boot_from_ms(whole(json)); }
  static void read(const Json& json, Wall& value) { value = wall_from_ms(whole(json)); }
  static void read(const Json& json, JobId& value) { value = JobId{whole(json)}; }
  template <class T>
  static void read(const Json& json, Shared<T>& value) {
    read(json, value.change());
  }
  template <class T>
  static void read(const Json& json, std::optional<T>& value) {
    value.reset();
    if (!json.is_null()) read(json, value.emplace());
  }
  template <class T>
  static void read(const Json& json, std::vector<T>& values) {
    if (!json.is_array()) throw Wrong{"a list is none"};
    values.clear();
    for (const Json& one : json) read(one, values.emplace_back());
  }
};

// ---- fields; requests stand in a list of their own, and jobs refer to them

template <class Visit, class Self>
void fields_of_settings(Visit& v, Self& self) {
  if constexpr (std::is_same_v<std::remove_const_t<Self>, PriorityWeights>) {
    auto& [age, shortness, size, favor_small, fair_share, partition, qos, cpu, gpu, max_age] = self;
    v("age", age), v("shortness", shortness), v("size", size), v("favor_small", favor_small);
    v("fair_share", fair_share), v("partition", partition), v("qos", qos), v("tres_cpu", cpu);
    v("tres_gpu", gpu), v("max_age_ms", max_age);
  } else if constexpr (std::is_same_v<std::remove_const_t<Self>, Backfill>) {
    auto& [reservations] = self;
    v("reservations", reservations);
  } else {
    auto& [order, priority, placement, backfill, moves, order_exempt, restart_cost, exempt_time,
           budget, budget_window, prices, choice, shards, switch_wait, fill_min, licences, levels] =
        self;
    v("fill_min_ms", fill_min);
    v("preempt_restart_cost_ms", restart_cost), v("preempt_exempt_time_ms", exempt_time);
    v("preempt_budget", budget), v("preempt_budget_window_ms", budget_window);
    v("order", order), v("priority", priority), v("placement", placement);
    v("backfill", backfill), v("moves", moves), v("order_exempt_ms", order_exempt);
    v("gpu_prices", prices), v("gpu_choice", choice), v("shards_per_gpu", shards);
    v("max_switch_wait_ms", switch_wait), v("licences", licences), v("topology_levels", levels);
  }
}

template <class Visit, class Self>
void fields_of_resources(Visit& v, Self& self) {
  if constexpr (std::is_same_v<std::remove_const_t<Self>, GpuDevice>) {
    auto& [index, type, uuid, island] = self;
    v("index", index), v("type", type), v("uuid", uuid), v("island", island);
  } else if constexpr (std::is_same_v<std::remove_const_t<Self>, NodeResources>) {
    auto& [cpus, memory_mb, gpus, gres] = self;
    v("cpus", cpus), v("memory_mb", memory_mb), v("gpus", gpus), v("gres", gres);
  } else if constexpr (std::is_same_v<std::remove_const_t<Self>, GresCount>) {
    auto& [name, type, count] = self;
    v("name", name), v("type", type), v("count", count);
  } else if constexpr (std::is_same_v<std::remove_const_t<Self>, LicenceCount>) {
    auto& [name, count] = self;
    v("name", name), v("count", count);
  } else if constexpr (std::is_same_v<std::remove_const_t<Self>, Limit>) {
    auto& [id, most, seconds] = self;
    v("id", id), v("most", most), v("seconds", seconds);
  } else if constexpr (std::is_same_v<std::remove_const_t<Self>, TresCount>) {
    auto& [what, name, type, count, hours] = self;
    v("what", what), v("name", name), v("type", type), v("count", count), v("hours", hours);
  } else if constexpr (std::is_same_v<std::remove_const_t<Self>, Quota>) {
    auto& [limit, parent, what, guarantee, deserved, most, shares] = self;
    v("limit", limit), v("parent", parent), v("what", what), v("guarantee", guarantee);
    v("deserved", deserved), v("most", most), v("shares", shares);
  } else if constexpr (std::is_same_v<std::remove_const_t<Self>, GpuPrice>) {
    auto& [type, milli] = self;
    v("type", type), v("milli", milli);
  } else if constexpr (std::is_same_v<std::remove_const_t<Self>, NodeGrant>) {
    auto& [node, first_rank, ranks, cpus, memory_mb, gpus, gpu_milli, component] = self;
    v("node", node), v("first_rank", first_rank), v("ranks", ranks), v("cpus", cpus);
    v("memory_mb", memory_mb), v("gpus", gpus), v("gpu_milli", gpu_milli);
    v("component", component);
  } else {
    auto& [name, total, features, domains, available, unavailable_why, weight] = self;
    v("name", name), v("total", total), v("features", features), v("available", available);
    v("domains", domains);
    v("unavailable_why", unavailable_why), v("weight", weight);
  }
}

template <class Visit, class Self>
void fields_of_request(Visit& v, Self& self) {
  auto& [nodes, tasks, most, sizes, per_node, cpus, min_cpus, memory_mb, whole_memory, exclusive,
         types, gpus, milli, joined, gres, licences, partition, gone, nodelist, exclude, avoid,
         constraint, reservation, contiguous, switches, switches_wait, level, components,
         otherwise] = self;
  v("nodes", nodes), v("tasks", tasks), v("tasks_per_node", per_node), v("cpus_per_task", cpus);
  v("memory_mb_per_node", memory_mb), v("gpu_types", types), v("gpus_per_node", gpus);
  v("gpu_milli", milli), v("joined_gpus", joined), v("exclusive", exclusive),
      v("partition_nodes", partition);
  v("partition_gone", gone), v("nodelist", nodelist), v("avoid", avoid);
  v("exclude", exclude), v("whole_memory", whole_memory);
  v("constraint", constraint), v("nodes_most", most), v("sizes", sizes), v("gres", gres);
  v("licences", licences), v("switches", switches), v("switches_wait_ms", switches_wait);
  v("topology_level", level), v("reservation", reservation);
  v("min_cpus", min_cpus), v("contiguous", contiguous);
  v("components", components), v("otherwise", otherwise);
}

// But for what they ask for.
template <class Visit, class Self>
void fields_of_job(Visit& v, Self& self) {
  if constexpr (std::is_same_v<std::remove_const_t<Self>, RunningJob>) {
    auto& [id, tier, began, ran_before, grants, stopping, preemptable, movable, requeued, request,
           ends_by, loss, unsaved_since, weight, exempt_time, preempted, suspends, suspended, still,
           resumable, resumed, time_left, limits, rank, held, given_back] = self;
    v("given_back", given_back);
    v("suspends", suspends), v("suspended", suspended), v("stands_still", still);
    v("resumable", resumable), v("resumed", resumed), v("time_left_ms", time_left);
    v("requeued", requeued);
    v("preempt_weight", weight), v("exempt_time_ms", exempt_time), v("preempted", preempted);
    v("id", id), v("tier", tier), v("began", began), v("ran_before_ms", ran_before);
    v("grants", grants), v("stopping", stopping), v("preemptable", preemptable);
    v("movable", movable), v("ends_by", ends_by), v("loss_per_second_units", loss);
    v("unsaved_since", unsaved_since), v("limits", limits), v("rank", rank), v("held", held);
    static_cast<void>(request);
  } else {
    auto& [id, tier, priority, fair_share, account, ran, eligible, request, time_limit, time_min,
           fill_min, may_preempt, held, limits, rank, copies] = self;
    v("copies", copies), v("fair_share", fair_share), v("account", account);
    v("time_min_ms", time_min), v("fill_min_ms", fill_min), v("ran_ms", ran);
    v("id", id), v("tier", tier), v("priority", priority), v("eligible", eligible);
    v("time_limit_ms", time_limit), v("may_preempt", may_preempt), v("held", held);
    v("limits", limits), v("rank", rank);
    static_cast<void>(request);
  }
}

template <class Visit, class Self>
void fields_of(Visit& v, Self& self) {
  using T = std::remove_const_t<Self>;
  if constexpr (std::is_same_v<T, Now>) {
    auto& [boot, wall] = self;
    v("boot", boot), v("wall", wall);
  } else if constexpr (std::is_same_v<T, Request>) {
    fields_of_request(v, self);
  } else if constexpr (std::is_same_v<T, RunningJob> || std::is_same_v<T, PendingJob>) {
    fields_of_job(v, self);
  } else if constexpr (std::is_same_v<T, Claimed>) {
    auto& [job, placement] = self;
    v("job", job), v("placement", placement);
  } else if constexpr (std::is_same_v<T, AdvanceReservation>) {
    auto& [name, nodes, occurrences, flex, overrules, for_whom, is_silence, recurs] = self;
    v("is_silence", is_silence), v("recurs", recurs);
    v("name", name), v("nodes", nodes), v("occurrences", occurrences), v("flex", flex);
    v("overrules", overrules), v("for_whom", for_whom);
  } else if constexpr (std::is_same_v<T, AdvanceReservation::Occurrence>) {
    auto& [begin, end] = self;
    v("begin", begin), v("end", end);
  } else if constexpr (std::is_same_v<T, Lifetimes::Ended>) {
    auto& [id, units, bin] = self;
    v("id", id), v("units", units), v("bin", bin);
  } else if constexpr (std::is_same_v<T, UsualRequest>) {
    auto& [cpus, gpus, gpu_milli, gpu_types] = self;
    v("cpus", cpus), v("gpus", gpus), v("gpu_milli", gpu_milli), v("gpu_types", gpu_types);
  } else if constexpr (std::is_same_v<T, Settings> || std::is_same_v<T, PriorityWeights> ||
                       std::is_same_v<T, Backfill>) {
    fields_of_settings(v, self);
  } else {
    fields_of_resources(v, self);
  }
}

// ---- the whole

class RequestList {
 public:
  std::size_t place_of(const Request& request) {
    const auto [begin, end] = places_.equal_range(hash_of(request));
    for (auto it = begin; it != end; ++it)
      if (*requests_[it->second] == request) return it->second;
    places_.emplace(hash_of(request), requests_.size());
    requests_.push_back(&request);
    return requests_.size() - 1;
  }
  Json json() const {
    Json list = Json::array();
    for (const Request* request : requests_) list.push_back(Writer::written(*request));
    return list;
  }

 private:
  std::vector<const Request*> requests_;
  std::unordered_multimap<std::size_t, std::size_t> places_;
};

Json jobs_json(const auto& jobs, RequestList& requests) {
  Json list = Json::array();
  for (const auto& job : jobs) {
    Json& json = list.emplace_back(Writer::written(job));
    json["request"] = requests.place_of(*job.request);
  }
  return list;
}

template <class Job>
std::vector<Job> jobs_from(const Json& list, const std::vector<Shared<Request>>& requests) {
  std::vector<Job> jobs;
  Reader::read(list, jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::size_t place = 0;
    Reader{list[i]}("request", place);
    if (place >= requests.size()) throw Wrong{"a job asks for a request that is not there"};
    jobs[i].request = requests[place];
  }
  return jobs;
}

using Titles = std::map<JobId, JobTitle>;

// Of each user the jobs.
Json users_json(const Titles& titles) {
  Json json = Json::object();
  for (const auto& [id, title] : titles) json[title.user].push_back(id.value);
  return json;
}

// Jobs that people know by another name than their number: tasks of arrays.
Json names_json(const Titles& titles) {
  Json json = Json::array();
  for (const auto& [id, title] : titles)
    if (!title.id.empty() && title.id != std::to_string(id.value))
      json.push_back(Json::array({id.value, title.id}));
  return json;
}

void read_titles(const Json& json, Titles& titles) {
  const Json by_user = json.value("users", Json::object());
  if (!by_user.is_object()) throw Wrong{"users is of another kind"};
  for (const auto& [user, jobs] : by_user.items()) {
    std::vector<JobId> ids;
    Reader::read(jobs, ids);
    for (const JobId id : ids) titles[id].user = user;
  }
  for (const Json& named : json.value("names", Json::array()))
    titles[JobId{named.at(0).get<std::int64_t>()}].id = named.at(1).get<std::string>();
}

Input read_input(const Json& json) {
  std::string format;
  int version = 0;
  Reader reader{json};
  reader("format", format);
  reader("version", version);
  if (format != format_name || version < 1 || version > snapshot_version)
    throw Wrong{"it does not begin as a snapshot of this version does"};
  Input input;
  std::vector<Request> asked;
  reader("now", input.now);
  reader("settings", input.settings);
  reader("nodes", input.world.nodes);
  reader("requests", asked);
  reader("claims", input.claims);
  reader("ended", input.ended);
  reader("charged", input.charged);
  reader("reservations", input.world.reservations);
  reader("quotas", input.world.quotas);
  std::vector<Shared<Request>> requests;
  for (Request& request : asked) {
    check_request(request);
    requests.emplace_back(std::move(request));
  }
  input.world.running = jobs_from<RunningJob>(json.value("running", Json::array()), requests);
  input.world.pending = jobs_from<PendingJob>(json.value("pending", Json::array()), requests);
  for (const Json& one : json.value("usual", Json::array())) {
    UsualRequest task;
    double jobs = 0;
    Reader::read(one, task);
    Reader{one}("jobs", jobs);
    input.usual[task] = jobs;
  }
  read_titles(json, input.titles);
  check(input);
  return input;
}

}  // namespace

std::string text_of(const Input& input) {
  RequestList requests;
  Json json;
  json["format"] = format_name;
  json["version"] = snapshot_version;
  json["now"] = Writer::written(input.now);
  json["settings"] = Writer::written(input.settings);
  json["nodes"] = Writer::written(input.world.nodes);
  json["running"] = jobs_json(input.world.running, requests);
  json["pending"] = jobs_json(input.world.pending, requests);
  json["requests"] = requests.json();
  json["claims"] = Writer::written(input.claims);
  json["ended"] = Writer::written(input.ended);
  json["charged"] = input.charged;
  json["reservations"] = Writer::written(input.world.reservations);
  json["quotas"] = Writer::written(input.world.quotas);
  json["users"] = users_json(input.titles);
  json["names"] = names_json(input.titles);
  json["usual"] = Json::array();
  for (const auto& [task, jobs] : input.usual) {
    Json& one = json["usual"].emplace_back(Writer::written(task));
    one["jobs"] = jobs;
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Input> input_from(std::string_view text) {
  const std::string hint = "it is made by `cox snapshot FILE`";
  try {
    return read_input(Json::parse(text));
  } catch (const Wrong& wrong) {
    return Refusal{"this is no snapshot: " + wrong.fact, hint};
  } catch (const Json::exception&) {
    return Refusal{"this is no snapshot: it is not JSON, or not of its shape", hint};
  }
}

}  // namespace cox::schedule
