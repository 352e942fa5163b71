// scrontab: reads its command line and writes its messages. Pure; crontab_text.h parses the
// crontab, and client/io/scrontab carries the request out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "client/slurm/crontab_text.h"
#include "client/slurm/text/option_words.h"
#include "common/messages/messages.h"

namespace cox {

struct ScrontabRequest {
  enum class What : std::uint8_t { Edit, List, Remove, Install };
  What what = What::Edit;
  std::string user;    // empty means the caller
  std::string file;    // for Install; "-" is standard input
  std::string config;  // --config
};

// Returns the request, or the text to show instead. `is_terminal`: standard input is a terminal.
std::variant<ScrontabRequest, Shown> read_scrontab_request(const std::vector<std::string>& words,
                                                           bool is_terminal);
std::span<const WordOption> scrontab_options();

// Returns the text that the editor shows a user without a crontab.
std::string default_crontab();

Shown show_crontab(const CrontabShown& crontab, const std::string& user);

// A fault in the user's crontab: the messages to the user, and the lines that contain it.
struct CrontabProblem {
  std::string out;
  std::string err;
  std::string marked;      // printed after the editor has marked the lines
  std::int32_t first = 0;  // 0: no particular line
  std::int32_t last = 0;
};
CrontabProblem problem_of(const BadCronLines& bad);        // found by the client
CrontabProblem problem_of(const CrontabUpdated& updated);  // REQUIRES: `updated` is a refusal

// Follows a problem in an editing session.
inline constexpr const char* retry_prompt = "Do you want to retry the edit? (y/n) ";

}  // namespace cox
