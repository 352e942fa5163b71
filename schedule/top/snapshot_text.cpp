// Converts snapshots to and from JSON by the list of fields of each type (fields.h). The file has
// the fields in the order of the list.
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "common/base/fields.h"
#include "common/syntax/constraint.h"
#include "schedule/model/request_pool.h"
#include "schedule/place/feature_parts.h"
#include "schedule/top/snapshot.h"
#include "schedule/top/snapshot_check.h"

namespace cox::schedule {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "coxswain-snapshot";

template <class T>
inline constexpr bool is_span =
    std::is_same_v<T, Milliseconds> || std::is_same_v<T, std::optional<Milliseconds>>;

// Returns the JSON key: the name of the member, with "_ms" for time spans.
template <class T>
std::string key_of(std::string_view field, const T&) {
  if (field == "partition_tier") return "rank";
  return std::string(field) + (is_span<T> ? "_ms" : "");
}

// ---- values

struct Writer {
  template <class T>
  static Json written(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<int>(value);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else {
      Json json = Json::object();
      each_field(value, [&](std::string_view name, const auto& field) {
        json[key_of(name, field)] = written(field);
      });
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

// Reads JSON into values. Absent keys keep their defaults, so older files can be read.
struct Reader {
  const Json& object;

  template <class T>
  void operator()(const std::string& key, T& value) {
    if (!object.is_object()) throw Wrong{key + " is not in an object"};
    const auto found = object.find(key);
    if (found == object.end()) return;
    try {
      read(*found, value);
    } catch (const Json::exception&) {
      throw Wrong{key + " has the wrong type"};
    }
  }
  template <class T>
  static void read(const Json& json, T& value) {
    if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> number = 0;
      read(json, number);
      value = static_cast<T>(number);
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (!json.is_number_integer()) throw Wrong{"a number is not an integer"};
      const auto number = json.template get<std::int64_t>();
      if (!std::in_range<T>(number)) throw Wrong{"a number is out of range"};
      value = static_cast<T>(number);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      value = json.template get<T>();
    } else {
      Reader reader{json};
      each_field(value,
                 [&](std::string_view name, auto& field) { reader(key_of(name, field), field); });
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
    if (!json.is_array()) throw Wrong{"a value is not a list"};
    values.clear();
    for (const Json& one : json) read(one, values.emplace_back());
  }
};

// ---- the whole snapshot

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
    if (place >= requests.size()) throw Wrong{"a job has an unknown request"};
    jobs[i].request = requests[place];
  }
  return jobs;
}

using Titles = std::map<JobId, JobTitle>;

// Returns for each user the ids of the user's jobs.
Json users_json(const Titles& titles) {
  Json json = Json::object();
  for (const auto& [id, title] : titles) json[title.user].push_back(id.value);
  return json;
}

// Returns the names of jobs that differ from their ids: array tasks.
Json names_json(const Titles& titles) {
  Json json = Json::array();
  for (const auto& [id, title] : titles)
    if (!title.id.empty() && title.id != std::to_string(id.value))
      json.push_back(Json::array({id.value, title.id}));
  return json;
}

void read_titles(const Json& json, Titles& titles) {
  const Json by_user = json.value("users", Json::object());
  if (!by_user.is_object()) throw Wrong{"users has the wrong type"};
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
    throw Wrong{"it does not begin like a snapshot of this version"};
  Input input;
  std::vector<Request> unshared_requests;
  reader("now", input.now);
  reader("settings", input.settings);
  reader("nodes", input.world.nodes);
  reader("requests", unshared_requests);
  reader("claims", input.claims);
  reader("ended", input.ended);
  reader("waits", input.waits);
  reader("charged", input.charged);
  reader("reservations", input.world.reservations);
  reader("quotas", input.world.quotas);
  std::vector<Shared<Request>> requests;
  for (Request& request : unshared_requests) {
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
  json["waits"] = Writer::written(input.waits);
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
  const std::string hint = "make one with `cox snapshot FILE`";
  try {
    return read_input(Json::parse(text));
  } catch (const Wrong& wrong) {
    return Refusal{"this is not a snapshot: " + wrong.fact, hint};
  } catch (const Json::exception&) {
    return Refusal{"this is not a snapshot: it is not JSON, or has the wrong structure", hint};
  }
}

}  // namespace cox::schedule
