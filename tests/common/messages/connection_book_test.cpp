// Tests which connections a listener closes, and how it counts the bytes on each.
#include "common/messages/connection_book.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/base/limits.h"
#include "common/messages/zmtp_meter.h"

namespace cox {
namespace {

constexpr std::int64_t overhead = limits::frame_overhead_bytes;
constexpr std::uint32_t loopback = 0x7f000001;
constexpr std::uint32_t remote = 0x0a000001;
constexpr std::size_t handshake_sent = 64 + 170 + 40;  // with READY

std::string greeting() {
  std::string text(64, '\0');
  text[0] = static_cast<char>(0xff);
  text[9] = 0x7f;
  text[10] = 3;
  return text;
}

// Returns the ZMTP header of a frame of `length` bytes.
std::string header(std::uint64_t length) {
  if (length < 256) return {'\0', static_cast<char>(length)};
  std::string text(1, 2);
  for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(length >> shift);
  return text;
}

TEST(ZmtpMeter, counts_each_frame_when_it_is_announced_however_the_bytes_arrive) {
  const std::string all = greeting() + header(3) + "abc" + header(0) + header(1000);
  ZmtpMeter whole;
  EXPECT_EQ(whole.read(all, 1 << 20), 1003 + 3 * overhead);
  EXPECT_EQ(whole.read(std::string(999, 'x'), 1 << 20), 0);
  EXPECT_EQ(whole.read("x" + header(7), 1 << 20), 7 + overhead);
  ZmtpMeter bytewise;
  std::int64_t sum = 0;
  for (const char byte : all) sum += bytewise.read(std::string(1, byte), 1 << 20);
  EXPECT_EQ(sum, 1003 + 3 * overhead);
}

TEST(ZmtpMeter, refuses_other_protocols_and_frames_beyond_the_limit) {
  EXPECT_LT(ZmtpMeter().read("GET / HTTP/1.1", 100), 0);
  std::string older = greeting();
  older[10] = 1;
  EXPECT_LT(ZmtpMeter().read(older, 100), 0);
  EXPECT_EQ(ZmtpMeter().read(greeting() + header(100), 100), 100 + overhead);
  EXPECT_LT(ZmtpMeter().read(greeting() + header(101), 100), 0);
  EXPECT_LT(ZmtpMeter().read(greeting() + header(~0ull), 100), 0);
}

class ConnectionBookTest : public ::testing::Test {
 protected:
  // Opens a TCP connection whose peer has proven this key and sent a first message.
  void open_named(int fd, const std::string& owner, const std::string& key) {
    open_proven(fd);
    book_.note_taken(taken(fd, owner, key), now_);
  }
  void open_proven(int fd) {
    book_.open_tcp(fd, remote, now_);
    handshake_[fd] = book_.next_number();
    book_.note_received(fd, greeting(), now_);
    book_.note_sent(fd, handshake_sent);
  }
  ConnectionBook::Taken taken(int fd, const std::string& owner, const std::string& key) {
    return {fd, handshake_[fd], owner, key, 1, 0};
  }
  std::set<int> closed() {
    std::set<int> fds;
    for (const auto& closing : book_.take_closings()) {
      fds.insert(closing.fd);
      why_ = closing.why;
    }
    for (const int fd : fds) book_.note_closed(fd);
    return fds;
  }

