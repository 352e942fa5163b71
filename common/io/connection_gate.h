// Lets a listener see and close the connections that libzmq has accepted for it. libzmq has no call
// for either: it counts neither the parts of an incomplete message nor unproven connections.
//
// The gate stands between libzmq and the kernel. This file defines accept4(), recv(), send(),
// close() and listen(), and the dynamic linker gives libzmq these instead of libc's. They call the
// kernel, and report to the gate what they did if the caller is the I/O thread of a socket that was
// bound by ConnectionGate::bind(). For all other callers they do what libc's do.
//
// For Listener alone. The decisions are common/messages/connection_book.h's.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "common/messages/connection_book.h"

namespace cox {

class ConnectionGate {
 public:
  explicit ConnectionGate(ConnectionBounds bounds) : book_(bounds) {}
  ConnectionGate(const ConnectionGate&) = delete;
  ~ConnectionGate();  // after the end of the context of all sockets that it bound

  // Binds as zmq_bind() does: returns its result, and zmq_errno() is set as it sets it.
  int bind(zmq::socket_t& socket, const std::string& endpoint);

  std::uint64_t next_number();  // see ConnectionBook
  void note_taken(const ConnectionBook::Taken& taken);
  void close_unless(const ConnectionBook::Admits& admits);
  void close(const ConnectionBook::Taken& taken, const std::string& why);

  // What was closed since the last call: how many connections, and why the last of them.
  struct Closed {
    std::int64_t count = 0;
    std::string last;
  };
  Closed take_closed();

  // For the functions that libzmq calls, in its thread.
  void on_accepted(int fd);
  ssize_t on_received(int fd, const void* bytes, ssize_t count);
  void on_sent(int fd, ssize_t count);
  void on_closing(int fd);

 private:
  void close_named();

  std::mutex mutex_;  // of all below
  ConnectionBook book_;
  Closed closed_;
};

}  // namespace cox
