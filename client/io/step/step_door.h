// Where a step's nodes call srun, for as long as it runs: a socket of this host where the whole
// cluster is on it, else a port, with keys made for this one run.
#pragma once

#include <memory>
#include <string>

#include "common/cluster/config.h"
#include "common/io/link.h"
#include "common/job/step.h"

namespace cox {

class StepDoor {
 public:
  static Result<std::unique_ptr<StepDoor>> open(const ClientConfig& config);
  ~StepDoor();
  StepDoor(const StepDoor&) = delete;

  Listener& listener() { return *listener_; }
  const StreamPlace& place() const { return place_; }
  const std::string& address() const { return address_; }
  std::int64_t port() const { return port_; }  // 0: none

  // It comes from this user's step daemons, or from root's.
  static bool may_speak(const PeerIdentity& who);

 private:
  StepDoor() = default;
  Failure open_local();
  Failure open_tcp(const std::string& controller);

  std::unique_ptr<Listener> listener_;
  StreamPlace place_;
  std::string folder_;  // of the socket; empty: none
  std::string address_ = "127.0.0.1";
  std::int64_t port_ = 0;
};

}  // namespace cox
