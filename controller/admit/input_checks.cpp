#include "controller/admit/input_checks.h"

#include <tuple>
#include <utility>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/change/payload.h"

namespace cox {
namespace {

// Refuses paths that are not plain text. The kernel takes any bytes, but PostgreSQL stores text.
Failure check_path(std::string_view what, const std::string& path) {
  return check_word(what, path, limits::path_bytes_max);
}

// Checks values that Coxswain stores and shows but does not use to run the job.
Failure check_stored(const JobSpec& s) {
  if (auto f = check_word("the comment", s.comment, limits::name_bytes_max)) return f;
  if (auto f = check_word("--mail-type", s.mail_type, limits::wish_bytes_max)) return f;
  if (auto f = check_path("the script's path", s.command_path)) return f;
  if (s.stored_options.size() > limits::stored_options_max)
    return over("the list of other options", s.stored_options.size(), limits::stored_options_max,
                "entries");
  for (const std::string& option : s.stored_options)
    if (auto f = check_word("an option", option, limits::wish_bytes_max)) return f;
  return std::nullopt;
}

}  // namespace

Refusal over(std::string_view what, std::size_t is, std::size_t limit, std::string_view unit) {
  return {std::string(what) + " has " + std::to_string(is) + " " + std::string(unit) +
              "; the limit is " + std::to_string(limit),
          "make it smaller"};
}

Failure check_word(std::string_view what, const std::string& word, std::size_t limit) {
  if (word.size() > limit) return over(what, word.size(), limit, "bytes");
  if (!is_utf8(word)) return Refusal{std::string(what) + " is not UTF-8", "use plain text"};
  if (has_control_characters(word))
    return Refusal{std::string(what) + " has control characters: " + printable(word),
                   "use printable characters"};
  return std::nullopt;
}

Failure check_step_words(const CreateStep& ask) {
  if (ask.request_id.empty())
    return Refusal{"the step has no request id", "use srun of this cluster's version"};
  const auto word = [](std::string_view what, const std::string& text) {
    return check_word(what, text, limits::word_bytes_max);
  };
  if (auto f = word("the request id", ask.request_id)) return f;
  if (auto f = check_word("the step's name", ask.spec.name, limits::name_bytes_max)) return f;
  if (auto f = word("the hash of its command", ask.spec.command_hash)) return f;
  for (const auto* list : {&ask.spec.nodelist, &ask.spec.exclude}) {
    if (list->size() > limits::hostlist_nodes_max)
      return over("a node list", list->size(), limits::hostlist_nodes_max, "nodes");
    for (const std::string& node : *list)
      if (auto f = word("a node's name", node)) return f;
  }
  const StreamPlace& streams = ask.streams;
  if (auto f = check_path("the endpoint of its streams", streams.endpoint)) return f;
  for (const auto* key : {&streams.server_key, &streams.public_key, &streams.secret_key})
    if (auto f = word("a key of its streams", *key)) return f;
  return std::nullopt;
}

Failure check_words(const JobSpec& s) {
  if (auto f = check_word("the job name", s.name, limits::name_bytes_max)) return f;
  for (const auto& [what, word] :
       {std::pair<std::string_view, const std::string*>{"the partition", &s.partition},
        {"the QOS", &s.qos},
        {"the account", &s.account},
        {"the reservation", &s.reservation},
        {"the choice of GPUs", &s.gpu_choice},
        {"the wckey", &s.wckey},
        {"--mail-user", &s.mail_user},
        {"the submit host", &s.submit_host}})
    if (auto f = check_word(what, *word, limits::word_bytes_max)) return f;
  for (const auto& [what, list, most] :
       {std::tuple{"the node list", &s.nodelist, std::size_t{limits::nodes_per_job_max}},
        {"--exclude", &s.exclude, limits::hostlist_nodes_max}}) {
    if (list->size() > most) return over(what, list->size(), most, "names");
    for (const auto& n : *list)
      if (auto f = check_word("a node name", n, limits::word_bytes_max)) return f;
  }
  if (auto f = check_stored(s)) return f;
  for (const auto& [what, path] :
       {std::pair<std::string_view, const std::string*>{"the working directory", &s.work_dir},
        {"--output", &s.output},
        {"--error", &s.error},
        {"--input", &s.input}})
    if (auto f = check_path(what, *path)) return f;
  if (s.work_dir.empty() || s.work_dir.front() != '/')
    return Refusal{"the working directory '" + printable(s.work_dir) + "' is not an absolute path",
                   "give --chdir=/an/absolute/path"};
  return std::nullopt;
}

Failure check_range(std::string_view what, std::int64_t value, std::int64_t low,
                    std::int64_t high) {
  if (value >= low && value <= high) return std::nullopt;
  return Refusal{std::string(what) + " is " + std::to_string(value) + "; it may be " +
                     std::to_string(low) + " to " + std::to_string(high),
                 "give a number within that range"};
}

Refusal only_for_owner() {
  return {"only the cluster's own user may do that",
          "ask that user, or run the command as that user"};
}

Failure check_numbers(const JobSpec& s) {
  struct Range {
    std::string_view what;
    std::int64_t value, low, high;
  };
  for (const auto& [what, value, low, high] : {
           Range{"--nodes", s.nodes, 0, limits::nodes_per_job_max},
           Range{"--ntasks", s.tasks, 0, limits::tasks_per_job_max},
           Range{"--ntasks-per-node", s.tasks_per_node, 0, limits::tasks_per_job_max},
           Range{"--cpus-per-task", s.cpus_per_task, 1, limits::cpus_per_task_max},
           Range{"--mem", s.memory_mb_per_node, 0, limits::memory_mb_per_node_max},
           Range{"--mem-per-cpu", s.memory_mb_per_cpu, 0, limits::memory_mb_per_node_max},
           Range{"--mem-per-gpu", s.memory_mb_per_gpu, 0, limits::memory_mb_per_node_max},
           Range{"--gpus", s.gpus, 0, limits::tasks_per_job_max},
           Range{"--gpus-per-task", s.gpus_per_task, 0, limits::gpus_per_node_max},
           Range{"--ntasks-per-gpu", s.tasks_per_gpu, 0, limits::tasks_per_job_max},
           Range{"--cpus-per-gpu", s.cpus_per_gpu, 0, limits::cpus_per_task_max},
           Range{"--mincpus", s.min_cpus, 0, limits::cpus_per_task_max},
           Range{"--gres=gpu", s.gpus_per_node, 0, limits::gpus_per_node_max},
           Range{"--time", s.time_limit_s, 0, limits::time_limit_s_max},
           Range{"--signal's seconds", s.signal.seconds_before, 0, limits::signal_seconds_max},
           Range{"--signal's number", s.signal.number, 0, 64},
           Range{"--checkpoint-signal", s.checkpoint_signal, 0, 64},
       })
    if (auto f = check_range(what, value, low, high)) return f;
  return std::nullopt;
}

Failure check_payload(const Payload& payload) {
  if (payload.script.size() > limits::script_bytes_max)
    return over("the script", payload.script.size(), limits::script_bytes_max, "bytes");
  if (payload.environment.size() > limits::environment_bytes_max)
    return over("the environment", payload.environment.size(), limits::environment_bytes_max,
                "bytes");
  if (payload.script.find('\0') != std::string::npos)
    return Refusal{"the script has a NUL byte", "is it a binary? Wrap it in a script"};
  return std::nullopt;
}

Failure check_command(const JobSpec& s, const Payload& payload) {
  std::size_t bytes = 0;
  for (const auto& word : s.command) {
    bytes += word.size() + 1;
    if (word.find('\0') != std::string::npos)
      return Refusal{"a word of the command has a NUL byte", "remove it"};
    if (!is_utf8(word)) return Refusal{"a word of the command is not UTF-8", "use UTF-8"};
  }
  if (s.command.size() > limits::command_words_max)
    return over("the command", s.command.size(), limits::command_words_max, "words");
  if (bytes > limits::command_bytes_max)
    return over("the command", bytes, limits::command_bytes_max, "bytes");
  if (s.form == JobForm::Gang && s.command.empty())
    return Refusal{"there is no command to run", "cox submit -n4 -- COMMAND [ARGUMENT ...]"};
  if (s.form == JobForm::Allocation && (!s.array.empty() || !payload.script.empty()))
    return Refusal{"an allocation has no script and no array", "submit a batch job for that"};
  if (s.form == JobForm::Batch && !payload.script.starts_with("#!"))
    return Refusal{"the script does not begin with #!", "begin it with #!/bin/bash"};
  return std::nullopt;
}

}  // namespace cox