  ConnectionBook book_{{.unproven_max = 32,
                        .proven_max = 20,
                        .per_owner_max = 5,
                        .unread_bytes_per_connection_max = 1'000'000,
                        .unread_bytes_max = 3'000'000}};
  Boot now_{Milliseconds{1'000'000}};
  std::map<int, std::uint64_t> handshake_;
  std::string why_;
};

TEST_F(ConnectionBookTest, a_flood_of_connections_without_keys_closes_only_its_own_connections) {
  open_named(1, "client", "k");
  book_.open_tcp(2, remote, now_);  // an honest peer in the middle of its handshake
  std::set<int> lost;
  for (int fd = 100; fd < 400; ++fd) {
    book_.open_tcp(fd, loopback + static_cast<std::uint32_t>(fd % 23), now_);
    for (const int each : closed()) lost.insert(each);
  }
  EXPECT_GE(lost.size(), 300u - 32u);
  EXPECT_FALSE(lost.contains(1));
  EXPECT_FALSE(lost.contains(2));
  EXPECT_NE(why_.find("too many connections have not proven a key; the limit is 32"),
            std::string::npos)
      << why_;
}

TEST_F(ConnectionBookTest, among_equal_connections_the_one_that_sent_most_stays) {
  book_.open_tcp(2, remote, now_);
  book_.note_received(2, greeting(), now_);
  std::set<int> lost;
  for (int fd = 100; fd < 400; ++fd) {
    book_.open_tcp(fd, remote + static_cast<std::uint32_t>(fd), now_);
    for (const int each : closed()) lost.insert(each);
  }
  EXPECT_FALSE(lost.contains(2));
  EXPECT_GE(lost.size(), 300u - 32u);
}

TEST_F(ConnectionBookTest, a_handshake_that_announces_a_large_frame_is_closed) {
  book_.open_tcp(2, remote, now_);
  book_.note_received(2, greeting() + header(16 << 20), now_);
  EXPECT_TRUE(book_.is_closing(2));
  EXPECT_EQ(closed(), std::set<int>{2});
  open_proven(3);
  book_.note_received(3, header(900'000), now_);
  EXPECT_FALSE(book_.is_closing(3));
}

TEST_F(ConnectionBookTest, every_part_of_a_message_counts_until_it_is_received) {
  open_named(1, "client", "k");
  for (int part = 0; part < 9; ++part)
    book_.note_received(1, header(100'000) + std::string(100'000, 'x'), now_);
  EXPECT_TRUE(closed().empty());
  auto all = taken(1, "client", "k");
  all.parts = 9;
  all.bytes = 9 * (100'000 - 33);  // encryption adds 33 bytes to each frame
  book_.note_taken(all, now_);
  for (int part = 0; part < 9; ++part) book_.note_received(1, header(100'000), now_);
  EXPECT_TRUE(closed().empty()) << "a header without its body does not count as a frame yet";
  open_named(2, "client", "k");
  for (int part = 0; part < 10; ++part)
    book_.note_received(2, header(100'000) + std::string(100'000, 'x'), now_);
  EXPECT_EQ(closed(), std::set<int>{2});
  open_named(3, "client", "k");
  for (int part = 0; part < 20'000; ++part) book_.note_received(3, header(0), now_);
  EXPECT_EQ(closed(), std::set<int>{3}) << "empty parts count too";
}

// A connection may have 1,000,000 unread bytes, with the bytes that libzmq and encryption add to
// each frame. Messages that the program has received no longer count.
TEST_F(ConnectionBookTest, received_messages_no_longer_count_against_the_limit) {
  open_named(1, "client", "k");
  book_.open_local(2, 1000, now_);
  for (const auto& [fd, encryption] : {std::pair{1, 33}, {2, 0}}) {
    if (fd == 2) book_.note_received(fd, greeting(), now_);
    auto all = taken(fd, fd == 1 ? "client" : "uid 1000", fd == 1 ? "k" : "");
    all.parts = 2;
    all.bytes = 1'000'000 - 2 * (overhead + encryption);
    const std::string first = header(600'000) + std::string(600'000, 'x');
    const std::size_t rest = 400'000 - 2 * overhead;
    const std::string second = header(rest) + std::string(rest, 'x');
    for (int times = 0; times < 3; ++times) {
      book_.note_received(fd, first + second, now_);
      EXPECT_TRUE(closed().empty()) << "connection " << fd << " is at its limit";
      book_.note_taken(all, now_);
    }
    book_.note_received(fd, first + second, now_);
    EXPECT_TRUE(closed().empty());
    book_.note_received(fd, header(0), now_);
    EXPECT_EQ(closed(), std::set<int>{fd}) << "beyond the limit";
    EXPECT_NE(why_.find("its messages that could not be taken yet count 1001024 bytes; the "
                        "limit is 1000000"),
              std::string::npos)
        << why_;
  }
}

TEST_F(ConnectionBookTest, a_message_of_a_million_empty_parts_is_refused_while_they_arrive) {
  book_ =
      ConnectionBook({.unproven_max = 1,
                      .proven_max = 1,
                      .per_owner_max = 1,
                      .unread_bytes_per_connection_max = limits::unread_bytes_per_connection_max,
                      .unread_bytes_max = limits::unread_bytes_max});
  book_.open_local(1, 1000, now_);
  book_.note_received(1, greeting(), now_);
  int parts = 0;
  for (; closed().empty() && parts < 1'000'000; ++parts) book_.note_received(1, header(0), now_);
  EXPECT_LE(parts, 65'537) << "they take 4 MiB in libzmq";
}

TEST_F(ConnectionBookTest, heartbeats_of_months_do_not_close_a_connection) {
  open_named(1, "client", "k");
  for (int beat = 0; beat < 200'000; ++beat) {
    now_ += Milliseconds{5'000};
    book_.note_received(1, header(40) + std::string(40, 'x') + header(38) + std::string(38, 'x'),
                        now_);
  }
  EXPECT_TRUE(closed().empty());
}

TEST_F(ConnectionBookTest, the_key_or_user_with_the_most_unread_bytes_loses_a_connection) {
  open_named(1, "client", "k");
  book_.note_received(1, header(900'000), now_);
  for (int fd = 2; fd < 6; ++fd) {
    open_named(fd, "worker-n1", "w");
    book_.note_received(fd, header(600'000), now_);
  }
  const auto lost = closed();
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_NE(*lost.begin(), 1);
}

TEST_F(ConnectionBookTest, the_connections_of_one_key_or_local_user_are_limited) {
  for (int fd = 1; fd <= 7; ++fd) open_named(fd, "client", "k");
  open_named(8, "worker-n1", "w");
  EXPECT_EQ(closed(), (std::set<int>{6, 7}));
  for (int fd = 11; fd <= 16; ++fd) book_.open_local(fd, 1000, now_);
  EXPECT_EQ(closed(), std::set<int>{16});
  EXPECT_NE(why_.find("uid 1000 has too many connections; the limit is 5"), std::string::npos);
}

TEST_F(ConnectionBookTest, at_the_total_limit_the_oldest_connection_without_a_known_key_is_closed) {
  for (int fd = 1; fd <= 4; ++fd) open_named(fd, "worker-n" + std::to_string(fd), "w");
  for (int fd = 101; fd <= 117; ++fd) open_proven(fd);  // they send nothing
  EXPECT_EQ(closed(), std::set<int>{101});
}

TEST_F(ConnectionBookTest, only_connections_of_a_removed_key_are_closed) {
  open_named(1, "client", "old");
  open_named(2, "client", "new");
  open_named(3, "worker-n1", "w");
  open_proven(4);  // handshake done, but no message yet, so its key is unknown
  book_.open_tcp(5, remote, now_);
  book_.open_local(6, 0, now_);
  book_.close_unless([](const std::string& key, const std::string&) { return key != "old"; });
  EXPECT_EQ(closed(), (std::set<int>{1, 4}));
}

TEST_F(ConnectionBookTest, a_late_message_does_not_count_for_the_next_connection) {
  open_named(1, "client", "k");
  const auto late = taken(1, "client", "k");
  book_.note_closed(1);
  open_proven(1);
  book_.close(late, "its key was removed");
  EXPECT_TRUE(closed().empty());
  book_.note_taken(late, now_);
  book_.note_taken(taken(1, "worker-n1", "w"), now_);
  book_.close_unless([](const std::string& key, const std::string&) { return key == "w"; });
  EXPECT_TRUE(closed().empty());
}

}  // namespace
}  // namespace cox
