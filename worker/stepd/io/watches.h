// The descriptors of all tasks here, behind one that is polled (epoll).
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
    std::size_t local = 0;  // which of its tasks
    Kind kind = Kind::Exit;
  };

  Watches();
  int fd() const { return epoll_.get(); }
  // Input: when it can be written; the others: when they can be read.
  void add(int fd, Watch watch);
  void remove(int fd);  // before it is closed; nothing happens when it is not watched
  std::vector<Watch> ready();

 private:
  Descriptor epoll_;
  std::map<int, Watch> watches_;
};

}  // namespace cox
