#include "common/job/container.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <utility>

#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::string_view image_option = "container-image";
constexpr std::string_view bundle_option = "container";
constexpr std::string_view name_option = "container-name";
constexpr std::string_view work_dir_option = "container-workdir";
constexpr std::string_view mounts_option = "container-mounts";
constexpr std::string_view environment_option = "container-env";

constexpr auto container_option_names = std::to_array<std::string_view>(
    {image_option, bundle_option, name_option, work_dir_option, mounts_option, environment_option});
constexpr auto container_placeholders = std::to_array<std::string_view>(
    {"{image}", "{name}", "{workdir}", "{mounts}", "{environment}", "{gpus}"});

// Returns the container option of a stored text such as "container-image=..."; "" if it is another
// option or has no value.
std::string_view option_name(std::string_view stored) {
  const std::string_view name = stored.substr(0, stored.find('='));
  const auto found = std::ranges::find(container_option_names, name);
  return found == container_option_names.end() || name.size() == stored.size() ? "" : *found;
}

std::vector<std::string> comma_parts(std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, ',')) parts.emplace_back(part);
  return parts;
}

// Returns the mount with both of its paths: "/a" becomes "/a:/a".
std::string whole_mount(const std::string& mount) {
  return mount.find(':') == std::string::npos ? mount + ":" + mount : mount;
}

bool is_mount(std::string_view mount) {
  const auto parts = split(mount, ':');
  return parts.size() <= 3 && parts[0].starts_with('/') &&
         (parts.size() == 1 || parts[1].starts_with('/')) &&
         (parts.size() < 3 || !parts[2].empty());
}

bool is_variable_name(std::string_view name) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::ranges::all_of(name, is_part);
}

Failure check_parts(std::string_view value, bool (*is_good)(std::string_view),
                    const std::string& wanted) {
  const auto parts = split(value, ',');
  if (parts.size() > limits::container_parts_max)
    return Refusal{"it lists " + std::to_string(parts.size()) + " entries; the limit is " +
                       std::to_string(limits::container_parts_max),
                   "list fewer"};
  for (const std::string_view part : parts)
    if (!is_good(part)) return Refusal{quoted(part) + " is not " + wanted, ""};
  return std::nullopt;
}

// Returns the value of the variable; "" if it is not set.
std::string_view variable_in(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& one : environment)
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      return std::string_view(one).substr(name.size() + 1);
  return "";
}

// Returns the indices of the task's GPUs, from CUDA_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES in its
// environment.
std::vector<std::string> gpus_in(const std::vector<std::string>& environment) {
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"})
    if (const auto devices = variable_in(environment, name); !devices.empty())
      return comma_parts(devices);
  return {};
}

std::vector<std::string> one_or_none(const std::string& value) {
  return value.empty() ? std::vector<std::string>{} : std::vector<std::string>{value};
}

// Returns the values that replace a placeholder such as {mounts}. A word of the command is repeated
// for each of them.
std::vector<std::string> values_for(std::string_view placeholder, const ContainerWish& wish,
                                    const ContainerTask& task) {
  if (placeholder == "{image}") return {wish.image};
  if (placeholder == "{name}") return one_or_none(wish.name);
  if (placeholder == "{workdir}") return one_or_none(wish.work_dir);
  if (placeholder == "{environment}") return wish.environment;
  if (placeholder == "{gpus}") return gpus_in(task.environment);
  std::vector<std::string> mounts;
  for (const std::string& folder : task.folders)
    if (!folder.empty()) mounts.push_back(whole_mount(folder));
  for (const std::string& mount : wish.mounts) mounts.push_back(whole_mount(mount));
  return mounts;
}

std::string_view placeholder_in(std::string_view word) {
  for (const std::string_view placeholder : container_placeholders)
    if (word.find(placeholder) != std::string_view::npos) return placeholder;
  return "";
}

void add_filled(std::vector<std::string>& words, const std::string& word, const ContainerWish& wish,
                const ContainerTask& task) {
  const std::string_view placeholder = placeholder_in(word);
  if (placeholder.empty()) return words.push_back(word);
  for (const std::string& value : values_for(placeholder, wish, task)) {
    std::string filled = word;
    filled.replace(word.find(placeholder), placeholder.size(), value);
    words.push_back(std::move(filled));
  }
}

