// Who is told outside of the cluster what becomes of jobs: their owners by mail (--mail-type), and
// the site's own program. What there is to tell follows from the changes of a turn, and is told
// once they are committed. Pure; controller/io/notifier carries it out.
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
  Job job;  // as it then was; of an array as a whole one of its rows
  bool whole_array = false;
  bool failed = false;        // Ended: otherwise than well
  std::string to;             // whom mail goes to; empty: nobody asked for any
  std::int64_t waited_s = 0;  // Began
  std::int64_t ran_s = 0;     // Ended, Requeued, TimePassed
  int percent = 0;            // TimePassed: so much of its time limit; 100: all of it
};

// `cluster`: with the changes applied.
std::vector<Notice> notices_of(const std::vector<Change>& changes, const Cluster& cluster,
                               Wall now);

// What is told of running jobs by their time alone: TIME_LIMIT_50, _80 and _90, each once an
// attempt, and of several that are due together the last.
class TimeNotices {
 public:
  // What is due now was due to an earlier controller, and is not told again.
  void pass_over(const Cluster& cluster, Now now) { due(cluster, now); }
  std::vector<Notice> due(const Cluster& cluster, Now now);

 private:
  std::map<AttemptKey, int> passed_;  // the percent of those that are live
};

// As Slurm's mail says it: "Slurm Job_id=7 Name=train Ended, Run time 00:01:00, COMPLETED, ExitCode
// 0".
std::string mail_subject(const Notice& notice);
// With its head, as sendmail -t takes it.
std::string mail_text(const Notice& notice, const std::string& cluster_name);

// "began", "ended", "requeued": the program's first word; the second is the job's id. Empty: it is
// for mail alone.
std::string event_name(const Notice& notice);
// Its variables besides: NAME=value.
std::vector<std::string> notice_environment(const Notice& notice, const std::string& cluster_name);

}  // namespace cox
