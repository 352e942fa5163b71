// A listener over real sockets in a temporary folder, connections of honest peers, and a hostile
// peer, for tests of the link.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zmq.h>

#include <chrono>
#include <filesystem>
#include <functional>

#include "common/io/link.h"
#include "common/messages/codec.h"
#include "tests/patience.h"

namespace cox {

inline Message heartbeat(std::int64_t number) {
  return Heartbeat{"n1", "session", number, {}};
}
inline std::int64_t number_of(const Message& message) {
  return std::get<Heartbeat>(message).number;
}

// A hostile peer. It uses libzmq directly, so it can send what the class Connection would not send.
class RawPeer {
 public:
  explicit RawPeer(const std::string& endpoint, const std::string& routing_id = "",
                   const std::string& server_key = "", const KeyPair& key = {}) {
    const int linger_ms = 0;
    if (!server_key.empty()) {
      zmq_setsockopt(socket_, ZMQ_CURVE_SERVERKEY, server_key.c_str(), server_key.size());
      zmq_setsockopt(socket_, ZMQ_CURVE_PUBLICKEY, key.public_key.c_str(), key.public_key.size());
      zmq_setsockopt(socket_, ZMQ_CURVE_SECRETKEY, key.secret_key.c_str(), key.secret_key.size());
    }
    zmq_setsockopt(socket_, ZMQ_LINGER, &linger_ms, sizeof linger_ms);
    if (!routing_id.empty()) {
      zmq_setsockopt(socket_, ZMQ_ROUTING_ID, routing_id.data(), routing_id.size());
    }
    EXPECT_EQ(zmq_connect(socket_, endpoint.c_str()), 0);
  }
  ~RawPeer() {
    zmq_close(socket_);
    zmq_ctx_term(context_);
  }
  void send(const std::vector<std::string>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const int flags = i + 1 < parts.size() ? ZMQ_SNDMORE : 0;
      ASSERT_EQ(zmq_send(socket_, parts[i].data(), parts[i].size(), flags),
                static_cast<int>(parts[i].size()));
    }
  }
  std::vector<Message> receive() {
    std::string frame(65536, '\0');
    const int bytes = zmq_recv(socket_, frame.data(), frame.size(), ZMQ_DONTWAIT);
    if (bytes < 0) return {};
    return decode(std::string_view(frame).substr(0, static_cast<std::size_t>(bytes))).value();
  }

 private:
  void* context_ = zmq_ctx_new();
  void* socket_ = zmq_socket(context_, ZMQ_DEALER);
};

class LinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/cox-link-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    dir_ = pattern;
    local_ = "ipc://" + dir_ + "/socket";
  }
  void TearDown() override {
    listener_.reset();
    std::filesystem::remove_all(dir_);
  }

  void listen_local() { listen({.local_endpoint = local_}); }
  void listen_tcp() {
    server_key_ = make_key_files(dir_, "controller").value();
    listen({.tcp_endpoint = "tcp://127.0.0.1:*",
            .key = server_key_,
            .key_dir = dir_,
            .key_prefixes = {"worker-"}});
  }
  void listen(const Listener::Options& options) {
    auto opened = Listener::open(options);
    ASSERT_TRUE(opened.ok()) << opened.refusal().fact;
    listener_ = std::move(opened).value();
    listener_->add_to(*poller_);
  }

  std::unique_ptr<Connection> connect_tcp(const KeyPair& key) {
    auto opened = Connection::open(
        {.endpoint = listener_->tcp_endpoint(), .server_key = server_key_.public_key, .key = key});
    EXPECT_TRUE(opened.ok());
    opened.value()->add_to(*poller_);
    return std::move(opened).value();
  }
  std::unique_ptr<Connection> connect_local() {
    auto opened = Connection::open({.endpoint = local_});
    EXPECT_TRUE(opened.ok());
    opened.value()->add_to(*poller_);
    return std::move(opened).value();
  }

  // Polls the listener and keeps its messages in arrived_ until the condition holds.
  ::testing::AssertionResult serve_until(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + patience();
    while (std::chrono::steady_clock::now() < deadline) {
      poller_->wait(Milliseconds{20});
      for (auto& incoming : listener_->receive(100)) arrived_.push_back(std::move(incoming));
      if (condition()) return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << "not within 60 s; arrived: " << arrived_.size();
  }
  // Checks that an honest peer is served, and that nothing of the hostile peer was: the honest
  // message is the first that arrives.
  void expect_an_honest_peer_is_served() {
    auto honest = connect_local();
    honest->send({heartbeat(99)});
    ASSERT_TRUE(serve_until([&] { return !arrived_.empty(); }));
    ASSERT_EQ(arrived_.size(), 1u);
    EXPECT_EQ(number_of(arrived_[0].messages.at(0)), 99);
  }
  std::string expect_rejected(RawPeer& peer) {
    std::vector<Message> answers;
    const auto answered = serve_until([&] { return !(answers = peer.receive()).empty(); });
    EXPECT_TRUE(answered);
    if (!answered) return "";
    return std::get<Rejected>(answers.at(0)).why.fact;
  }

  std::string dir_;
  std::string local_;
  KeyPair server_key_;
  std::unique_ptr<Poller> poller_ = Poller::create();
  std::unique_ptr<Listener> listener_;
  std::vector<Incoming> arrived_;
};

}  // namespace cox
