#include "common/syntax/dependency.h"

#include <array>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "common/base/check.h"
#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/syntax/array_tasks.h"

namespace cox {
namespace {

constexpr std::string_view dependency_hint = "write it like afterok:12:13,afterany:14 or singleton";

struct KindName {
  std::string_view text;
  DependencyKind kind;
};

constexpr auto kind_names = std::to_array<KindName>({
    {"after", DependencyKind::After},
    {"afterany", DependencyKind::AfterAny},
    {"afterok", DependencyKind::AfterOk},
    {"afternotok", DependencyKind::AfterNotOk},
    {"singleton", DependencyKind::Singleton},
    {"aftercorr", DependencyKind::AfterCorr},
});

std::optional<DependencyKind> kind_from(std::string_view word) {
  const std::string low = lower_case(word);
  for (const KindName& known : kind_names)
    if (known.text == low) return known.kind;
  return std::nullopt;
}

// Parses "12", "12_3" or "12_*" into the job and the task of the term.
Failure parse_job(std::string_view text, Dependency& term) {
  const std::size_t line = text.find('_');
  const auto id = parse_count(text.substr(0, line), 1, std::numeric_limits<std::int64_t>::max());
  if (!id) return Refusal{quoted(text) + " is not the id of a job", std::string(dependency_hint)};
  term.on = JobId{*id};
  if (line == std::string_view::npos || text.substr(line + 1) == "*") return std::nullopt;
  const auto task = parse_count(text.substr(line + 1), 0, limits::array_task_id_max);
  if (!task)
    return Refusal{"the task of " + quoted(text) + ": " + task.refusal().fact,
                   "name one task, as in afterok:12_3, or all of them: afterok:12"};
  term.task = *task;
  return std::nullopt;
}

// Parses "12" or "12_3", and with the type `after` also "12+5", five minutes after the job's begin.
Result<Dependency> parse_term(DependencyKind kind, std::string_view text) {
  constexpr std::int64_t minutes_max = limits::time_limit_s_max / 60;
  Dependency term;
  term.kind = kind;
  const std::size_t plus = text.find('+');
  if (Failure failure = parse_job(text.substr(0, plus), term)) return *std::move(failure);
  const std::string job = std::string(text.substr(0, plus));
  if (kind == DependencyKind::AfterCorr && term.task >= 0)
    return Refusal{quoted(text) + " names one task, but aftercorr needs a whole array",
                   "write afterok:" + job};
  if (plus == std::string_view::npos) return term;
  if (kind != DependencyKind::After)
    return Refusal{quoted(text) + " has a delay, which only after: accepts",
                   "write after:" + job + "+MINUTES"};
  const auto minutes = parse_count(text.substr(plus + 1), 0, minutes_max);
  if (!minutes)
    return Refusal{"the minutes of " + quoted(text) + ": " + minutes.refusal().fact,
                   "write after:" + job + "+MINUTES"};
  term.delay_s = *minutes * 60;
  return term;
}

struct Terms {
  std::vector<Dependency> list;
  std::set<std::tuple<DependencyKind, JobId, std::int64_t, std::int64_t>> known;

