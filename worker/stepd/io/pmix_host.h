// The PMIx server of the step daemon: libpmix, which the distribution has. One a process, started
// with the first step that asks for it. The library calls back on threads of its own; what it says
// is put in a queue behind a descriptor, and everything else happens on the daemon's thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/job/step.h"
#include "common/messages/stream_messages.h"
#include "worker/stepd/io/step_mpi.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

class PmixHost {
 public:
  // `folder`: where the library keeps its files; it goes with the attempt's. It may be long: they
  // are no sockets.
  explicit PmixHost(std::string folder);
  ~PmixHost();
  PmixHost(const PmixHost&) = delete;

  int fd() const { return wakes_.get(); }  // readable when there is something to take
  struct Said {
    std::int32_t step = 0;
    MpiWord word;
  };
  std::vector<Said> take();

  // One for each step: its tasks are known to the server from then on.
  Result<std::unique_ptr<StepMpi>> open(const StepLaunch& launch, const StepBegin& begin,
                                        const std::string& name);

 private:
  friend class PmixStep;
  Failure start();
  // A fence that waits for the other nodes.
  struct Fence {
    void* done = nullptr;  // pmix_modex_cbfunc_t
    void* context = nullptr;
  };
  struct Step {
    std::int32_t number = 0;
    std::int64_t tasks = 0;  // of all nodes, as these
    std::int64_t nodes = 0;
    std::int64_t turn = 0;
    std::map<std::int64_t, Fence> fences;
  };
  void finish(const std::string& space, const StepGathered& gathered);
  void close(const std::string& space);
  void say(std::int32_t step, MpiWord word);

  Descriptor wakes_;
  std::string folder_;
  bool started_ = false;
  std::mutex mutex_;  // of what is below: callbacks use it too
  std::map<std::string, Step> steps_;
  std::vector<Said> said_;

 public:
  // By the library's callbacks alone. The answers are its own (pmix_status_t); false: of no step
  // there is. `ranks`: those that take part, none: all.
  int on_fence(const std::string& space, const std::set<std::uint32_t>& ranks, std::string data,
               void* done, void* context);
  bool on_abort(const std::string& space, std::uint32_t rank, const std::string& message);
};

}  // namespace cox
