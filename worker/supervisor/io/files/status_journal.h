// The file with the status of an attempt. Each new status is appended, which costs one write and no
// new file. The last complete entry counts; an incomplete one, left by a crash, is ignored. The
// supervisor writes the journal; the worker that adopts the folder reads it.
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

  // Writes a status. After a Failure the status may be lost, so the caller tries again.
  Failure write(const AttemptStatus& status, Outlives outlives);

  // Returns whether the folder's supervisor has ever written a status. Also true if that cannot be
  // determined.
  static bool is_begun(const std::string& folder);
  // Returns the newest status. None: none was written, or no complete record is left.
  static std::optional<AttemptStatus> read(const std::string& folder);

 private:
  Failure append(const std::string& record, Outlives outlives);

  std::string path_;
  Descriptor file_;
  std::size_t bytes_ = 0;
  bool name_is_durable_ = false;
};

}  // namespace cox
