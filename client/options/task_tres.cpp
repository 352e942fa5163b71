#include "client/options/task_tres.h"

#include <algorithm>

#include "common/base/text.h"

namespace cox {
namespace {

Refusal refused_entry(std::string_view entry) {
  return {quoted(entry) + " is neither cpu=NUMBER nor gres/gpu[:TYPE]=NUMBER",
          "ask for memory with --mem-per-cpu, for licences with --licenses, for other GRES on each "
          "node with --gres"};
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<TaskTres> parse_task_tres(std::string_view text) {
  TaskTres tres;
  for (const std::string_view entry : split(text, ',')) {
    const std::size_t end = entry.find_last_of("=:");
    const std::string_view name = entry.substr(0, end);
    const std::string_view number =
        end == std::string_view::npos ? std::string_view() : entry.substr(end + 1);
    constexpr std::string_view gpu = "gres/gpu";
    const std::string_view type = name.starts_with(gpu) ? name.substr(gpu.size()) : "";
    const bool is_gpu = name == gpu || (type.size() > 1 && type.starts_with(':'));
    if ((name != "cpu" && !is_gpu) || !is_number(number)) return refused_entry(entry);
    std::string& into = is_gpu ? tres.gpus : tres.cpus;
    if (!into.empty())
      return Refusal{quoted(text) + " names a resource twice", "give one number for each resource"};
    if (!type.empty()) into = std::string(type.substr(1)) + ":";
    into += number;
  }
  return tres;
}

}  // namespace cox
