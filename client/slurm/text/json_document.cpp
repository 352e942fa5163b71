#include "client/slurm/text/json_document.h"

#include "common/base/slurm_version.h"

namespace cox::slurm_json {

Json known(std::int64_t value) {
  return {{"set", true}, {"infinite", false}, {"number", value}};
}

Json unset() {
  return {{"set", false}, {"infinite", false}, {"number", 0}};
}

Json infinite() {
  return {{"set", true}, {"infinite", true}, {"number", 0}};
}

Json set_if(bool set, std::int64_t value) {
  return set ? known(value) : unset();
}

Json moment(Wall t) {
  return known(to_ms(t) / 1000);
}

Json minutes(std::int64_t seconds) {
  return seconds == 0 ? infinite() : known((seconds + 59) / 60);
}

Json words(const std::vector<std::string>& all) {
  return all.empty() ? Json::array() : Json(all);
}

std::string document(const std::vector<std::string>& command, const char* name, Json content,
                     const std::string& cluster, Wall now) {
  const Json release = {
      {"version", {{"major", slurm_major}, {"micro", slurm_micro}, {"minor", slurm_minor}}},
      {"release", slurm_release},
      {"cluster", cluster}};
  const Json all = {{name, std::move(content)},
                    {"last_backfill", unset()},
                    {"last_update", moment(now)},
                    {"meta",
                     {{"plugin",
                       {{"type", ""},
                        {"name", "Coxswain"},
                        {"data_parser", "data_parser/v0.0.40"},
                        {"accounting_storage", ""}}},
                      {"command", words(command)},
                      {"slurm", release}}},
                    {"errors", Json::array()},
                    {"warnings", Json::array()}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cox::slurm_json
