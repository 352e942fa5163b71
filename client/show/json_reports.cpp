// --json of commands that do not ask the controller, such as `cox import` and `cox doctor`.
#include <nlohmann/json.hpp>

#include "client/show/json.h"

namespace cox {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_text(const MadeKey& key) {
  return text_of({{"key_file", key.key_file},
                  {"public_file", key.public_file},
                  {"public_key", key.public_key}});
}

std::string json_text(const SavedSnapshot& saved) {
  return text_of({{"file", saved.file}, {"bytes", saved.bytes}});
}

std::string json_text(const std::vector<CheckpointFolder>& folders) {
  Json list = Json::array();
  for (const CheckpointFolder& one : folders)
    list.push_back({{"path", one.path}, {"bytes", one.bytes}});
  return text_of(list);
}

std::string json_text(const ConfigReport& report) {
  Json problems = Json::array();
  for (const auto& problem : report.problems)
    problems.push_back({{"fact", problem.fact}, {"hint", problem.hint}});
  Json warnings = Json::array();
  for (const auto& warning : report.warnings)
    warnings.push_back({{"fact", warning.fact}, {"hint", warning.hint}});
  Json programs = Json::object();
  for (const auto& program : programs_of(report)) programs[program.name] = program.can_run;
  Json values = Json::array();
  for (const auto& line : report.lines)
    values.push_back(
        {{"table", line.table}, {"key", line.key}, {"value", line.value}, {"given", line.given}});
  return text_of({{"path", report.path},
                  {"problems", problems},
                  {"warnings", warnings},
                  {"programs_can_run", programs},
                  {"values", values}});
}

std::string json_text(const Imported& imported) {
  Json files = Json::object();
  for (const SourceFile& file : imported.files) files[file.name] = file.text;
  return text_of({{"files", files}, {"notes", imported.notes}});
}

std::string json_text(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const auto& finding : findings)
    list.push_back({{"health", name(finding.health)},
                    {"check", finding.check},
                    {"fact", finding.fact},
                    {"hint", finding.hint}});
  return text_of({{"findings", list}});
}

}  // namespace cox
