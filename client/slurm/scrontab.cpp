#include "client/slurm/scrontab.h"

#include <array>

#include "client/slurm/text/refused_words.h"
#include "common/base/text.h"

namespace cox {
namespace {

struct ScrontabWords {
  ScrontabRequest request;
  bool edits = false, lists = false, removes = false;
};

// clang-format off
constexpr OptionRow<ScrontabWords> scrontab_table[] = {
  {"config", 0, Takes::Value, "FILE", "the cluster's coxswain.toml", "",
   into<&ScrontabWords::request, &ScrontabRequest::config>},
  {"edit", 'e', Takes::Nothing, "", "edit the crontab with $VISUAL, $EDITOR or vi", "",
   into<&ScrontabWords::edits>},
  {"help", 0, Takes::Nothing, "", "this text"},
  {"list", 'l', Takes::Nothing, "", "print the crontab", "", into<&ScrontabWords::lists>},
  {"remove", 'r', Takes::Nothing, "", "remove the crontab and cancel its pending jobs", "",
   into<&ScrontabWords::removes>},
  {"usage", 0, Takes::Nothing, "", "a short usage message"},
  {"user", 'u', Takes::Value, "USER", "the crontab of this user", "",
   into<&ScrontabWords::request, &ScrontabRequest::user>},
  {"verbose", 'v', Takes::Nothing, "", "accepted", "", ignore_option},
  {"version", 'V', Takes::Nothing, "", "the version"},
};
// clang-format on

constexpr const char* scrontab_operands = "[FILE]";
constexpr const char* scrontab_usage =
    "usage:\tscrontab [-u user] file\n"
    "\tscrontab [-u user] [ -e | -l | -r | -v]\n"
    "\t-e\tEdit user's crontab (default action if stdin is a TTY)\n"
    "\t-l\tList user's crontab\n"
    "\t-r\tDelete user's crontab\n"
    "\t-u\tUser to edit crontab for\n";

std::string lines_text(std::int32_t first, std::int32_t last) {
  return std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
}

Shown wrong_usage() {
  return {"", scrontab_usage, exit_refused};
}

// Applies the operands. Without -e, -l or -r: Install, if a file is named or standard input is no
// terminal; otherwise Edit.
std::variant<ScrontabRequest, Shown> with_operands(ScrontabRequest request, bool has_option,
                                                   const std::vector<std::string>& operands,
                                                   bool is_terminal) {
  using What = ScrontabRequest::What;
  if (operands.size() > (has_option ? 0U : 1U)) return wrong_usage();
  if (has_option) {
    if (request.what == What::Edit && !is_terminal)
      return slurm_error("scrontab", "Standard input is not a TTY");
    return request;
  }
  if (operands.empty() && is_terminal) return request;  // Edit
  request.what = What::Install;
  request.file = operands.empty() ? "-" : operands.front();
  return request;
}

}  // namespace

std::vector<OptionForm> scrontab_options() {
  return forms_of<ScrontabWords>(scrontab_table);
}

std::variant<ScrontabRequest, Shown> read_scrontab_request(const std::vector<std::string>& words,
                                                           bool is_terminal) {
  ScrontabWords asked;
  const auto read = read_option_words<ScrontabWords>(
      {"scrontab", scrontab_usage, scrontab_operands}, scrontab_table, words, asked);
  if (const auto* shown = std::get_if<Shown>(&read)) return *shown;
  using What = ScrontabRequest::What;
  // If several options are given, -r counts before -l, and -l before -e, as in Slurm.
  if (asked.edits) asked.request.what = What::Edit;
  if (asked.lists) asked.request.what = What::List;
  if (asked.removes) asked.request.what = What::Remove;
  return with_operands(asked.request, asked.edits || asked.lists || asked.removes,
                       std::get<std::vector<std::string>>(read), is_terminal);
}

std::string default_crontab() {
  return "# Jobs that are repeated. Each line that is not a comment defines a job:\n"
         "#\n"
         "# minute hour day-of-month month day-of-week command\n"
         "#\n"
         "# Times are local times of the controller. Lines that begin with #SCRON are options\n"
         "# of sbatch for the next job. Without its first #, this example would run each day\n"
         "# at 5 o'clock, for at most 10 minutes:\n"
         "#\n"
         "##SCRON --time=10\n"
         "#0 5 * * * /path/to/program\n";
}

Shown show_crontab(const CrontabShown& crontab, const std::string& user) {
  if (!crontab.exists) return {"no crontab for " + printable(user) + "\n", "", exit_refused};
  return {crontab.text, "", exit_ok};
}

CrontabProblem problem_of(const BadCronLines& bad) {
  CrontabProblem problem{"There are errors in your crontab.\n", "",
                         "The failed line(s) is commented out with #BAD:\n", bad.first, bad.last};
  const std::string where = bad.first == 0 ? "" : "line " + lines_text(bad.first, bad.last) + ": ";
  problem.err = "scrontab: error: " + where + printable(bad.why.fact) + "\n";
  if (!bad.why.hint.empty()) problem.err += "scrontab: error: " + printable(bad.why.hint) + "\n";
  return problem;
}

CrontabProblem problem_of(const CrontabUpdated& updated) {
  const Refusal& why = *updated.refused;
  CrontabProblem problem{"", "", "The failed lines are commented out with #BAD:\n",
                         updated.first_refused, updated.last_refused};
  problem.out = "There was an issue with the job submission on lines " +
                lines_text(updated.first_refused, updated.last_refused) +
                "\nThe error code return was: " + printable(slurm_words(why)) +
                "\nThe error message was: " + printable(why.fact) +
                (why.hint.empty() ? "" : "; " + printable(why.hint)) + "\n";
  return problem;
}

}  // namespace cox
