// Writes and reads rows of cox.job.
#include "common/base/content_hash.h"
#include "common/base/fields.h"
#include "common/job/job_columns.h"
#include "common/messages/codec.h"
#include "controller/io/records/pg_components.h"
#include "controller/io/records/pg_records.h"
#include "controller/job/terms_pool.h"

namespace cox {
namespace {

// The dependencies of a job that are not met yet, as parallel arrays.
struct DependencyColumns {
  std::vector<DependencyKind> kind;
  std::vector<JobId> on;
  std::vector<std::int64_t> delay_s;
  std::vector<bool> never;
  std::vector<std::int64_t> task;
};

DependencyColumns columns_of(const std::vector<Dependency>& dependencies) {
  DependencyColumns columns;
  for (const Dependency& term : dependencies) {
    columns.kind.push_back(term.kind);
    columns.on.push_back(term.on);
    columns.delay_s.push_back(term.delay_s);
    columns.never.push_back(term.never);
    columns.task.push_back(term.task);
  }
  return columns;
}

std::vector<Dependency> dependencies_of(const DependencyColumns& columns) {
  std::vector<Dependency> dependencies;
  for (std::size_t i = 0; i < columns.kind.size(); ++i)
    dependencies.push_back(
        {columns.kind[i], columns.on[i], columns.delay_s[i], columns.never[i], columns.task[i]});
  return dependencies;
}

template <class Columns, class Visit>
void dependency_columns(Columns& d, Visit& v) {
  v("dependency_kind", d.kind);
  v("dependency_on", d.on);
  v("dependency_delay_s", d.delay_s);
  v("dependency_never", d.never);
}

template <class Row, class Visit>
void array_columns(Row& j, Visit& v) {
  v("array_job", j.array_job);
  v("array_task", j.array_task);
  v("array_tasks", j.array_tasks);
  v("array_limit", j.array_limit);
}

// Visits one column for each part of a field. The columns of `signal` are signal_number and
// signal_batch_only, for example.
template <class Field, class Visit>
void part_columns(const std::string& prefix, Field& field, Visit& v) {
  each_field(field,
             [&](std::string_view name, auto& part) { v(prefix + std::string(name), part); });
}

// Visits the columns of one field of the specification. The components are one column with JSON.
template <class Field, class Text, class Visit>
void field_columns(std::string_view column, Field& field, Text& components, Visit& v) {
  using Type = std::remove_const_t<Field>;
  if constexpr (std::is_same_v<Type, SignalRequest>)
    part_columns("signal_", field, v);
  else if constexpr (std::is_same_v<Type, ResumeSource>)
    part_columns("resume_", field, v);
  else if constexpr (std::is_same_v<Type, std::vector<JobSize>>)
    v(column, components);
  else
    v(column, field);
}

bool is_same_object(const auto& one, const auto& other) {
  return static_cast<const void*>(&one) == static_cast<const void*>(&other);
}

// Visits all columns of cox.job in the order of the table. Four fields of the specification come
// early; the others are in the order of their list, between columns of the job that were added
// later.
template <class Row, class Spec, class Columns, class Text, class Digest, class Visit>
void job_columns(Row& j, Spec& spec, Columns& dependencies, Text& components, Digest& digest,
                 Visit& v) {
  v("id", j.id);
  v("state", j.state);
  v("name", spec.name);
  v("user_name", spec.user_name);
  v("partition", spec.partition);
  v("qos", spec.qos);
  v("attempt", j.attempt);
  v("held", j.held);
  v("why", j.why);
  v("submitted_at", j.submitted);
  v("eligible_at", j.eligible);
  v("started_at", j.started);
  v("ended_at", j.ended);
  v("exit_code", j.exit_code);
  v("exit_signal", j.exit_signal);
  v("restarts", j.restarts);
  v("avoid_nodes", j.avoid_nodes);
  v("request_id", j.request_id);
  each_field<column_name>(spec, [&](std::string_view column, auto& field) {
    const auto is = [&](const auto& member) { return is_same_object(field, member); };
    if (is(spec.name) || is(spec.user_name) || is(spec.partition) || is(spec.qos)) return;
    if (is(spec.account)) dependency_columns(dependencies, v);
    if (is(spec.exclude)) {
      array_columns(j, v);
      v("dependency_task", dependencies.task);
    }
    if (is(spec.resume_from)) {
      v("held_why", j.held_why);
      v("spec_digest", digest);
      v("identity", j.identity);
    }
    field_columns(column, field, components, v);
  });
}

// Writes the columns that a change of the job's state may change, and those that guard the update.
void move_columns(const Job& j, JobState state_left, AttemptNumber attempt_left, RowBatch& v) {
  v("id", j.id);
  v("state", j.state);
  v("attempt", j.attempt);
  v("held", j.held);
  v("why", j.why);
  v("eligible_at", j.eligible);
  v("started_at", j.started);
  v("ended_at", j.ended);
  v("exit_code", j.exit_code);
  v("exit_signal", j.exit_signal);
  v("restarts", j.restarts);
  v("avoid_nodes", j.avoid_nodes);
  v("state_left", state_left);
  v("attempt_left", attempt_left);
  const DependencyColumns dependencies = columns_of(j.dependencies);
  dependency_columns(dependencies, v);
  array_columns(j, v);
  v("dependency_task", dependencies.task);
  v("held_why", j.held_why);
}

// For reading rows without the specification: reads only the columns of the job itself. Fields of a
// specification are const here, and are skipped.
struct OwnColumns {
  RowReader& reader;

  template <class T>
  void operator()(std::string_view name, T& value) {
    reader(name, value);
  }
  template <class T>
  void operator()(std::string_view, const T&) {}
};

}  // namespace

SpecColumns spec_columns_of(const ParsedSpec& spec) {
  return {components_text(spec.components), content_hash(encode_spec(spec))};
}

void add_job(RowBatch& batch, const Job& job, const SpecColumns& spec) {
  const DependencyColumns dependencies = columns_of(job.dependencies);
  job_columns(job, *job.spec, dependencies, spec.components, spec.digest, batch);
  batch.end_row();
}

void add_guarded_job(RowBatch& batch, const Job& job, JobState state_left,
                     AttemptNumber attempt_left) {
  move_columns(job, state_left, attempt_left, batch);
  batch.end_row();
}

std::vector<Job> jobs_from(const PgRows& rows) {
  std::vector<Job> jobs;
  TermsPool terms;
  RowReader reader(rows);
  while (reader.next()) {
    Job& job = jobs.emplace_back();
    JobSpec spec;
    DependencyColumns dependencies;
    std::string components, digest;
    job_columns(job, spec, dependencies, components, digest, reader);
    spec.components = components_from(components);
    job.dependencies = dependencies_of(dependencies);
    job.spec = terms.parsed(std::move(spec));
  }
  return jobs;
}

std::vector<JobOfDigest> jobs_of_digests_from(const PgRows& rows) {
  std::vector<JobOfDigest> jobs(static_cast<std::size_t>(rows.size()));
  RowReader reader(rows);
  OwnColumns own{reader};
  const JobSpec elsewhere;
  const std::string components;
  for (JobOfDigest& one : jobs) {
    CHECK(reader.next());
    DependencyColumns dependencies;
    job_columns(one.job, elsewhere, dependencies, components, one.spec_digest, own);
    one.job.dependencies = dependencies_of(dependencies);
    reader("uid", one.uid);
  }
  return jobs;
}

}  // namespace cox
