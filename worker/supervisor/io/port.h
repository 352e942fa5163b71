// Reserves MASTER_PORT for the ranks of an attempt and for the tasks of its steps:
// ports_per_attempt consecutive ports that no other attempt on this machine gets while this one
// lives.
//
// The ports lie outside the kernel's range of ephemeral ports. The first is a multiple of
// ports_per_attempt. The supervisor also holds an abstract Unix socket whose name has its number,
// so that other supervisors in the same network namespace skip these ports. The first TCP port is
// bound while the attempt waits, and released right before the ranks start, so that a rank can
// listen on it, with or without SO_REUSEADDR.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

class ReservedPorts {
 public:
  // Reserves ports. `address`: a numeric address of this machine.
  static Result<ReservedPorts> reserve(const std::string& address);
  std::int32_t first() const { return first_; }
  void release_to_ranks() { bound_.reset(); }

 private:
  bool hold(const std::string& address, std::int32_t first);

  std::int32_t first_ = 0;
  Descriptor name_;
  Descriptor bound_;
};

}  // namespace cox
