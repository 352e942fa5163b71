// Tests the link over real sockets in a temporary folder: how the listener identifies a peer, and
// what it does about a hostile one.
#include "common/io/link.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "common/base/limits.h"
#include "common/messages/codec.h"
#include "tests/common/link_fixture.h"
#include "tests/patience.h"

namespace cox {
namespace {

TEST_F(LinkTest, a_second_listener_is_refused_and_the_first_still_works) {
  listen_local();
  const auto second = Listener::open({.local_endpoint = local_});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.refusal().fact, "another program listens at " + local_);
  expect_an_honest_peer_is_served();
}

TEST_F(LinkTest, over_ipc_the_kernel_identifies_the_peer) {
  listen_local();
  auto connection = connect_local();
  connection->send({heartbeat(1), heartbeat(2)});
  ASSERT_TRUE(serve_until([&] { return !arrived_.empty(); }));
  const auto& incoming = arrived_.at(0);
  EXPECT_EQ(incoming.identity.kind, PeerIdentity::Kind::Local);
  EXPECT_EQ(incoming.identity.uid, ::getuid());
  EXPECT_EQ(incoming.identity.gid, ::getgid());
  EXPECT_EQ(incoming.identity.pid, ::getpid());
  ASSERT_EQ(incoming.messages.size(), 2u);
  EXPECT_EQ(number_of(incoming.messages[1]), 2);

  listener_->send(incoming.peer, {heartbeat(3)});
  std::vector<Message> answer;
  ASSERT_TRUE(serve_until([&] { return !(answer = connection->receive()).empty(); }));
  EXPECT_EQ(number_of(answer.at(0)), 3);
}

TEST_F(LinkTest, a_program_of_the_previous_version_is_served) {
  listen_local();
  RawPeer older(local_);
  std::string frame = encode({heartbeat(1)});
  // The last byte of a frame is the protocol version of its writer (codec.h).
  frame.back() = static_cast<char>(protocol_version_before);
  older.send({frame});
  ASSERT_TRUE(serve_until([&] { return !arrived_.empty(); }));
  EXPECT_EQ(number_of(arrived_[0].messages.at(0)), 1);
  listener_->send(arrived_[0].peer, {heartbeat(2)});
  std::vector<Message> answer;
  ASSERT_TRUE(serve_until([&] { return !(answer = older.receive()).empty(); }));
  EXPECT_EQ(number_of(answer.at(0)), 2);
}

TEST_F(LinkTest, a_program_of_an_incompatible_version_gets_both_versions) {
  listen_local();
  for (const int version : {protocol_version_before - 1, protocol_version + 2}) {
    RawPeer other(local_);
    std::string frame = encode({heartbeat(1)});
    frame.back() = static_cast<char>(version);
    other.send({frame});
    EXPECT_EQ(expect_rejected(other), "protocol version " + std::to_string(version) +
                                          " was received, but this program speaks version " +
                                          std::to_string(protocol_version));
  }
  expect_an_honest_peer_is_served();
}

TEST_F(LinkTest, only_the_owner_may_use_the_ipc_socket_unless_all_users_may) {
  const auto mode = [&] {
    struct stat status {};
    EXPECT_EQ(::stat((dir_ + "/socket").c_str(), &status), 0);
    return status.st_mode & 0777;
  };
  std::ofstream(dir_ + "/socket") << "left behind by a crash";
  listen_local();
  EXPECT_EQ(mode(), 0600u);
  listener_.reset();
  listen({.local_endpoint = local_, .local_for_all = true});
  EXPECT_EQ(mode(), 0666u);
}

TEST_F(LinkTest, over_tcp_the_key_identifies_the_peer) {
  const auto key = make_key_files(dir_, "worker-n1").value();
  listen_tcp();
  auto connection = connect_tcp(key);
  connection->send({heartbeat(1)});
  ASSERT_TRUE(serve_until([&] { return !arrived_.empty(); }));
  EXPECT_EQ(arrived_.at(0).identity.kind, PeerIdentity::Kind::Key);
  EXPECT_EQ(arrived_.at(0).identity.key_name, "worker-n1");
  EXPECT_EQ(listener_->refused_count(), 0);

  listener_->send(arrived_[0].peer, {heartbeat(2)});
  std::vector<Message> answer;
  ASSERT_TRUE(serve_until([&] { return !(answer = connection->receive()).empty(); }));
  EXPECT_EQ(number_of(answer.at(0)), 2);
}

TEST_F(LinkTest, an_unknown_key_is_refused_until_its_file_exists) {
  const auto other_dir = dir_ + "/elsewhere";
  std::filesystem::create_directory(other_dir);
  const auto key = make_key_files(other_dir, "worker-n1").value();
  listen_tcp();
  auto connection = connect_tcp(key);
  connection->send({heartbeat(1)});
  ASSERT_TRUE(serve_until([&] { return listener_->refused_count() >= 1; }));
  EXPECT_TRUE(arrived_.empty());
  EXPECT_TRUE(connection->receive().empty());

  // The handshake times out after 5 s; then the client connects again, and its key is known.
  std::filesystem::copy(other_dir + "/worker-n1.pub", dir_ + "/worker-n1.pub");
  ASSERT_TRUE(serve_until([&] { return !arrived_.empty(); }));
  EXPECT_EQ(arrived_[0].identity.key_name, "worker-n1");
}

TEST_F(LinkTest, keys_made_for_one_run_are_accepted_without_files) {
  const auto guest = make_key_pair().value();
  const auto stranger = make_key_pair().value();
  server_key_ = make_key_pair().value();
  listen({.tcp_endpoint = "tcp://127.0.0.1:*",
          .key = server_key_,
          .key_prefixes = {"worker-"},
          .keys = {guest.public_key}});
  auto refused = connect_tcp(stranger);
  refused->send({heartbeat(1)});
  ASSERT_TRUE(serve_until([&] { return listener_->refused_count() >= 1; }));
  auto admitted = connect_tcp(guest);
  admitted->send({heartbeat(2)});
  ASSERT_TRUE(serve_until([&] { return !arrived_.empty(); }));
  EXPECT_EQ(number_of(arrived_.at(0).messages.at(0)), 2);
  EXPECT_EQ(arrived_[0].identity.key_name, "guest");
}

TEST_F(LinkTest, a_key_is_accepted_only_with_an_allowed_name) {
  const auto key = make_key_files(dir_, "client").value();
  listen_tcp();  // this listener accepts only keys named "worker-..."
  auto connection = connect_tcp(key);
  connection->send({heartbeat(1)});
  ASSERT_TRUE(serve_until([&] { return listener_->refused_count() >= 1; }));
  EXPECT_TRUE(arrived_.empty());
}

TEST_F(LinkTest, a_key_whose_file_was_removed_cannot_connect) {
  const auto key = make_key_files(dir_, "worker-n1").value();
  listen_tcp();
  std::filesystem::remove(dir_ + "/worker-n1.pub");
  auto connection = connect_tcp(key);
  connection->send({heartbeat(1)});
  ASSERT_TRUE(serve_until([&] { return listener_->refused_count() >= 1; }));
  EXPECT_TRUE(arrived_.empty());
}

TEST_F(LinkTest, a_peer_without_encryption_is_never_served_over_tcp) {
  const auto key = make_key_files(dir_, "worker-n1").value();
  listen_tcp();
  RawPeer plain(listener_->tcp_endpoint());
  plain.send({encode({heartbeat(1)})});
  auto honest = connect_tcp(key);
  honest->send({heartbeat(2)});
  ASSERT_TRUE(serve_until([&] { return !arrived_.empty(); }));
  ASSERT_EQ(arrived_.size(), 1u);
  EXPECT_EQ(number_of(arrived_[0].messages.at(0)), 2);
}

TEST_F(LinkTest, a_malformed_frame_gets_one_reply_and_mutes_its_peer) {
  listen_local();
  RawPeer hostile(local_);
  hostile.send({"no frame at all"});
  EXPECT_NE(expect_rejected(hostile), "");
  hostile.send({"again"});
  hostile.send({encode({heartbeat(1)})});
  expect_an_honest_peer_is_served();
  EXPECT_TRUE(hostile.receive().empty());
}

TEST_F(LinkTest, a_message_of_many_parts_is_rejected) {
  listen_local();
  RawPeer hostile(local_);
  hostile.send(std::vector<std::string>(1000, encode({heartbeat(1)})));
  EXPECT_EQ(expect_rejected(hostile), "a message of 1000 parts came; the limit is 1");
  expect_an_honest_peer_is_served();
}

TEST_F(LinkTest, a_peer_that_sets_a_routing_id_is_rejected) {
  listen_local();
  RawPeer hostile(local_, "chosen");
  hostile.send({encode({heartbeat(1)})});
  EXPECT_EQ(expect_rejected(hostile), "a routing id was set");
  expect_an_honest_peer_is_served();
}

TEST_F(LinkTest, an_oversize_frame_ends_its_connection) {
  listen_local();
  RawPeer hostile(local_);
  hostile.send({std::string(limits::frame_bytes_max + 4096, 'x')});
  // The listener closes the connection before it decodes the frame. It serves a new connection of
  // the same peer, so the peer was not muted.
  ASSERT_TRUE(serve_until([&] {
    hostile.send({encode({heartbeat(1)})});
    return !arrived_.empty();
  }));
  EXPECT_TRUE(hostile.receive().empty());
}

TEST_F(LinkTest, receive_returns_no_more_messages_than_requested) {
  listen_local();
  auto connection = connect_local();
  for (int i = 1; i <= 50; ++i) connection->send({heartbeat(i)});
  std::size_t most = 0;
  std::vector<std::int64_t> numbers;
  const auto deadline = std::chrono::steady_clock::now() + patience();
  while (numbers.size() < 50 && std::chrono::steady_clock::now() < deadline) {
    poller_->wait(Milliseconds{500});  // returns at once while messages are unread
    const auto some = listener_->receive(7);
    most = std::max(most, some.size());
    for (const auto& incoming : some) numbers.push_back(number_of(incoming.messages.at(0)));
  }
  ASSERT_EQ(numbers.size(), 50u);
  EXPECT_LE(most, 7u);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
}

TEST_F(LinkTest, a_connection_waits_for_its_listener_and_finds_a_new_one) {
  auto connection = connect_local();
  connection->send({heartbeat(1)});
  listen_local();
  ASSERT_TRUE(serve_until([&] { return arrived_.size() == 1; }));
  listener_.reset();
  listen_local();
  ASSERT_TRUE(serve_until([&] {
    connection->send({heartbeat(2)});  // repeated, as a worker repeats its heartbeats
    return arrived_.size() > 1;
  }));
}

// libzmq reports a lost connection on a thread that all sockets of the context share. If the
// connection is being closed then, that thread must not block, or other connections would hang.
TEST_F(LinkTest, a_connection_lost_during_its_close_does_not_block_others) {
  const auto context = make_link_context();
  for (int round = 0; round < 100; ++round) {
    listen_local();
    auto lost = Connection::open({.endpoint = local_, .context = context, .carries_streams = true});
    ASSERT_TRUE(lost.ok());
    (*lost)->send({heartbeat(1)});
    ASSERT_TRUE(serve_until([&] { return !arrived_.empty(); }));
    listener_.reset();
    lost->reset();
    arrived_.clear();
  }
  listen_local();
  auto next = Connection::open({.endpoint = local_, .context = context, .carries_streams = true});
  (*next)->send({heartbeat(2)});
  EXPECT_TRUE(serve_until([&] { return !arrived_.empty(); }));
}

TEST_F(LinkTest, invalid_endpoints_are_refused_with_a_hint) {
  const auto refusal = [](const Listener::Options& options) {
    const auto opened = Listener::open(options);
    return opened.ok() ? Refusal{"opened", ""} : opened.refusal();
  };
  EXPECT_EQ(refusal({}).fact, "there is no endpoint to listen at");
  EXPECT_EQ(refusal({.local_endpoint = "ipc://@abstract"}).fact,
            "\"ipc://@abstract\" is not an endpoint");
  const std::string longest(108, 'x');
  EXPECT_EQ(refusal({.local_endpoint = "ipc:///" + longest}).fact,
            "the path of ipc:///" + longest + " has 109 bytes; the kernel's limit is 107");
  EXPECT_EQ(refusal({.tcp_endpoint = "tcp://127.0.0.1:*"}).hint, "make key files in key_dir");
  EXPECT_NE(refusal({.local_endpoint = "ipc://" + dir_ + "/none/socket"}).fact, "opened");
  EXPECT_FALSE(Connection::open({.endpoint = "tcp://127.0.0.1:1"}).ok());
}

TEST_F(LinkTest, key_files_are_created_once_and_are_private) {
  const auto made = make_key_files(dir_, "client").value();
  struct stat status {};
  ASSERT_EQ(::stat((dir_ + "/client.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const auto read = read_key_file(dir_ + "/client.key").value();
  EXPECT_EQ(read.public_key, made.public_key);
  EXPECT_EQ(read.secret_key, made.secret_key);
  EXPECT_EQ(read_key_file(dir_ + "/client.pub").value().secret_key, "");

  EXPECT_EQ(make_key_files(dir_, "client").refusal().fact, dir_ + "/client.key exists");
  EXPECT_FALSE(make_key_files(dir_, "../client").ok());
  ASSERT_EQ(::chmod((dir_ + "/client.key").c_str(), 0640), 0);
  EXPECT_EQ(read_key_file(dir_ + "/client.key").refusal().hint,
            "chmod 600 " + dir_ + "/client.key");
  std::ofstream(dir_ + "/bad.pub") << "public tooshort\n";
  EXPECT_FALSE(read_key_file(dir_ + "/bad.pub").ok());
  EXPECT_FALSE(read_key_file(dir_).ok());
}

TEST_F(LinkTest, the_poller_wakes_for_descriptors_and_signals) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  poller_->add_fd(ends[0], POLLIN);
  poller_->wait(Milliseconds{0});
  EXPECT_FALSE(poller_->ready(ends[0]));
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  poller_->wait(patience());
  EXPECT_TRUE(poller_->ready(ends[0]));
  poller_->remove_fd(ends[0]);
  EXPECT_FALSE(poller_->ready(ends[0]));
  EXPECT_FALSE(poller_->is_end_requested());
  ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);
  poller_->wait(patience());
  EXPECT_TRUE(poller_->is_end_requested());
  EXPECT_FALSE(poller_->is_end_requested());
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace cox
