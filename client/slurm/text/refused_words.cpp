#include "client/slurm/text/refused_words.h"

#include <array>
#include <string_view>

#include "client/options/given_options.h"
#include "client/slurm/text/limit_words.h"
#include "client/text/screen.h"

namespace cox {
namespace {

struct WordPair {
  std::string_view ours, slurms;
};

constexpr std::string_view node_count_invalid = "Node count specification invalid";

// Pairs of a piece of a refusal by Coxswain, and Slurm's text for that refusal. The first piece
// that the fact of a refusal contains determines the text.
constexpr auto known_refusals = std::to_array<WordPair>({
    {"there is no job ", invalid_job_id},
    {"there never was a job ", invalid_job_id},
    {" belongs to ", "Access/permission denied"},
    {"only the cluster's own user ", "Access/permission denied"},
    {"there is no node ", "Invalid node name specified"},
    {", which is no node of this cluster", "Invalid node name specified"},
    {"there is no partition ", "Invalid partition name specified"},
    {"there is already a partition ", "Invalid partition name specified"},
    {"Partition is in use", "Partition is in use"},
    {"there is no reservation ", "Requested reservation is invalid"},
    {"there is no QOS ", "Invalid qos specification"},
    {"Invalid qos specification", "Invalid qos specification"},
    {"Invalid account or account/partition combination specified",
     "Invalid account or account/partition combination specified"},
    {" has ended", job_has_ended},
    {"takes no new jobs", "Required partition not available (inactive or drain)"},
    {"--dependency", "Job dependency problem"},
    {"--array", "Invalid job array specification"},
    {"--time asks for ", "Requested time limit is invalid (missing or exceeds some limit)"},
    {"(max_nodes)", node_count_invalid},
    {"(min_nodes)", node_count_invalid},
    {"(max_memory_mb_per_node)", "Memory required by task is not available"},
    {" with feature ", "Invalid feature specification"},
    {"asks for licences ", "Invalid license specification"},
    {"this cluster can never run it", "Requested node configuration is not available"},
});

// Pairs of a command of cox and Slurm's command for the same. Every cox command that a hint
// contains is replaced; one without a counterpart stays.
constexpr auto commands_named = std::to_array<WordPair>({
    {"`cox nodes`", "`sinfo`"},
    {"`cox queue`", "`squeue`"},
    {"`cox queue ", "`squeue -j "},
    {"`cox history ", "`sacct -j "},
    {"`cox cancel", "`scancel"},
    {"`cox hold", "`scontrol hold"},
    {"`cox release", "`scontrol release"},
    {"`cox requeue", "`scontrol requeue"},
    {"`cox show job ", "`scontrol show job "},
    {"`cox show node ", "`scontrol show node "},
    {"`cox show partitions`", "`scontrol show partitions`"},
    {"`cox show reservations`", "`scontrol show reservations`"},
    {"`cox show licenses`", "`scontrol show licenses`"},
    {"`cox show qos`", "`sacctmgr show qos`"},
    {"`cox show accounts`", "`sacctmgr show accounts`"},
});

std::string in_slurms_commands(std::string hint) {
  for (const WordPair& one : commands_named)
    for (std::size_t at = hint.find(one.ours); at != std::string::npos;
         at = hint.find(one.ours, at + one.slurms.size()))
      hint.replace(at, one.ours.size(), one.slurms);
  return hint;
}

// Removes quoted texts from the fact of a refusal. They come from users, so they must not be taken
// for pieces of a refusal.
std::string without_quoted(std::string_view fact) {
  std::string rest;
  bool quoted = false;
  for (const char c : fact) {
    if (c == '"')
      quoted = !quoted;
    else if (!quoted)
      rest += c;
  }
  return rest;
}

// Returns the part of the fact after `words`, which end with a quote, up to the next quote.
std::string named_behind(const std::string& fact, std::string_view words) {
  const std::size_t at = fact.find(words);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + words.size();
  const std::size_t end = fact.find('"', begin);
  return end == std::string::npos ? "" : fact.substr(begin, end - begin);
}

}  // namespace

std::string slurm_words(const Refusal& why) {
  const std::string fact = without_quoted(why.fact);
  if (is_policy_violation(fact)) return policy_violated;
  for (const WordPair& one : known_refusals)
    if (fact.find(one.ours) != std::string::npos) return std::string(one.slurms);
  return why.fact;
}

Refusal refused_job(const std::string& failed, const Refusal& why) {
  const std::string words = slurm_words(why);
  const bool said = words == why.fact;
  return {
      failed + ": " + words,
      in_slurms_commands(said ? why.hint : why.fact + (why.hint.empty() ? "" : "; " + why.hint))};
}

int slurm_exit_code(const Refusal& why) {
  constexpr int usage = 255;
  const std::string fact = without_quoted(why.fact);
  const auto says = [&](std::string_view words) { return fact.find(words) != std::string::npos; };
  if (says(invalid_number) || says("Invalid job array specification") || says(too_many_nodes_asked))
    return exit_refused;
  const bool of_words = says(" specification") || says("option '") || says("option --") ||
                        says("option requires") || says("Invalid directive") ||
                        says("not a valid node count");
  return of_words ? usage : exit_refused;
}

std::string slurm_prelude(const Refusal& why) {
  const std::string partition = named_behind(why.fact, "there is no partition \"");
  if (!partition.empty()) return "invalid partition specified: " + partition;
  if (why.fact.find(" MB on a node; the largest") != std::string::npos)
    return "Memory specification can not be satisfied";
  const std::string fact = without_quoted(why.fact);
  return is_policy_violation(fact) ? limit_reason(fact) : "";
}

}  // namespace cox
