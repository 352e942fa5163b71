// Notices about jobs: mail to their owners (--mail-type), and runs of the site's notify_program.
// Notices are made from the changes of a turn and sent after its commit. Pure;
// controller/io/notifier sends them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/change/change.h"
#include "controller/state/cluster.h"

namespace cox {

struct Notice {
  enum class What : std::uint8_t { Began, Ended, Requeued, TimePassed };
  What what = What::Began;
  Job job;  // the job's row when the event happened; for a whole array, one of its rows
  bool whole_array = false;
  bool failed = false;        // for an Ended notice: the job ended in another state than COMPLETED
  std::string to;             // the address of the mail; empty: no mail is sent
  std::int64_t waited_s = 0;  // Began
  std::int64_t ran_s = 0;     // Ended, Requeued, TimePassed
  int percent = 0;  // for a TimePassed notice: how much of the time limit has passed; 100: all
};

// Returns the notices that the changes of a turn cause. `cluster`: with the changes applied.
std::vector<Notice> notices_of(const std::vector<Change>& changes, const Cluster& cluster,
                               Wall now);

// Mail about running jobs that depends only on time: TIME_LIMIT_50, _80 and _90, each once for an
// attempt. If several are due together, only the last is sent.
class TimeNotices {
 public:
  // Called by a new leader: counts what is due now as sent, since the former leader has sent it.
  void pass_over(const Cluster& cluster, Now now) { look(cluster, now); }
  // Returns the notices that are due now. Looks at the jobs at most once a second.
  std::vector<Notice> due(const Cluster& cluster, Now now);

 private:
  std::vector<Notice> look(const Cluster& cluster, Now now);

  Boot looked_{};
  // For each live attempt: the highest percentage that was mailed.
  std::map<AttemptKey, int> passed_;
};

// Returns the subject as Slurm writes it: "Slurm Job_id=7 Name=train Ended, Run time 00:01:00,
// COMPLETED, ExitCode 0".
std::string mail_subject(const Notice& notice);
// Returns the mail with its headers, for sendmail -t.
std::string mail_text(const Notice& notice, const std::string& cluster_name);

// Returns the first argument of notify_program: "began", "ended" or "requeued". (The second is the
// job's id.) Empty: the notice is only mailed.
std::string event_name(const Notice& notice);
// Returns the environment variables that notify_program gets: NAME=value.
std::vector<std::string> notice_environment(const Notice& notice, const std::string& cluster_name);

}  // namespace cox
