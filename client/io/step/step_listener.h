// The listener to which a step's nodes connect while it runs: a Unix socket if the whole cluster is
// on this host, else a TCP port with keys made for this run.
#pragma once

#include <memory>
#include <string>

#include "client/io/step/socket_folder.h"
#include "common/cluster/config.h"
#include "common/io/link.h"
#include "common/job/step.h"

namespace cox {

class StepListener {
 public:
  static Result<std::unique_ptr<StepListener>> open(const ClientConfig& config);
  ~StepListener();
  StepListener(const StepListener&) = delete;

  Listener& listener() { return *listener_; }
  const StreamPlace& place() const { return place_; }
  const std::string& address() const { return address_; }
  std::int64_t port() const { return port_; }  // 0: a Unix socket

  // Returns whether the peer is a step daemon of this user or of root.
  static bool is_step_daemon(const PeerIdentity& peer);

 private:
  StepListener() = default;
  Failure open_local();
  Failure open_tcp(const std::string& controller);

  std::unique_ptr<Listener> listener_;
  StreamPlace place_;
  std::unique_ptr<SocketFolder> folder_;  // folder of the Unix socket; null: TCP is used
  std::string address_ = "127.0.0.1";
  std::int64_t port_ = 0;
};

}  // namespace cox
