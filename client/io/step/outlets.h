// What srun writes: its tasks' output and its own words, each into its descriptor, in order, and
// without waiting: what cannot be written now is kept. (How much that may be is bounded by credit.)
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

  Failure open(const StepRoutes& routes);  // the files that srun writes itself
  void add(const srun::Write& write);
  // As much as goes. What happened comes back: srun::Written, srun::SinkLost.
  std::vector<srun::Event> write();
  bool is_empty() const;
  void watch(Poller& poller) const;  // those that are full

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
    std::size_t at_once = 0;  // bytes that one write surely does not wait for
    std::deque<Piece> pieces{};
    std::size_t written = 0;  // of the first
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
