#include "client/io/pages.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <type_traits>

#include "client/show/show_history.h"
#include "client/slurm/list/squeue_request.h"
#include "client/slurm/text/option_words.h"
#include "common/base/limits.h"
#include "common/job/job_ref.h"
#include "common/messages/job_summary_views.h"

namespace cox {
namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Appends the page to `all` and changes the question so that it asks for the next page. Returns
// whether there is a next page.
bool take_page(JobList& all, JobList& page, Question& question) {
  std::vector<JobView> brief = views_of(std::move(page.brief));
  append(page.jobs, brief);
  const bool more = page.more && !page.jobs.empty();
  if (more) std::get<ListJobs>(question).after = page.jobs.back().job.id;
  append(all.jobs, page.jobs);
  for (const auto& id : page.unknown)
    if (std::ranges::find(all.unknown, id) == all.unknown.end()) all.unknown.push_back(id);
  all.more = page.more;
  return more;
}

bool take_page(HistoryPage& all, HistoryPage& page, Question& question) {
  const bool more = page.more && !page.events.empty();
  if (more) std::get<ShowHistory>(question).after_sequence = page.events.back().sequence;
  append(all.events, page.events);
  append(all.job_names, page.job_names);
  all.more = page.more;
  if (!more) order_by_time(all);
  return more;
}

bool take_page(AssociationList& all, AssociationList& page, Question& question) {
  const bool more = page.more && !page.associations.empty();
  if (more) std::get<ListAssociations>(question).after = page.associations.back().association.id;
  append(all.associations, page.associations);
  all.more = page.more;
  all.cluster = page.cluster;
  return more;
}

bool take_page(PriorityList& all, PriorityList& page, Question& question) {
  const bool more = page.more && !page.jobs.empty();
  if (more) std::get<ListPriorities>(question).after = page.jobs.back().id;
  append(all.jobs, page.jobs);
  all.weights = page.weights;
  return more;
}

bool take_page(StepList& all, StepList& page, Question& question) {
  const bool more = page.more && !page.steps.empty();
  if (more) std::get<ListSteps>(question).after = page.steps.back().step.key;
  append(all.steps, page.steps);
  all.more = page.more;
  return more;
}

// All checkpoints of a job are on one page.
bool take_page(CheckpointList& all, CheckpointList& page, Question& question) {
  const bool more = page.more && !page.checkpoints.empty();
  if (more) std::get<ListCheckpoints>(question).after = page.checkpoints.back().checkpoint.key.job;
  append(all.checkpoints, page.checkpoints);
  all.root = page.root;
  all.live_folders = page.live_folders;
  all.more = page.more;
  return more;
}

bool take_page(TriggerList& all, TriggerList& page, Question& question) {
  const bool more = page.more && !page.triggers.empty();
  if (more) std::get<ListTriggers>(question).after = page.triggers.back().id;
  append(all.triggers, page.triggers);
  all.more = page.more;
  return more;
}

// A job whose steps fill several pages is on each of these pages: its steps are joined.
bool take_page(AccountingPage& all, AccountingPage& page, Question& question) {
  const bool more = page.more && !page.records.empty();
  if (more) {
    auto& ask = std::get<ListAccounting>(question);
    ask.after = page.after;
    ask.after_step = page.after_step;
  }
  std::size_t begins = 0;
  const auto same_run = [&](const JobRecord& record) {
    return record.job.id == page.records[begins].job.id &&
           record.run.number == page.records[begins].run.number;
  };
  while (begins < page.records.size()) {
    const auto known = std::find_if(all.records.rbegin(), all.records.rend(), same_run);
    if (known == all.records.rend()) break;
    append(known->steps, page.records[begins++].steps);
  }
  page.records.erase(page.records.begin(),
                     page.records.begin() + static_cast<std::ptrdiff_t>(begins));
  append(all.records, page.records);
  all.more = page.more;
  all.cluster = page.cluster;
  all.now = page.now;
  all.first_moment = page.first_moment;
  return more;
}

template <class Page>
Result<Answer> all_pages(Asker& controller, Question question) {
  Page all;
  for (;;) {
    auto answer = controller.ask(question);
    if (!answer) return answer;
    auto* page = std::get_if<Page>(&*answer);
    if (page == nullptr) return answer;
    if (!take_page(all, *page, question)) return Answer{std::move(all)};
  }
}

// Job ids in one request of this kind, as controller/operate/react.cpp checks them.
template <class Asked>
constexpr std::size_t ids_max = limits::request_ids_max;
template <>
constexpr std::size_t ids_max<ListJobs> = limits::page_rows_max;
template <>
constexpr std::size_t ids_max<ListPriorities> = limits::page_rows_max;
template <>
constexpr std::size_t ids_max<ListSteps> = limits::page_rows_max;
template <>
constexpr std::size_t ids_max<ListAccounting> = limits::page_rows_max;

// Returns the part of the list that begins at `from` and has at most `most` entries.
template <class T>
std::vector<T> part_of(const std::vector<T>& all, std::size_t from, std::size_t most) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(std::min(from, all.size()));
  return {begin,
          begin + std::min<std::ptrdiff_t>(all.end() - begin, static_cast<std::ptrdiff_t>(most))};
}

// Appends the questions that have `most` entries of one list each; `field` and `beside`, if it is
// not null, are lists of the same length.
template <class Asked, class Field, class Beside>
void divide(const Asked& ask, Field field, Beside beside, std::size_t most,
            std::vector<Question>& portions) {
  for (std::size_t from = 0; from < (ask.*field).size(); from += most) {
    Asked some = ask;
    some.*field = part_of(ask.*field, from, most);
    if constexpr (!std::is_null_pointer_v<Beside>) some.*beside = part_of(ask.*beside, from, most);
    portions.push_back(std::move(some));
  }
}

