// Lets a listener observe and close the connections that libzmq has accepted for it. libzmq has no
// call for either. It bounds neither the parts of an incomplete message nor the number of
// connections without a proven key.
//
// The gate is between libzmq and the kernel. connection_gate.cpp defines accept4(), recv(), send(),
// close() and listen(), and the dynamic linker gives libzmq these instead of libc's. They call the
// kernel. If the caller is the I/O thread of a socket that ConnectionGate::bind() has bound, they
// also report the call to the gate. For all other callers they do the same as libc's functions.
//
// Only Listener uses it. common/messages/connection_book.h decides which connections are closed.
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
  // REQUIRES: the libzmq context of all sockets that the gate has bound is destroyed.
  ~ConnectionGate();

  // Binds as zmq_bind() does, with the same result and the same zmq_errno(), and watches the
  // socket's connections from then on.
  int bind(zmq::socket_t& socket, const std::string& endpoint);

  std::uint64_t next_number();  // see ConnectionBook
  void note_taken(const ConnectionBook::Taken& taken);
  void close_unless(const ConnectionBook::Admits& admits);
  void close(const ConnectionBook::Taken& taken, const std::string& why);

  // The connections that this gate has closed since the last call of take_closed(): their number,
  // and the reason for the last one.
  struct Closed {
    std::int64_t count = 0;
    std::string last;
  };
  Closed take_closed();

  // These are called by the functions that replace libc's, in libzmq's I/O thread.
  void on_accepted(int fd);
  ssize_t on_received(int fd, const void* bytes, ssize_t count);
  void on_sent(int fd, ssize_t count);
  void on_closing(int fd);

 private:
  void close_named();

  std::mutex mutex_;  // protects all members below
  ConnectionBook book_;
  Closed closed_;
};

}  // namespace cox
