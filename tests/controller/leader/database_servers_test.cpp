// Tests which of several database servers a controller takes for the primary, by what it has seen
// of them.
#include "controller/leader/database_servers.h"

#include <gtest/gtest.h>

namespace cox::test {
namespace {

std::string order_of(const DatabaseServers& servers) {
  std::string text;
  for (const DatabaseServer& each : servers.in_order())
    text += (text.empty() ? "" : " ") + each.host + ":" + each.port;
  return text;
}

TEST(DatabaseServersTest, AListNamesAsManyServersAsItHasHosts) {
  EXPECT_EQ(servers_named("a,b", "", "1,2"),
            (std::vector<DatabaseServer>{{"a", "", "1", 0}, {"b", "", "2", 0}}));
  EXPECT_EQ(servers_named("a,b", "", "7"),
            (std::vector<DatabaseServer>{{"a", "", "7", 0}, {"b", "", "7", 0}}));
  EXPECT_EQ(servers_named("", "10.0.0.1,10.0.0.2", ""),
            (std::vector<DatabaseServer>{{"", "10.0.0.1", "", 0}, {"", "10.0.0.2", "", 0}}));
  EXPECT_EQ(servers_named("", "", "").size(), 1u) << "the one that libpq takes by itself";
}

TEST(DatabaseServersTest, AFormerPrimaryIsTriedLast) {
  DatabaseServers servers(servers_named("a,b,c", "", "1,2,3"));
  EXPECT_EQ(order_of(servers), "a:1 b:2 c:3");
  servers.saw("a", "1", 4);
  EXPECT_FALSE(servers.is_former(4));
  EXPECT_EQ(order_of(servers), "a:1 b:2 c:3");

  servers.saw("b", "2", 5);  // promoted
  EXPECT_TRUE(servers.is_former(4));
  EXPECT_EQ(order_of(servers), "b:2 c:3 a:1");
  servers.saw("a", "1", 4);  // it still answers
  EXPECT_EQ(servers.newest(), 5);
  EXPECT_EQ(order_of(servers), "b:2 c:3 a:1");

  servers.saw("a", "1", 6);  // a was a replica of b, and was promoted after it
  EXPECT_EQ(order_of(servers), "a:1 c:3 b:2");
  EXPECT_TRUE(servers.is_former(5));
}

TEST(DatabaseServersTest, ServersAreKnownByAddressWhereTheyHaveNoName) {
  DatabaseServers servers(servers_named("", "10.0.0.1,10.0.0.2", ""));
  servers.saw("10.0.0.2", "5432", 3);
  EXPECT_EQ(servers.in_order().front().address, "10.0.0.2");
  EXPECT_EQ(servers.in_order().back().timeline, 0);
}

TEST(DatabaseServersTest, AConnectionErrorNamesEachServerWithoutTheHintsOfLibpq) {
  EXPECT_EQ(reason_of("connection to server at \"a\", port 1 failed: Connection refused\n"
                      "\tIs the server running on that host?\n"
                      "connection to server at \"b\", port 2 failed: session is read-only\n"),
            "connection to server at \"a\", port 1 failed: Connection refused; "
            "connection to server at \"b\", port 2 failed: session is read-only");
  EXPECT_EQ(reason_of("FATAL:  it goes down \nserver closed the connection"),
            "FATAL:  it goes down");
  EXPECT_EQ(reason_of(""), "");
}

TEST(DatabaseServersTest, AnErrorOfSeveralLinesBecomesOneLine) {
  EXPECT_EQ(error_line("ERROR:  new row violates check constraint \"nojob\"\n"
                       "DETAIL:  Failing row contains (1, evil).\n"),
            "ERROR:  new row violates check constraint \"nojob\"; "
            "DETAIL:  Failing row contains (1, evil).");
  EXPECT_EQ(error_line("\tone \n \n"), "one");
  EXPECT_EQ(error_line(""), "");
}

}  // namespace
}  // namespace cox::test