// Appends what `more` has to `all`, without rows that it has already: two ids may mean one job.
void join(JobList& all, JobList& more) {
  std::set<JobId> known;
  for (const JobView& view : all.jobs) known.insert(view.job.id);
  std::erase_if(more.jobs, [&](const JobView& view) { return known.contains(view.job.id); });
  append(all.jobs, more.jobs);
  append(all.unknown, more.unknown);
}

void join(PriorityList& all, PriorityList& more) {
  std::set<JobId> known;
  for (const JobPriority& one : all.jobs) known.insert(one.id);
  std::erase_if(more.jobs, [&](const JobPriority& one) { return known.contains(one.id); });
  append(all.jobs, more.jobs);
}

void join(AccountingPage& all, AccountingPage& more) {
  std::set<std::pair<JobId, std::int64_t>> known;
  const auto key = [](const JobRecord& one) {
    return std::pair{one.job.id, static_cast<std::int64_t>(one.run.number.value)};
  };
  for (const JobRecord& one : all.records) known.insert(key(one));
  std::erase_if(more.records, [&](const JobRecord& one) { return known.contains(key(one)); });
  append(all.records, more.records);
}

void join(StepList& all, StepList& more) {
  std::set<StepKey> known;
  for (const StepView& one : all.steps) known.insert(one.step.key);
  std::erase_if(more.steps, [&](const StepView& one) { return known.contains(one.step.key); });
  append(all.steps, more.steps);
}

void join(Acted& all, Acted& more) {
  append(all.outcomes, more.outcomes);
}

// Joins the answer to a portion of a question to those before it. Returns false if they differ in
// kind: one of them is Refused.
bool join_answers(Answer& all, Answer& more) {
  return std::visit(
      [&](auto& first) {
        using Kind = std::remove_cvref_t<decltype(first)>;
        auto* second = std::get_if<Kind>(&more);
        if constexpr (requires { join(first, *second); })
          if (second != nullptr) return join(first, *second), true;
        return false;
      },
      all);
}

Result<Answer> ask_pages_of_portion(Asker& controller, Question question) {
  if (std::holds_alternative<ListJobs>(question))
    return all_pages<JobList>(controller, std::move(question));
  if (std::holds_alternative<ShowHistory>(question))
    return all_pages<HistoryPage>(controller, std::move(question));
  if (std::holds_alternative<ListAssociations>(question))
    return all_pages<AssociationList>(controller, std::move(question));
  if (std::holds_alternative<ListPriorities>(question))
    return all_pages<PriorityList>(controller, std::move(question));
  if (std::holds_alternative<ListSteps>(question))
    return all_pages<StepList>(controller, std::move(question));
  if (std::holds_alternative<ListCheckpoints>(question))
    return all_pages<CheckpointList>(controller, std::move(question));
  if (std::holds_alternative<ListTriggers>(question))
    return all_pages<TriggerList>(controller, std::move(question));
  if (std::holds_alternative<ListAccounting>(question))
    return all_pages<AccountingPage>(controller, std::move(question));
  return controller.ask(question);
}

}  // namespace

std::vector<Question> portions_of(const Question& question) {
  std::vector<Question> portions;
  std::visit(
      [&](const auto& ask) {
        using Asked = std::remove_cvref_t<decltype(ask)>;
        if constexpr (requires { ask.ids.size() + ask.tasks.size(); }) {
          if (ask.ids.size() > ids_max<Asked> && ask.tasks.empty())
            return divide(ask, &Asked::ids, nullptr, ids_max<Asked>, portions);
          if (ask.ids.size() > ids_max<Asked>)
            return divide(ask, &Asked::ids, &Asked::tasks, ids_max<Asked>, portions);
        }
        if constexpr (std::is_same_v<Asked, ListAccounting>)
          divide(ask, &Asked::names, nullptr, limits::page_rows_max, portions);
      },
      question);
  if (portions.empty()) portions.push_back(question);
  return portions;
}

void add_refused(Acted& acted, std::span<const Question> portions, const Refusal& why) {
  for (const Question& portion : portions)
    std::visit(
        [&](const auto& ask) {
          if constexpr (requires { ask.ids.size() + ask.tasks.size(); })
            for (const JobId id : ask.ids)
              acted.outcomes.push_back({std::to_string(id.value), "", why});
        },
        portion);
}

Result<Answer> ask_all_pages(Asker& controller, const Question& question) {
  std::optional<Answer> all;
  const std::vector<Question> portions = portions_of(question);
  for (std::size_t i = 0; i < portions.size(); ++i) {
    auto answer = ask_pages_of_portion(controller, portions[i]);
    if (!answer || std::holds_alternative<Refused>(*answer)) {
      auto* acted = all ? std::get_if<Acted>(&*all) : nullptr;
      if (acted == nullptr) return answer;
      const Refusal why = answer ? std::get<Refused>(*answer).why : answer.refusal();
      add_refused(*acted, std::span(portions).subspan(i), why);
      return *std::move(all);
    }
    if (!all)
      all = std::move(*answer);
    else if (!join_answers(*all, *answer))
      return answer;
  }
  return *std::move(all);
}

std::optional<Shown> wrong_clusters(std::string_view program, const std::vector<std::string>& asked,
                                    Asker& controller) {
  if (asked.empty()) return std::nullopt;
  const auto answer = controller.ask(ShowCluster{});
  if (!answer) return slurm_error(program, answer.refusal().fact);
  const auto* cluster = std::get_if<ClusterView>(&*answer);
  if (cluster == nullptr) return slurm_error(program, "Unexpected message");
  return refuse_other_clusters(program, asked, cluster->name);
}

}  // namespace cox
