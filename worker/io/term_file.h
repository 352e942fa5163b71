// TermStore in a file of the spool folder: written beside, flushed and renamed into place. Where
// there is no room for that, it is overwritten where it lies: it is always as long as the longest
// term, so that this takes no room, and less than a sector, so that it is never written in part.
#pragma once

#include <string>

#include "worker/term_store.h"

namespace cox {

class TermFile : public TermStore {
 public:
  explicit TermFile(const std::string& spool_dir)
      : path_(spool_dir + "/term"), newest_job_path_(spool_dir + "/newest-job") {}
  Term load() override;
  Failure keep(Term term) override;
  JobId newest_job() override;
  void note_newest_job(JobId job) override;

 private:
  std::string path_;
  std::string newest_job_path_;
};

}  // namespace cox