// Refuses a word of container_command with an unknown placeholder, or with more than one.
Failure check_command_word(const std::string& word) {
  const std::size_t begin = word.find('{');
  if (begin == std::string::npos) return std::nullopt;
  const std::string placeholder = word.substr(begin, word.find('}', begin) - begin + 1);
  const bool is_known =
      std::ranges::find(container_placeholders, placeholder) != container_placeholders.end();
  if (is_known && word.find('{', begin + 1) == std::string::npos) return std::nullopt;
  return Refusal{"has the word " + quoted(word) +
                     "; a word may contain at most one of {image}, {name}, {workdir}, {mounts}, "
                     "{environment} and {gpus}",
                 ""};
}

}  // namespace

Failure check_container_option(std::string_view name, std::string_view value) {
  if (value.empty() || value.size() > limits::wish_bytes_max || !is_utf8(value) ||
      has_control_characters(value))
    return Refusal{"it is empty, longer than " + std::to_string(limits::wish_bytes_max) +
                       " bytes, or not printable",
                   ""};
  if (name == mounts_option)
    return check_parts(value, is_mount, "/HERE:/IN/THE/CONTAINER[:FLAGS] with absolute paths");
  if (name == environment_option) return check_parts(value, is_variable_name, "a variable's name");
  if (name == work_dir_option && !value.starts_with('/'))
    return Refusal{quoted(value) + " is not an absolute path", ""};
  // The command of the site would take such a value for one of its own options.
  if (value.starts_with('-')) return Refusal{quoted(value) + " begins with -", ""};
  return std::nullopt;
}

std::vector<std::string> container_options(const std::vector<std::string>& stored_options) {
  std::vector<std::string> options;
  for (const std::string& stored : stored_options)
    if (!option_name(stored).empty()) options.push_back(stored);
  return options;
}

bool wants_container(const std::vector<std::string>& stored_options) {
  return std::ranges::any_of(stored_options, [](const std::string& stored) {
    const std::string_view name = option_name(stored);
    return name == image_option || name == bundle_option;
  });
}

Result<ContainerWish> container_wish(const std::vector<std::string>& stored_options) {
  ContainerWish wish;
  std::size_t images = 0;
  for (const std::string& stored : stored_options) {
    const std::string_view name = option_name(stored);
    if (name.empty()) continue;
    const std::string value = stored.substr(name.size() + 1);
    if (const auto wrong = check_container_option(name, value))
      return Refusal{"--" + std::string(name) + ": " + wrong->fact, wrong->hint};
    if (name == image_option || name == bundle_option) {
      wish.image = value;
      ++images;
    }
    if (name == name_option) wish.name = value;
    if (name == work_dir_option) wish.work_dir = value;
    if (name == mounts_option) wish.mounts = comma_parts(value);
    if (name == environment_option) wish.environment = comma_parts(value);
  }
  if (images > 1)
    return Refusal{"--container-image and --container exclude each other", "give one of them"};
  return wish;
}

Result<std::vector<std::string>> parse_container_command(const std::vector<std::string>& words) {
  if (words.empty()) return words;
  if (words.size() > limits::container_words_max)
    return Refusal{"has " + std::to_string(words.size()) + " words; the limit is " +
                       std::to_string(limits::container_words_max),
                   ""};
  if (!words.front().starts_with('/'))
    return Refusal{"begins with " + quoted(words.front()) +
                       "; the first word must be the absolute path of a program",
                   ""};
  bool has_image = false;
  for (const std::string& word : words) {
    if (word.empty() || word.size() > limits::path_bytes_max || has_control_characters(word))
      return Refusal{"has a word that is empty, longer than " +
                         std::to_string(limits::path_bytes_max) + " bytes, or not printable",
                     ""};
    if (auto wrong = check_command_word(word)) return *wrong;
    has_image = has_image || placeholder_in(word) == "{image}";
  }
  if (!has_image) return Refusal{"has no word with {image}", ""};
  return words;
}

Result<std::vector<std::string>> container_words(const std::vector<std::string>& command,
                                                 const std::vector<std::string>& stored_options,
                                                 ContainerTask task) {
  if (!wants_container(stored_options)) return std::move(task.words);
  const auto wish = container_wish(stored_options);
  if (!wish) return wish.refusal();
  if (command.empty())
    return Refusal{"this node runs no containers: " + std::string(container_setting) +
                       " of [worker] is not set in its coxswain.toml",
                   ""};
  std::vector<std::string> words;
  for (const std::string& word : command) add_filled(words, word, *wish, task);
  std::ranges::move(task.words, std::back_inserter(words));
  return words;
}

}  // namespace cox
