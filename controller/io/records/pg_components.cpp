#include "controller/io/records/pg_components.h"

#include <nlohmann/json.hpp>

namespace cox {

using Json = nlohmann::json;

std::string components_text(const std::vector<JobSize>& components) {
  Json all = Json::array();
  for (const JobSize& component : components) {
    Json& one = all.emplace_back(Json::object());
    JobSize::named(component, [&](const char* name, const auto& value) { one[name] = value; });
  }
  return all.dump();
}

std::vector<JobSize> components_from(const std::string& text) {
  std::vector<JobSize> components;
  for (const Json& one : Json::parse(text)) {
    JobSize& component = components.emplace_back();
    JobSize::named(component, [&](const char* name, auto& value) { one.at(name).get_to(value); });
  }
  return components;
}

}  // namespace cox