  void add_once(const Dependency& term) {
    if (known.emplace(term.kind, term.on, term.delay_s, term.task).second) list.push_back(term);
  }
};

Refusal unknown_kind(std::string_view word) {
  std::vector<std::string_view> names;
  std::string all;
  for (const KindName& known : kind_names) {
    names.push_back(known.text);
    all += (all.empty() ? "possible: " : ", ") + std::string(known.text);
  }
  const std::string nearest = did_you_mean(word, names);
  return {quoted(word) + " is not a type of dependency", nearest.empty() ? all : nearest};
}

Refusal too_many_terms() {
  return {
      "it names more than " + std::to_string(limits::dependencies_per_job_max) + " jobs, the limit",
      "let an intermediate job wait for some of them"};
}

// Splits the text at those separators that are not in brackets: "12_[1,3]" is one part.
std::vector<std::string_view> split_outside_brackets(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == ']') inside = text[i] == '[';
    if (text[i] != separator || inside) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// Returns the names of the tasks that "12_[1,3-4]" means, "12_1", "12_3" and "12_4"; any other text
// alone.
Result<std::vector<std::string>> names_of_tasks(std::string_view text) {
  const std::size_t bracket = text.find("_[");
  if (bracket == std::string_view::npos || !text.ends_with(']'))
    return std::vector{std::string(text)};
  const auto tasks = parse_array_tasks(text.substr(bracket + 2, text.size() - bracket - 3));
  if (!tasks) return tasks.refusal();
  if (std::cmp_greater(tasks->count(), limits::dependencies_per_job_max)) return too_many_terms();
  std::vector<std::string> names;
  for (const std::int64_t task : tasks->all())
    names.push_back(std::string(text.substr(0, bracket + 1)) + std::to_string(task));
  return names;
}

// Parses "afterok:12:13". As in Slurm, "12" alone means afterany:12.
Failure parse_part(std::string_view part, Terms& terms) {
  auto words = split(part, ':');
  const bool is_bare =
      words.size() == 1 && !part.empty() && part.front() >= '0' && part.front() <= '9';
  if (is_bare) words.insert(words.begin(), name(DependencyKind::AfterAny));
  const auto kind = kind_from(words.front());
  if (!kind) return unknown_kind(words.front());
  if (*kind == DependencyKind::Singleton) {
    if (words.size() > 1)
      return Refusal{quoted(part) + " names a job, but singleton takes none", "write singleton"};
    terms.add_once({.kind = DependencyKind::Singleton});
    return std::nullopt;
  }
  if (words.size() == 1)
    return Refusal{quoted(part) + " names no job", std::string(dependency_hint)};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto names = names_of_tasks(words[i]);
    if (!names) return names.refusal();
    for (const std::string& each : *names) {
      const Result<Dependency> term = parse_term(*kind, each);
      if (!term) return term.refusal();
      terms.add_once(*term);
      if (terms.list.size() > limits::dependencies_per_job_max) return too_many_terms();
    }
  }
  return std::nullopt;
}

// Refuses terms that must all be met but require a job both to succeed and to fail.
Failure check_contradiction(const std::vector<Dependency>& terms) {
  std::set<std::pair<JobId, std::int64_t>> failing;
  for (const Dependency& term : terms)
    if (term.kind == DependencyKind::AfterNotOk) failing.emplace(term.on, term.task);
  for (const Dependency& term : terms) {
    if (term.kind != DependencyKind::AfterOk || !failing.contains({term.on, term.task})) continue;
    const std::string job =
        std::to_string(term.on.value) + (term.task < 0 ? "" : "_" + std::to_string(term.task));
    return Refusal{"afterok:" + job + " and afternotok:" + job + " can never both be met",
                   "write afterany:" + job + ", or '?' between them (any of them)"};
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(DependencyKind kind) {
  for (const KindName& known : kind_names)
    if (known.kind == kind) return known.text;
  CHECK(false && "unknown DependencyKind");
}

Result<DependencyWish> parse_dependency(std::string_view text) {
  const bool all = split_outside_brackets(text, ',').size() > 1;
  DependencyWish wish;
  wish.any = text.find('?') != std::string_view::npos;
  if (all && wish.any)
    return Refusal{quoted(text) + " has both ',' (all of them) and '?' (any of them)",
                   "use one of the two"};
  if (wish.any && text.find('+') != std::string_view::npos)
    return Refusal{quoted(text) + " has a delay together with '?' (any of them)",
                   "leave the delay out, or require all of them with ','"};
  Terms terms;
  for (const std::string_view part : split_outside_brackets(text, wish.any ? '?' : ','))
    if (Failure failure = parse_part(part, terms)) return *std::move(failure);
  if (!wish.any)
    if (Failure failure = check_contradiction(terms.list)) return *std::move(failure);
  wish.terms = std::move(terms.list);
  return wish;
}

std::string format_dependency(const DependencyWish& wish) {
  std::string text;
  for (const Dependency& term : wish.terms) {
    if (!text.empty()) text += wish.any ? '?' : ',';
    text += name(term.kind);
    if (term.kind != DependencyKind::Singleton) text += ":" + std::to_string(term.on.value);
    if (term.task >= 0) text += "_" + std::to_string(term.task);
    if (term.delay_s > 0) text += "+" + std::to_string(term.delay_s / 60);
  }
  return text;
}

}  // namespace cox
