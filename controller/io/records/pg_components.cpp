#include "controller/io/records/pg_components.h"

#include <nlohmann/json.hpp>

#include "common/base/fields.h"
#include "common/job/job_columns.h"

namespace cox {

using Json = nlohmann::json;

std::string components_text(const std::vector<JobSize>& components) {
  Json all = Json::array();
  for (const JobSize& component : components) {
    Json& one = all.emplace_back(Json::object());
    each_field<column_name>(component, [&](std::string_view name, const auto& value) {
      one[std::string(name)] = value;
    });
  }
  return all.dump();
}

std::vector<JobSize> components_from(const std::string& text) {
  std::vector<JobSize> components;
  for (const Json& one : Json::parse(text)) {
    JobSize& component = components.emplace_back();
    each_field<column_name>(component, [&](std::string_view name, auto& value) {
      one.at(std::string(name)).get_to(value);
    });
  }
  return components;
}

}  // namespace cox
