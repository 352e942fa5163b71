// Tests what the controller does about a database server that accepts a connection and then hangs.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>

#include "common/base/check.h"
#include "controller/io/postgres/pg_connection.h"
#include "controller/io/postgres/pg_scouts.h"
#include "tests/patience.h"
#include "tests/worker/temporary_folder.h"

namespace cox::test {
namespace {

// A server that answers the startup message of a connection as PostgreSQL does, and no later
// message.
class StandingServer {
 public:
  StandingServer() {
    listening_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (dir_ / ".s.PGSQL.5432").copy(address.sun_path, sizeof address.sun_path - 1);
    CHECK(::bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    CHECK(::listen(listening_, 8) == 0);
  }
  ~StandingServer() {
    ::close(listening_);
    for (const int fd : let_in_) ::close(fd);
  }
  StandingServer(const StandingServer&) = delete;
  StandingServer& operator=(const StandingServer&) = delete;

  void let_in() {
    pollfd arrived{listening_, POLLIN, 0};
    ASSERT_EQ(::poll(&arrived, 1, static_cast<int>(patience().count())), 1);
    let_in_.push_back(::accept(listening_, nullptr, nullptr));
    char startup[4096];
    EXPECT_GT(::read(let_in_.back(), startup, sizeof startup), 0);
    const std::string welcome("R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I", 15);
    EXPECT_EQ(::write(let_in_.back(), welcome.data(), welcome.size()), 15);
  }
  // Returns whether the client sent more than its startup message.
  bool is_asked() const {
    pollfd asked{let_in_.back(), POLLIN, 0};
    return ::poll(&asked, 1, 0) == 1;
  }
  const std::string& dir() const { return dir_.path(); }

 private:
  TemporaryFolder dir_;
  int listening_ = -1;
  std::vector<int> let_in_;
};

TEST(StandingServerTest, AConnectionThatGetsNoAnswerIsClosed) {
  StandingServer server;
  PgServers servers("host=" + server.dir() + " port=5432 user=cox dbname=cox");
  PgConnection connection(servers, 0);
  const Boot began = boot_from_ms(1'000'000);
  connection.connect(began);
  EXPECT_FALSE(connection.poll(began));
  server.let_in();
  const auto asks = [&] {
    EXPECT_FALSE(connection.poll(began));
    return server.is_asked();
  };
  ASSERT_TRUE(wait_for(asks)) << "the client prepares its queries";
  EXPECT_EQ(connection.deadline(), began + Milliseconds{10'000});
  EXPECT_FALSE(connection.poll(began + Milliseconds{9'999}));
  const auto answer = connection.poll(began + Milliseconds{10'000});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, PgAnswer::Kind::Lost);
  EXPECT_EQ(answer->message, "PostgreSQL did not answer within 10 s");
  EXPECT_TRUE(connection.is_closed());
}

// A scout asks each database server whether it is the primary. If a hanging server kept it from
// finishing, a starting controller would never ask for the lease, though another server is the
// primary.
TEST(StandingServerTest, TheSearchForThePrimaryFinishesThoughAServerHangs) {
  StandingServer server;
  PgServers servers("host=" + server.dir() + "," + server.dir() +
                    "/none port=5432 user=cox dbname=cox");
  PgScouts scouts(servers);
  const Boot began = boot_from_ms(1'000'000);
  scouts.poll(began);
  server.let_in();
  ASSERT_TRUE(wait_for([&] {
    scouts.poll(began);
    return server.is_asked();
  }));
  EXPECT_FALSE(scouts.have_looked());
  scouts.poll(began + Milliseconds{10'000});
  EXPECT_TRUE(scouts.have_looked());
}

}  // namespace
}  // namespace cox::test
