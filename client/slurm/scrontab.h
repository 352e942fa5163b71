// scrontab: parses its command line and formats its messages. Pure; crontab_text.h parses the
// crontab, and client/io/scrontab runs the editor and sends the requests.
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
  std::string user;    // -u: whose crontab; empty: the caller's
  std::string file;    // with Install: the new crontab; "-": standard input
  std::string config;  // --config
};

// Returns the request, or the text to print instead. `is_terminal`: whether standard input is a
// terminal.
std::variant<ScrontabRequest, Shown> read_scrontab_request(const std::vector<std::string>& words,
                                                           bool is_terminal);
std::vector<OptionForm> scrontab_options();

// Returns the text, only comments, with which a user without a crontab begins to edit.
std::string default_crontab();

Shown show_crontab(const CrontabShown& crontab, const std::string& user);

// An error in the user's crontab: the messages about it, and the first and last line that have it.
struct CrontabProblem {
  std::string out;
  std::string err;
  std::string marked;      // printed when the lines were marked in the text
  std::int32_t first = 0;  // counted from 1; 0: no particular line
  std::int32_t last = 0;
};
CrontabProblem problem_of(const BadCronLines& bad);        // an error that the client has found
CrontabProblem problem_of(const CrontabUpdated& updated);  // REQUIRES: the controller refused it

// The question to the user, after an error in a crontab that was edited.
inline constexpr const char* retry_prompt = "Do you want to retry the edit? (y/n) ";

}  // namespace cox
