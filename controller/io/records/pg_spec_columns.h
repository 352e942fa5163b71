// The columns of cox.job that say what a job asked for, in the order of the table: in parts,
// as they were added. For pg_jobs.cpp.
#pragma once

#include "common/job/job.h"

namespace cox {

template <class Spec, class Visit>
void spec_columns(Spec& s, Visit& v) {
  v("form", s.form);
  v("command", s.command);
  v("script_hash", s.script_hash);
  v("environment_hash", s.environment_hash);
  v("uid", s.uid);
  v("gid", s.gid);
  v("work_dir", s.work_dir);
  v("output", s.output);
  v("error", s.error);
  v("input", s.input);
  v("append_output", s.append_output);
  v("nodes", s.nodes);
  v("tasks", s.tasks);
  v("tasks_asked", s.tasks_asked);
  v("tasks_per_node", s.tasks_per_node);
  v("cpus_per_task", s.cpus_per_task);
  v("cpus_per_task_asked", s.cpus_per_task_asked);
  v("memory_mb_per_node", s.memory_mb_per_node);
  v("gpu_type", s.gpu_type);
  v("gpus_per_node", s.gpus_per_node);
  v("exclusive", s.exclusive);
  v("nodelist", s.nodelist);
  v("required_feature", s.constraint);
  v("time_limit_s", s.time_limit_s);
  v("signal_number", s.signal.number);
  v("signal_seconds_before", s.signal.seconds_before);
  v("signal_batch_only", s.signal.batch_only);
  v("checkpoint_signal", s.checkpoint_signal);
  v("checkpoint_by", s.checkpoint_by);
  v("requeue", s.requeue);
  v("requeue_on_timeout", s.requeue_on_timeout);
  v("no_fence", s.no_fence);
  v("hold", s.hold);
  v("submit_host", s.submit_host);
  v("gpu_milli", s.gpu_milli);
  v("gpu_choice", s.gpu_choice);
  v("gres", s.gres);
  v("licences", s.licences);
  v("node_sizes", s.node_sizes);
  v("switches", s.switches);
  v("topology", s.topology);
  v("time_min_s", s.time_min_s);
  v("nice", s.nice);
  v("dependency", s.dependency);
  v("begin_at", s.begin);
  v("deadline_at", s.deadline);
  v("kill_on_invalid_dependency", s.kill_on_invalid_dependency);
}

// Of the specification too, but behind the dependencies in the table.
template <class Spec, class Visit>
void later_spec_columns(Spec& s, Visit& v) {
  v("account", s.account);
  v("reservation", s.reservation);
  v("array_asked", s.array);
}

// Likewise, behind those of arrays.
template <class Spec, class Visit>
void last_spec_columns(Spec& s, Visit& v) {
  v("exclude", s.exclude);
  v("memory_mb_per_cpu", s.memory_mb_per_cpu);
  v("memory_mb_per_gpu", s.memory_mb_per_gpu);
  v("gpus", s.gpus);
  v("gpus_per_task", s.gpus_per_task);
  v("cpus_per_gpu", s.cpus_per_gpu);
  v("tasks_per_gpu", s.tasks_per_gpu);
  v("whole_memory", s.whole_memory);
  v("comment", s.comment);
  v("wckey", s.wckey);
  v("mail_type", s.mail_type);
  v("mail_user", s.mail_user);
  v("command_path", s.command_path);
  v("stored_options", s.stored_options);
}

// Likewise, behind the job's identity.
template <class Spec, class Visit>
void resume_columns(Spec& s, Visit& v) {
  v("resume_job", s.resume_from.job);
  v("resume_step", s.resume_from.step);
  v("resume_attempt", s.resume_from.attempt);
  v("resume_identity", s.resume_from.identity);
  v("resume_ranks", s.resume_from.ranks);
}

// Visits the columns that follow those of --resume-from.
template <class Spec, class Visit>
void wish_columns(Spec& s, Visit& v) {
  v("min_cpus", s.min_cpus);
  v("contiguous", s.contiguous);
  v("exclusive_user", s.exclusive_user);
  v("preferred_feature", s.prefer);
}

}  // namespace cox
