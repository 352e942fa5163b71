// Reserves MASTER_PORT: a port that no other attempt on this machine gets while this one lives.
//
// The port lies outside the kernel's range of ephemeral ports. The supervisor also holds an
// abstract Unix socket whose name has the port's number, so that other supervisors in the same
// network namespace skip it. The TCP port is bound while the attempt waits, and released right
// before the ranks start, so that a rank can listen on it, with or without SO_REUSEADDR.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

class ReservedPort {
 public:
  // Reserves a port. `address`: a numeric address of this machine.
  static Result<ReservedPort> reserve(const std::string& address);
  std::int32_t number() const { return number_; }
  void release_to_ranks() { bound_.reset(); }

 private:
  std::int32_t number_ = 0;
  Descriptor name_;
  Descriptor bound_;
};

}  // namespace cox
