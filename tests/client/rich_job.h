// A running gang with a value in nearly every field, for tests of all columns of a job. Each test
// sets the remaining fields, mostly times, as its command needs them.
#pragma once

#include "common/messages/client_messages.h"

namespace cox {

inline JobView a_rich_view() {
  JobView view;
  Job& job = view.job;
  JobSpec& spec = job.spec.change();
  spec.name = "fit";
  spec.form = JobForm::Gang;
  spec.command = {"python", "fit.py"};
  spec.user_name = "ada";
  spec.gid = 100;
  spec.wckey = "w1";
  spec.qos = "high";
  spec.account = "physics";
  spec.nodelist = {"n1", "n2"};
  spec.exclude = {"n9"};
  spec.submit_host = "login";
  spec.work_dir = "/home/ada";
  spec.nodes = 2;
  spec.tasks = 4;
  spec.tasks_per_node = 2;
  spec.cpus_per_task = 3;
  spec.memory_mb_per_cpu = 1536;
  spec.gpus_per_node = 2;
  spec.gpu_type = "h100";
  spec.gres = "fpga:1";
  spec.licences = "matlab:2";
  spec.constraint = "fast";
  spec.prefer = "new";
  spec.reservation = "class";
  spec.contiguous = true;
  spec.exclusive_user = true;
  spec.time_limit_s = 7200;
  spec.time_min_s = 1800;
  spec.nice = 5;
  job.id = JobId{17};
  job.state = JobState::Running;
  job.attempt = AttemptNumber{3};
  job.restarts = 2;
  view.nodes = {"n1", "n2"};
  view.partition = "long";
  view.cpus = 12;
  view.memory_mb = 18'432;
  view.gpus = 4;
  view.system_comment = "n1: disk is slow";
  view.crontab_spec = "0 1 * * *";
  return view;
}

}  // namespace cox
