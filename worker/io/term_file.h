// TermStore in a file of the spool folder: written beside, flushed and renamed into place.
#pragma once

#include <string>

#include "worker/term_store.h"

namespace cox {

class TermFile : public TermStore {
 public:
  explicit TermFile(std::string spool_dir) : path_(spool_dir + "/term") {}
  Term load() override;
  void keep(Term term) override;

 private:
  std::string path_;
};

}  // namespace cox
