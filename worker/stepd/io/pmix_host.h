// The PMIx server of the step daemon: the distribution's libpmix. There is one in the process,
// started with the first step that asks for PMIx. The library calls back on its own threads. These
// callbacks only queue an event for take() and make fd() readable; everything else happens on the
// daemon's thread.
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
  // `folder`: for the library's files; the supervisor removes it with the attempt. Its path may be
  // long, since these files are not sockets.
  explicit PmixHost(std::string folder);
  ~PmixHost();
  PmixHost(const PmixHost&) = delete;

  int fd() const { return wakes_.get(); }  // readable when take() has events to return
  struct QueuedEvent {
    std::int32_t step = 0;
    MpiEvent word;
  };
  std::vector<QueuedEvent> take();

  // Registers a step and its tasks with the server. The destructor of the result deregisters them.
  Result<std::unique_ptr<StepMpi>> open(const StepLaunch& launch, const StepBegin& begin,
                                        const std::string& name);

 private:
  friend class PmixStep;
  Failure start();
  // A fence that this node's tasks have reached and that waits for the data of all nodes.
  struct Fence {
    // The library's callback (pmix_modex_cbfunc_t), called with the gathered data.
    void* done = nullptr;
    void* context = nullptr;
  };
  struct Step {
    std::int32_t number = 0;
    std::int64_t tasks = 0;  // on all nodes
    std::int64_t nodes = 0;
    std::int64_t turn = 0;
    std::map<std::int64_t, Fence> fences;
  };
  void finish(const std::string& space, const StepGathered& gathered);
  void close(const std::string& space);
  void queue_event(std::int32_t step, MpiEvent word);

  Descriptor wakes_;
  std::string folder_;
  bool started_ = false;
  std::mutex mutex_;  // guards steps_ and events_, which the library's threads use too
  std::map<std::string, Step> steps_;
  std::vector<QueuedEvent> events_;

 public:
  // Only for the library's callbacks. on_fence() returns a pmix_status_t; `ranks`: the ranks that
  // take part; empty: all. on_abort() returns false if the server has no such step.
  int on_fence(const std::string& space, const std::set<std::uint32_t>& ranks, std::string data,
               void* done, void* context);
  bool on_abort(const std::string& space, std::uint32_t rank, const std::string& message);
};

}  // namespace cox
