// scrontab: what its command line asks for, and what it says. Pure; the text itself is read by
// crontab_text.h, and client/io/scrontab carries it out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "client/slurm/crontab_text.h"
#include "client/slurm/option_words.h"
#include "common/messages.h"

namespace cox {

struct ScrontabRequest {
  enum class What : std::uint8_t { Edit, List, Remove, Install };
  What what = What::Edit;
  std::string user;    // empty: the caller
  std::string file;    // Install: "-" is standard input
  std::string config;  // --config
};

// Or what is said instead. `is_terminal`: standard input is one.
std::variant<ScrontabRequest, Shown> read_scrontab_request(const std::vector<std::string>& words,
                                                           bool is_terminal);
std::span<const WordOption> scrontab_options();

// What the editor shows a user who has no crontab.
std::string default_crontab();

Shown show_crontab(const CrontabShown& crontab, const std::string& user);

// What is wrong with a crontab that the user wrote: said to people, and its lines.
struct CrontabProblem {
  std::string out;
  std::string err;
  std::string marked;      // what an editor's session says of its lines
  std::int32_t first = 0;  // 0: none of its lines
  std::int32_t last = 0;
};
CrontabProblem problem_of(const BadCronLines& bad);        // found here
CrontabProblem problem_of(const CrontabUpdated& updated);  // REQUIRES: it is refused

// Behind a problem, in an editor's session: whether the user wants to go on.
inline constexpr const char* retry_prompt = "Do you want to retry the edit? (y/n) ";

}  // namespace cox
