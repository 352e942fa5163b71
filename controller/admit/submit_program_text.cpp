#include "controller/admit/submit_program_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <variant>

#include "common/base/fields.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_columns.h"

namespace cox {
namespace {

using SubmitJson = nlohmann::ordered_json;
// Not ordered_json, which compares each key with all keys before it: an answer with many keys would
// delay the controller's turn.
using AnswerJson = nlohmann::json;

SubmitJson job_json(const JobSpec& spec) {
  SubmitJson job = SubmitJson::object();
  for (const SubmitField& field : submit_fields()) {
    const SubmitValue value = submit_value(spec, field);
    if (!is_requested(value)) continue;
    std::visit([&](const auto& one) { job[std::string(field.name)] = one; }, value);
  }
  SubmitJson components = SubmitJson::array();
  for (std::int64_t i = 1; i < component_count(spec); ++i) {
    SubmitJson& one = components.emplace_back(SubmitJson::object());
    const JobSpec alone = component_spec(spec, i);
    const auto add = [&](std::string_view name, const auto& value) {
      if (value != std::remove_cvref_t<decltype(value)>{}) one[std::string(name)] = value;
    };
    each_field<column_name>(static_cast<const JobSize&>(alone), add);
  }
  job["components"] = std::move(components);
  return job;
}

Refusal no_answer(const std::string& why) {
  return {"its answer is not valid: " + why, ""};
}

Result<SubmitValue> value_from(const AnswerJson& json, const std::string& name) {
  if (json.is_boolean()) return SubmitValue{json.get<bool>()};
  if (json.is_number_integer()) return SubmitValue{json.get<std::int64_t>()};
  if (json.is_string()) return SubmitValue{json.get<std::string>()};
  const auto is_text = [](const AnswerJson& one) { return one.is_string(); };
  if (json.is_array() && std::all_of(json.begin(), json.end(), is_text))
    return SubmitValue{json.get<std::vector<std::string>>()};
  return no_answer(quoted(name) +
                   " must be a text, a whole number, true, false or a list of texts");
}

// Reads the changes of one job. It tries them on an empty job to check their names and kinds.
Failure take_changes(const AnswerJson& json,
                     std::vector<std::pair<const SubmitField*, SubmitValue>>& changes) {
  if (!json.is_object()) return no_answer("\"jobs\" has an entry that is not an object");
  JobSpec trial;
  for (const auto& [name, one] : json.items()) {
    const SubmitField* field = submit_field(name);
    if (field == nullptr) return no_answer(unknown_submit_field(name).fact);
    auto value = value_from(one, name);
    if (!value) return value.refusal();
    if (const auto f = set_submit_value(trial, *field, *value)) return no_answer(f->fact);
    changes.emplace_back(field, std::move(*value));
  }
  return std::nullopt;
}

Failure take_shown_text(const AnswerJson& json, const std::string& key, std::string& text) {
  const auto found = json.find(key);
  if (found == json.end()) return std::nullopt;
  if (!found->is_string()) return no_answer(quoted(key) + " is not a text");
  text = cut_text(printable(found->get<std::string>()), limits::reason_bytes_max);
  if (key == "refuse" && text.empty()) return no_answer("\"refuse\" is empty");
  return std::nullopt;
}

Failure take_jobs(const AnswerJson& json, std::size_t jobs, SubmitVerdict& verdict) {
  const auto found = json.find("jobs");
  if (found == json.end()) return std::nullopt;
  if (!found->is_array() || found->size() != jobs)
    return no_answer("\"jobs\" is not a list of length " + std::to_string(jobs) +
                     ", with one object for each job of the submission");
  verdict.changes.resize(jobs);
  for (std::size_t i = 0; i < jobs; ++i)
    if (auto f = take_changes((*found)[i], verdict.changes[i])) return f;
  return std::nullopt;
}

}  // namespace

std::string submission_text(const std::string& cluster_name, const Caller& caller,
                            std::span<const JobSpec> specs, const std::string& script,
                            bool is_dry_run) {
  SubmitJson json;
  json["cluster"] = cluster_name;
  json["user"] = {{"name", caller.user_name}, {"uid", caller.uid}, {"gid", caller.gid}};
  json["dry_run"] = is_dry_run;
  json["script"] = script;
  SubmitJson jobs = SubmitJson::array();
  for (const JobSpec& spec : specs) jobs.push_back(job_json(spec));
  json["jobs"] = std::move(jobs);
  // JSON must be UTF-8, so other bytes are replaced.
  return json.dump(-1, ' ', false, SubmitJson::error_handler_t::replace) + "\n";
}

Result<SubmitVerdict> submit_verdict_from(const std::string& text, std::size_t jobs) {
  if (text.size() > limits::submit_answer_bytes_max)
    return no_answer("it is longer than " + std::to_string(limits::submit_answer_bytes_max) +
                     " bytes");
  const AnswerJson json = AnswerJson::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    return no_answer("it is not a JSON object: " + quoted(text));
  for (const auto& [key, value] : json.items())
    if (key != "refuse" && key != "note" && key != "jobs")
      return no_answer("it has an unknown key " + quoted(key) +
                       "; the keys are \"refuse\", \"note\" and \"jobs\"");
  SubmitVerdict verdict;
  if (auto f = take_shown_text(json, "refuse", verdict.refuse)) return *f;
  if (auto f = take_shown_text(json, "note", verdict.note)) return *f;
  if (auto f = take_jobs(json, jobs, verdict)) return *f;
  return verdict;
}

}  // namespace cox
