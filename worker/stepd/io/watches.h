// Watches the descriptors of all tasks on this node through one descriptor (epoll).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

class Watches {
 public:
  enum class Kind : std::uint8_t { Exit, Input, Output, Error, Mpi, Epilog };
  struct Watch {
    std::int32_t step = 0;
    std::size_t local = 0;  // index of the task among those of the step on this node
    Kind kind = Kind::Exit;
  };

  Watches();
  int fd() const { return epoll_.get(); }
  // Adds a descriptor. Kind::Input is watched until it can be written, all others until they can be
  // read.
  void add(int fd, Watch watch);
  // Stops watching. Must be called before the descriptor is closed; does nothing if it is not
  // watched.
  void remove(int fd);
  std::vector<Watch> ready();

 private:
  Descriptor epoll_;
  std::map<int, Watch> watches_;
};

}  // namespace cox
