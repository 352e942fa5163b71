#include "client/show/json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <type_traits>

#include "client/text/moments.h"
#include "client/text/node_faults.h"
#include "common/base/fields.h"

namespace cox {
namespace {

using Json = nlohmann::ordered_json;

// Returns the JSON key of a field of T: the name of the member, except that Association::user_name
// is "user".
template <class T>
constexpr std::string_view json_name(std::string_view field) {
  return std::is_same_v<T, Association> && field == "user_name" ? "user" : field;
}

template <class T>
Json to_json(const T& value);

template <class Tag, class Rep>
Json to_json(const Id<Tag, Rep>& id) {
  return id.value;
}

Json to_json(const TresCount& one) {
  return format_tres({one});
}

Json to_json(const Wall& t) {
  return t == Wall{} ? Json(nullptr) : Json(iso_text(t));
}

template <class T>
Json to_json(const std::optional<T>& value) {
  return value ? to_json(*value) : Json(nullptr);
}

template <class T>
Json to_json(const Shared<T>& value) {
  return to_json(*value);
}

Json to_json(const ArrayTasks& tasks) {
  return format_array_tasks(tasks);
}

Json to_json(const UuidText& uuid) {
  return uuid.text();
}

template <class T>
Json to_json(const std::vector<T>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(to_json(value));
  return list;
}

template <class T>
Json to_json(const MostlyEmpty<T>& value) {
  return to_json(*value);
}

template <class T>
Json to_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return name(value);
  } else if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
    Json object = Json::object();
    each_field<json_name<T>>(value, [&](std::string_view name, const auto& field) {
      object[std::string(name)] = to_json(field);
    });
    // A JobList has `jobs` or, on request, shorter rows in `brief`. An empty `brief` is left out.
    if constexpr (std::is_same_v<T, JobList>)
      if (value.brief.empty()) object.erase("brief");
    return object;
  } else {
    return value;
  }
}

// Returns the document as text. Replaces bytes that are not UTF-8, since JSON does not allow them.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_text(const decltype(Reply::body)& answer) {
  return std::visit([](const auto& body) { return text_of(to_json(body)); }, answer);
}
std::string json_text(const NodeView& view) {
  return text_of(to_json(view));
}
std::string json_text(const ReservationView& view) {
  return text_of(to_json(view));
}
std::string json_text(const Attempt& attempt) {
  return text_of(to_json(attempt));
}
std::string json_text(const SavedStep& saved) {
  return text_of(to_json(saved));
}
std::string json_text(const Refusal& why) {
  return text_of(to_json(Refused{why}));
}

// Writes the event on one line, so that a program can read a stream of events.
std::string json_line(const JobEvent& event, const std::string& shown_id) {
  Json json = to_json(event);
  json["shown_id"] = shown_id;
  json.erase("sequence");  // the database assigns it; events of a stream do not have it yet
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_text(const std::vector<DaemonLine>& processes, const ClusterView* cluster,
                      const std::vector<NodeView>& nodes) {
  Json list = Json::array();
  Json faults = Json::array();
  for (const NodeFault& fault : node_faults(nodes))
    faults.push_back({{"nodes", fault.nodes},
                      {"drained_by", name(fault.by)},
                      {"reason", fault.reason},
                      {"hint", fault_hint(fault)}});
  for (const auto& process : processes)
    list.push_back({{"name", process.name}, {"pid", process.pid}, {"running", process.pid != 0}});
  return text_of({{"processes", list},
                  {"cluster", cluster ? to_json(*cluster) : Json(nullptr)},
                  {"node_faults", faults}});
}

}  // namespace cox
