#include "controller/io/records/pg_job_load.h"

#include <algorithm>

#include "controller/io/records/pg_records.h"

namespace cox {
namespace {

// Number of FETCH statements sent at once in one pipeline.
constexpr std::size_t pieces_at_once = 32;
constexpr std::size_t groups_unused_max = 1'000;

}  // namespace

std::vector<PgStatement> PgJobLoad::begin(Wall ended_since, std::int64_t timeline) {
  drop_unkept();
  if (timeline != timeline_ || ended_since < kept_since_) forget();
  timeline_ = timeline;
  step_ = Step::Jobs;
  ended_since_ = ended_since;
  all_fetched_ = false;
  return {{"count_jobs", {pg_text(ended_since_)}}, {"load_jobs", {pg_text(ended_since_), lacks_}}};
}

void PgJobLoad::begun(const PgRows& counted) {
  count_ = counted.number(0, "jobs");
  would_lack_ = counted.cell(0, "lacks").value_or("");
}

void PgJobLoad::forget() {
  kept_ = {};
  groups_kept_ = 0;
  lacks_.clear();
  kept_since_ = {};
  drop_unkept();
}

void PgJobLoad::drop_unkept() {
  fresh_ = {};  // assigned, not cleared, so that the memory is freed
  fresh_ids_ = {};
  wanted_.clear();
  groups_.resize(groups_kept_);
  std::erase_if(known_, [this](const auto& one) { return one.second >= groups_kept_; });
}

bool PgJobLoad::go_on(PgConnection& connection, Boot now) {
  if (!all_fetched_) {
    fetch(connection, now);
    return true;
  }
  if (step_ == Step::Specs) return false;
  all_fetched_ = false;
  if (!is_complete()) {
    forget();
    connection.run({{"close_jobs", {}}, {"load_jobs", {pg_text(ended_since_), lacks_}}}, now);
    return true;
  }
  step_ = Step::Specs;
  std::vector<JobId> firsts;
  for (Group group = groups_kept_; group < groups_.size(); ++group) {
    firsts.push_back(groups_[group].first);
    wanted_[firsts.back().value] = group;
  }
  connection.run({{"load_specs", {pg_text(firsts)}}}, now);
  return true;
}

void PgJobLoad::fetch(PgConnection& connection, Boot now) {
  const bool jobs = step_ == Step::Jobs;
  const auto take_them = [this, jobs](const PgRows& rows) {
    all_fetched_ = rows.size() == 0;
    jobs ? take(rows) : take_specs(rows);
  };
  const PgStatement piece{jobs ? "fetch_jobs" : "fetch_specs", {}};
  connection.run(std::vector<PgStatement>(pieces_at_once, piece), now, take_them);
}

void PgJobLoad::take(const PgRows& rows) {
  for (JobOfDigest& one : jobs_of_digests_from(rows)) {
    const Group group = group_of(one.uid, std::move(one.spec_digest), one.job.id);
    fresh_.push_back({std::move(one.job), group});
  }
}

PgJobLoad::Group PgJobLoad::group_of(std::uint32_t uid, std::string digest, JobId id) {
  const Group next = groups_.size();
  // An empty digest means that the row was changed by hand, or that an older program wrote it.
  const bool is_alone = digest.empty();
  const Group group =
      is_alone ? next : known_.try_emplace({uid, std::move(digest)}, next).first->second;
  if (group == next) groups_.push_back({id, std::nullopt});
  return group;
}

void PgJobLoad::take_specs(const PgRows& rows) {
  for (Job& job : jobs_from(rows)) groups_[wanted_.at(job.id.value)].spec = std::move(job.spec);
}

// Returns whether the kept rows and the rows just read are together as many as the database
// counted.
bool PgJobLoad::is_complete() {
  if (lacks_.empty()) return true;
  fresh_ids_.reserve(fresh_.size());
  for (const Row& row : fresh_) fresh_ids_.push_back(row.job.id);
  std::ranges::sort(fresh_ids_);
  const auto counted =
      std::ranges::count_if(fresh_, [this](const Row& row) { return !is_past(row.job); });
  const auto current =
      std::ranges::count_if(kept_, [this](const Row& row) { return is_current(row); });
  return counted + current == count_;
}

bool PgJobLoad::is_current(const Row& kept) const {
  return !is_past(kept.job) && !std::ranges::binary_search(fresh_ids_, kept.job.id);
}

std::vector<JobId> PgJobLoad::that_ran() const {
  std::vector<JobId> ran;
  const auto look_at = [&](const Job& job) {
    if (job.attempt.value > 0 && (!is_final(job.state) || job.ended >= ended_since_))
      ran.push_back(job.id);
  };
  for (const Row& row : kept_)
    if (is_current(row)) look_at(row.job);
  for (const Row& row : fresh_) look_at(row.job);
  return ran;
}

std::vector<PgJobLoad::Row*> PgJobLoad::by_id() {
  std::vector<std::pair<JobId, Row*>> order;
  order.reserve(kept_.size() + fresh_.size());
  for (Row& row : kept_)
    if (is_current(row)) order.emplace_back(row.job.id, &row);
  for (Row& row : fresh_) order.emplace_back(row.job.id, &row);
  std::ranges::sort(order);
  std::vector<Row*> rows;
  rows.reserve(order.size());
  for (const auto& [id, row] : order) rows.push_back(row);
  return rows;
}

std::vector<Job> PgJobLoad::jobs() && {
  const std::vector<Row*> rows = by_id();
  std::vector<Job> jobs;
  jobs.reserve(rows.size());
  for (Row* row : rows) {
    jobs.push_back(std::move(row->job));
    jobs.back().spec = groups_[row->group].spec.value();
  }
  return jobs;
}

void PgJobLoad::keep() {
  const std::vector<Row*> rows = by_id();
  std::vector<Row> all;
  all.reserve(rows.size());
  std::vector<bool> is_used(groups_.size());
  for (Row* row : rows) {
    is_used[row->group] = true;
    all.push_back(std::move(*row));
  }
  const auto used = static_cast<std::size_t>(std::ranges::count(is_used, true));
  kept_ = std::move(all);
  groups_kept_ = groups_.size();
  lacks_ = would_lack_;
  kept_since_ = ended_since_;
  drop_unkept();
  // With too many unused specifications, drops all: the next load reads all rows.
  if (groups_.size() > 2 * used + groups_unused_max) forget();
}

}  // namespace cox
