#include "client/slurm/scrontab.h"

#include <array>

#include "client/slurm/text/refused_words.h"
#include "common/base/text.h"

namespace cox {
namespace {

// clang-format off
constexpr auto scrontab_table = std::to_array<WordOption>({
  {"config", 0, Takes::Value, "FILE", "the cluster's coxswain.toml", ""},
  {"edit", 'e', Takes::Nothing, "", "edit the crontab with $VISUAL, $EDITOR or vi", ""},
  {"help", 0, Takes::Nothing, "", "this text", ""},
  {"list", 'l', Takes::Nothing, "", "print the crontab", ""},
  {"remove", 'r', Takes::Nothing, "", "remove the crontab and cancel its pending jobs", ""},
  {"usage", 0, Takes::Nothing, "", "the words in brief", ""},
  {"user", 'u', Takes::Value, "USER", "the crontab of this user", ""},
  {"verbose", 'v', Takes::Nothing, "", "accepted", ""},
  {"version", 'V', Takes::Nothing, "", "the version", ""},
});
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

// Applies the operands. Without an option they decide between Edit and Install.
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

std::span<const WordOption> scrontab_options() {
  return scrontab_table;
}

std::variant<ScrontabRequest, Shown> read_scrontab_request(const std::vector<std::string>& words,
                                                           bool is_terminal) {
  const auto read = read_option_words("scrontab", scrontab_table, words);
  if (const auto* wrong = std::get_if<Shown>(&read)) return *wrong;
  const auto& given = std::get<GivenWords>(read);
  using What = ScrontabRequest::What;
  ScrontabRequest request;
  bool edits = false, lists = false, removes = false;
  for (const GivenWord& word : given.options) {
    const std::string_view name = word.option->name;
    if (auto told =
            told_instead("scrontab", scrontab_table, name, scrontab_usage, scrontab_operands))
      return *told;
    edits |= name == "edit";
    lists |= name == "list";
    removes |= name == "remove";
    if (name == "user") request.user = word.value;
    if (name == "config") request.config = word.value;
  }
  // If several are given, the last of these lines wins, as in Slurm.
  if (edits) request.what = What::Edit;
  if (lists) request.what = What::List;
  if (removes) request.what = What::Remove;
  return with_operands(request, edits || lists || removes, given.operands, is_terminal);
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
