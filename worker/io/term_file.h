// TermStore in a file of the spool folder: a new file is written, flushed and renamed into place.
// If the disk has no room for that, the old file is overwritten in place. Its length is always that
// of the longest term, so this needs no room, and less than a sector, so it is never half written.
#pragma once

#include <string>

#include "worker/term_store.h"

namespace cox {

class TermFile : public TermStore {
 public:
  explicit TermFile(const std::string& spool_dir)
      : path_(spool_dir + "/term"), newest_job_path_(spool_dir + "/newest-job") {}
  // Refused if the file is there and cannot be read, so that it is not known which leaders were
  // replaced. Then load() returns the highest term: no leader is obeyed.
  Failure check() const;
  Term load() override;
  Failure keep(Term term) override;
  JobId newest_job() override;
  void note_newest_job(JobId job) override;

 private:
  Result<Term> stored() const;

  std::string path_;
  std::string newest_job_path_;
};

}  // namespace cox
