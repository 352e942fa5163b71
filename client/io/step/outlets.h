// Writes the tasks' output and srun's own messages to their descriptors, in order and without
// blocking. Output that cannot be written yet is kept in memory; the credit (bytes) that srun gives
// to the nodes limits how much that is.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "client/step/step_session.h"
#include "common/io/link.h"

namespace cox {

class Outlets {
 public:
  Outlets();
  ~Outlets();
  Outlets(const Outlets&) = delete;

  // Opens the files of srun --output and --error that srun writes itself.
  Failure open(const StepRoutes& routes);
  void add(const srun::Write& write);
  // Writes as much as possible now. Returns srun::Written and srun::SinkLost events.
  std::vector<srun::Event> write();
  bool is_empty() const;
  void watch(Poller& poller) const;  // watches the outlets that have bytes left to write

 private:
  struct Piece {
    std::string text;
    std::int32_t node = -1;
    std::int64_t credit = 0;
  };
  struct Outlet {
    int fd = -1;
    srun::Sink sink = srun::Sink::Output;
    std::string name;
    // Bytes that one write() of a writable descriptor takes without blocking.
    std::size_t at_once = 0;
    std::deque<Piece> pieces{};
    std::size_t written = 0;  // bytes of the first piece that were written
    bool is_lost = false;
  };

  void write_some(Outlet& outlet, std::vector<srun::Event>& happened);
  void lose(Outlet& outlet, int error, std::vector<srun::Event>& happened);
  std::size_t add_outlet(int fd, srun::Sink sink, const std::string& name);
  Result<std::size_t> open_file(const std::string& path, srun::Sink sink, bool append);

  std::vector<Outlet> outlets_;
  std::size_t output_ = 0;
  std::size_t error_ = 1;
};

}  // namespace cox
