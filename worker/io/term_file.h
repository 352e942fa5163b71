// TermStore in a file of the spool folder: written beside, flushed and renamed into place. Where
// there is no room for that, it is overwritten where it lies: it is always as long as the longest
// term, so that this takes no room, and less than a sector, so that it is never written in part.
#pragma once

#include <string>

#include "worker/term_store.h"

namespace cox {

class TermFile : public TermStore {
 public:
  explicit TermFile(std::string spool_dir) : path_(spool_dir + "/term") {}
  Term load() override;
  Failure keep(Term term) override;

 private:
  std::string path_;
};

}  // namespace cox
