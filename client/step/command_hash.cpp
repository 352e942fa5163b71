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

}  // namespace

std::string command_hash(const std::vector<std::string>& words) {
  std::string kept;
  bool is_value = false;  // of a meeting option
  for (const std::string& word : words) {
    // An argument may be a whole command, as that of `bash -c`.
    std::istringstream parts(word);
    for (std::string part; parts >> part;) {
      const auto equals = part.find('=');
      if (std::exchange(is_value, false)) continue;
      if (is_meeting_option(part.substr(0, equals)))
        is_value = equals == std::string::npos;
      else
        kept += part + '\0';
    }
  }
  return content_hash(kept);
}

}  // namespace cox
