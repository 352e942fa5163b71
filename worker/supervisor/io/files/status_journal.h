// The status of an attempt on disk: each one behind the ones before, so that a word costs one write
// and no new file. The last whole record counts; half a one, of a write that was cut off, does not.
// A supervisor writes it, whoever finds its folder reads it.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/job/attempt.h"
#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {

class StatusJournal {
 public:
  explicit StatusJournal(const std::string& folder);

  // After a failure nothing of it counts; to be tried again.
  Failure write(const AttemptStatus& status, Outlives outlives);

  // Whether anything was ever written there, or it cannot be told.
  static bool is_begun(const std::string& folder);
  // None: nothing was ever written, or nothing whole is left.
  static std::optional<AttemptStatus> read(const std::string& folder);

 private:
  Failure append(const std::string& record, Outlives outlives);

  std::string path_;
  Descriptor file_;
  std::size_t bytes_ = 0;
  bool name_is_durable_ = false;
};

}  // namespace cox
