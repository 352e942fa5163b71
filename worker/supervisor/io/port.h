// MASTER_PORT: a port that nobody on this machine is given while the attempt lives.
//
// It is chosen outside the range from which the kernel hands out ports by itself, and an abstract
// Unix socket with the port's number in its name is held: other supervisors of this machine (of
// this network namespace, which is what abstract names belong to) skip it. The TCP port is bound
// while the attempt waits and released right before the ranks start, so that any listener can have
// it, whether or not it sets SO_REUSEADDR.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

class ReservedPort {
 public:
  // `address` is numeric, of this machine.
  static Result<ReservedPort> reserve(const std::string& address);
  std::int32_t number() const { return number_; }
  void release_to_ranks() { bound_.reset(); }

 private:
  std::int32_t number_ = 0;
  Descriptor name_;
  Descriptor bound_;
};

}  // namespace cox
