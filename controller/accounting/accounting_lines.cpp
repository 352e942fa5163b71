// Decides requests of sacctmgr that are given as words, or as a text with one request on each line.
#include <algorithm>
#include <iterator>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/accounting/accounting.h"
#include "controller/accounting/accounting_words.h"

namespace cox {
namespace {

// The most lines stored of one request's answer.
constexpr std::size_t lines_stored_per_request_max = 100;
// The most lines stored of the answers to all requests of one text.
constexpr std::size_t lines_stored_per_text_max = 4'000;

struct NumberedLine {
  std::size_t number = 0;
  std::string_view text;
};

std::vector<NumberedLine> non_blank_lines(std::string_view text) {
  std::vector<NumberedLine> lines;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.find_first_not_of(" \t\v\f\r") != std::string_view::npos)
      lines.push_back({number, line});
  }
  return lines;
}

Result<AccountingRuling> rule_on_line(const Cluster& cluster, AccountingBooks& books,
                                      std::string_view line) {
  const auto words = split_words(line);
  if (!words) return words.refusal();
  return rule_on_accounting(cluster, books, *words);
}

std::vector<std::string> shortened(std::vector<std::string> lines, std::size_t most) {
  if (lines.size() <= most) return lines;
  const std::size_t left_out = lines.size() - most;
  lines.resize(most);
  lines.push_back("and " + std::to_string(left_out) + " more");
  return lines;
}

Refusal refusal_of_all(const NumberedLine& line, std::size_t lines, const Refusal& why) {
  std::string hint = why.hint.empty() ? "" : why.hint + "; ";
  hint += "nothing was changed: all " + std::to_string(lines) + " lines are done, or none";
  return {"line " + std::to_string(line.number) + " (" + quoted(line.text) + "): " + why.fact,
          hint};
}

// Checks the condition cluster=: there is only this cluster.
Failure check_clusters(const Cluster& cluster, const AccountingRequest& request) {
  const std::string& ours = cluster.config().cluster_name;
  const bool adds = request.verb == AccountingVerb::Add;
  const auto is_ours = [&](const std::string& name) { return name == lower_case(ours); };
  const auto other = std::ranges::find_if_not(request.clusters, is_ours);
  const bool any_ours = std::ranges::any_of(request.clusters, is_ours);
  if (other == request.clusters.end() || (any_ours && !adds)) return std::nullopt;
  const std::string hint = "this is cluster " + ours + ": leave cluster= out, or name it";
  if (adds) return Refusal{"This cluster " + quoted(*other) + " doesn't exist", hint};
  return nothing_done(request, {"there is no cluster " + quoted(*other), hint});
}

}  // namespace

std::vector<std::string> stored_answer(std::vector<std::string> lines) {
  return shortened(std::move(lines), lines_stored_per_request_max);
}

Result<AccountingRuling> rule_on_accounting(const Cluster& cluster, AccountingBooks& books,
                                            const AccountingRequest& request) {
  if (auto f = check_clusters(cluster, request)) return *f;
  if (request.entity == AccountingEntity::Qos) return rule_on_qos(cluster, books, request);
  return rule_on_associations(cluster, books, request);
}

Result<AccountingRuling> rule_on_accounting(const Cluster& cluster, AccountingBooks& books,
                                            const std::vector<std::string>& words) {
  const auto request = parse_accounting(words);
  if (!request) return request.refusal();
  return rule_on_accounting(cluster, books, *request);
}

Result<AccountingRuling> rule_on_accounting_lines(const Cluster& cluster, std::string_view text) {
  const std::vector<NumberedLine> lines = non_blank_lines(text);
  AccountingBooks books(cluster);
  if (lines.size() <= 1) {
    auto one = rule_on_line(cluster, books, text);
    if (one) one->lines = stored_answer(std::move(one->lines));
    return one;
  }
  if (lines.size() > limits::accounting_lines_max)
    return Refusal{"it has " + std::to_string(lines.size()) + " lines; the limit is " +
                       std::to_string(limits::accounting_lines_max),
                   "split it into several calls"};
  AccountingRuling all;
  for (const NumberedLine& line : lines) {
    auto one = rule_on_line(cluster, books, line.text);
    if (!one) return refusal_of_all(line, lines.size(), one.refusal());
    std::ranges::move(one->changes, std::back_inserter(all.changes));
    std::ranges::move(stored_answer(std::move(one->lines)), std::back_inserter(all.lines));
  }
  all.lines = shortened(std::move(all.lines), lines_stored_per_text_max);
  return all;
}

}  // namespace cox
