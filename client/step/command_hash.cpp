#include "client/step/command_hash.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

#include "common/base/content_hash.h"

namespace cox {
namespace {

constexpr std::array<std::string_view, 8> meeting_options = {
    "--rdzv-endpoint", "--rdzv-id",         "--master-addr",       "--master-port",
    "--node-rank",     "--main-process-ip", "--main-process-port", "--machine-rank"};

bool is_meeting_option(std::string option) {
  std::ranges::replace(option, '_', '-');
  return std::ranges::find(meeting_options, option) != meeting_options.end();
}

// Returns the words, split at spaces: an argument may be a whole command, as that of `bash -c`.
std::vector<std::string> parts_of(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (const std::string& word : words) {
    std::istringstream text(word);
    for (std::string part; text >> part;) parts.push_back(part);
    if (word.empty()) parts.emplace_back();
  }
  return parts;
}

// Returns whether the argument is empty ("--resume=", "") or contains one of the folders.
bool is_of_attempt(const std::string& part, const std::vector<std::string>& folders) {
  return part.empty() || part.ends_with('=') ||
         std::ranges::any_of(folders, [&](const std::string& folder) {
           return !folder.empty() && part.find(folder) != std::string::npos;
         });
}

bool is_bare_option(const std::string& part) {
  return part.starts_with('-') && part.find('=') == std::string::npos;
}

}  // namespace

std::string command_hash(const std::vector<std::string>& words,
                         const std::vector<std::string>& folders) {
  std::vector<std::string> kept;
  bool is_value = false;  // of a meeting option
  for (const std::string& part : parts_of(words)) {
    const auto equals = part.find('=');
    if (std::exchange(is_value, false)) continue;
    if (is_meeting_option(part.substr(0, equals))) {
      is_value = equals == std::string::npos;
    } else if (is_of_attempt(part, folders)) {
      const bool has_option = equals == std::string::npos && !kept.empty();
      if (has_option && is_bare_option(kept.back())) kept.pop_back();
    } else {
      kept.push_back(part);
    }
  }
  std::string text;
  for (const std::string& part : kept) text += part + '\0';
  return content_hash(text);
}

}  // namespace cox
