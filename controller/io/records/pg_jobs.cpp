// Rows of cox.job.
#include "common/base/content_hash.h"
#include "common/messages/codec.h"
#include "controller/io/records/pg_components.h"
#include "controller/io/records/pg_records.h"
#include "controller/io/records/pg_spec_columns.h"

namespace cox {
namespace {

// What a job still waits for as parallel arrays.
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
  spec_columns(spec, v);
  dependency_columns(dependencies, v);
  later_spec_columns(spec, v);
  array_columns(j, v);
  v("dependency_task", dependencies.task);
  last_spec_columns(spec, v);
  v("components", components);
  v("held_why", j.held_why);
  v("spec_digest", digest);
  v("identity", j.identity);
  resume_columns(spec, v);
  wish_columns(spec, v);
}

// What is true of a job now: all that its changes of state write.
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

// Reads a row without what the job asks for, which may not be changed.
struct OwnColumns {
  RowReader& reader;

  template <class T>
  void operator()(const char* name, T& value) {
    reader(name, value);
  }
  template <class T>
  void operator()(const char*, const T&) {}
};

}  // namespace

void add_job(RowBatch& batch, const Job& job) {
  const DependencyColumns dependencies = columns_of(job.dependencies);
  const std::string components = components_text(job.spec->components);
  const std::string digest = content_hash(encode_spec(*job.spec));
  job_columns(job, *job.spec, dependencies, components, digest, batch);
  batch.end_row();
}

void add_guarded_job(RowBatch& batch, const Job& job, JobState state_left,
                     AttemptNumber attempt_left) {
  move_columns(job, state_left, attempt_left, batch);
  batch.end_row();
}

std::vector<Job> jobs_from(const PgRows& rows) {
  std::vector<Job> jobs;
  RowReader reader(rows);
  while (reader.next()) {
    Job& job = jobs.emplace_back();
    JobSpec spec;
    DependencyColumns dependencies;
    std::string components, digest;
    job_columns(job, spec, dependencies, components, digest, reader);
    spec.components = components_from(components);
    job.dependencies = dependencies_of(dependencies);
    job.spec = std::move(spec);
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
