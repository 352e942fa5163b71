// Tests the PMI server of one node with the messages that clients of MPICH send, in both wire
// protocols.
#include "worker/stepd/pmi_server.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "common/messages/codec.h"
#include "worker/stepd/gather_share.h"

namespace cox {
namespace {

using namespace pmi;

// Returns a step with ranks 0 and 1 on the first node, which is tested, and ranks 2 and 3 on a
// second.
Shape two_here() {
  return {"coxswain.7.1.0", {0, 1}, 4, {2, 2}, true};
}

std::string frame(const std::string& text) {
  char head[7];
  std::snprintf(head, sizeof head, "%6zu", text.size());
  return head + text;
}

// Returns the bytes that the server writes to task `local`; other actions are shown in brackets.
std::string said(const std::vector<Action>& actions, std::size_t local = 0) {
  std::string all;
  for (const Action& action : actions) {
    if (const auto* write = std::get_if<Write>(&action)) {
      if (write->local == local) all += write->bytes;
    } else if (const auto* gather = std::get_if<Gather>(&action)) {
      all += "[gather " + std::to_string(gather->turn) + "]";
    } else {
      all += "[abort: " + std::get<Abort>(action).message + "]";
    }
  }
  return all;
}

std::string gathered_of(const std::vector<Action>& actions) {
  for (const Action& action : actions)
    if (const auto* gather = std::get_if<Gather>(&action)) return gather->data;
  return "(none)";
}

TEST(PmiLines, ReturnTheSizesAndExchangeKeysInFences) {
  PmiServer server(two_here());
  EXPECT_EQ(said(server.on_bytes(0, "cmd=init pmi_version=1 pmi_subversion=1\n")),
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
  server.on_bytes(1, "cmd=init pmi_version=1 pmi_subversion=1\n");
  EXPECT_EQ(said(server.on_bytes(0, "cmd=get_universe_size\ncmd=get_my_kvsname\n")),
            "cmd=universe_size size=4\ncmd=my_kvsname kvsname=coxswain.7.1.0\n");
  EXPECT_EQ(said(server.on_bytes(0, "cmd=get kvsname=x key=PMI_process_mapping\n")),
            "cmd=get_result rc=0 msg=success value=(vector,(0,2,2))\n");
  EXPECT_EQ(said(server.on_bytes(0, "cmd=put kvsname=x key=card-0 value=a b=c\n")),
            "cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(said(server.on_bytes(1, "cmd=get kvsname=x key=card-0\n"), 1),
            "cmd=get_result rc=-1 msg=key_card-0_not_found value=unknown\n")
      << "the key is visible only after the fence";
  EXPECT_EQ(said(server.on_bytes(0, "cmd=barrier_in\n")), "")
      << "the other task is not in the fence yet";
  const auto fence = server.on_bytes(1, "cmd=barrier_in\n");
  EXPECT_EQ(said(fence), "[gather 0]");
  const std::string other = std::string("card-2\0zz\0", 10);
  const auto out = server.on_gathered(0, {gathered_of(fence), other});
  EXPECT_EQ(said(out, 0), "cmd=barrier_out\n");
  EXPECT_EQ(said(out, 1), "cmd=barrier_out\n");
  EXPECT_EQ(said(server.on_bytes(1, "cmd=get kvsname=x key=card-0\ncmd=get key=card-2\n"), 1),
            "cmd=get_result rc=0 msg=success value=a b=c\n"
            "cmd=get_result rc=0 msg=success value=zz\n");
  EXPECT_EQ(said(server.on_gathered(0, {other})), "") << "that fence is over";
  EXPECT_EQ(said(server.on_bytes(0, "cmd=finalize\n")), "cmd=finalize_ack\n");
}

TEST(PmiFrames, ReturnTheSizesAndExchangeKeysInFences) {
  PmiServer server(two_here());
  for (const std::size_t local : {0u, 1u})
    EXPECT_EQ(said(server.on_bytes(local, "cmd=init pmi_version=2 pmi_subversion=0\n"), local),
              "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0\n");
  EXPECT_EQ(said(server.on_bytes(1, frame("cmd=fullinit;pmijobid=x;pmirank=1;threaded=FALSE;")), 1),
            frame("cmd=fullinit-response;rc=0;pmi-version=2;pmi-subversion=0;rank=1;size=4;"
                  "appnum=0;debugged=FALSE;pmiverbose=FALSE;"));
  EXPECT_EQ(said(server.on_bytes(0, frame("cmd=info-getjobattr;key=PMI_process_mapping;"))),
            frame("cmd=info-getjobattr-response;rc=0;found=TRUE;value=(vector,(0,2,2));"));
  server.on_bytes(0, frame("cmd=kvs-put;key=a;value=1;"));
  server.on_bytes(0, frame("cmd=kvs-fence;"));
  const auto fence = server.on_bytes(1, frame("cmd=kvs-fence;"));
  EXPECT_EQ(said(server.on_gathered(0, {gathered_of(fence), ""}), 1),
            frame("cmd=kvs-fence-response;rc=0;"));
  EXPECT_EQ(said(server.on_bytes(1, frame("cmd=kvs-get;jobid=x;srcid=-1;key=a;")), 1),
            frame("cmd=kvs-get-response;rc=0;found=TRUE;value=1;"));
  EXPECT_EQ(said(server.on_bytes(1, frame("cmd=kvs-get;key=b;")), 1),
            frame("cmd=kvs-get-response;rc=0;found=FALSE;"));
  EXPECT_EQ(said(server.on_bytes(0, frame("cmd=abort;isworld=TRUE;msg=out of cheese;"))),
            "[abort: out of cheese]");
}

TEST(PmiLines, AnswerEachCommandAndRefuseUnknownOnes) {
  PmiServer server(two_here());
  server.on_bytes(0, "cmd=init pmi_version=1 pmi_subversion=1\n");
  EXPECT_EQ(said(server.on_bytes(0, "cmd=get_maxes\ncmd=get_appnum\ncmd=tea\n")),
            "cmd=maxes kvsname_max=256 keylen_max=256 vallen_max=16384\n"
            "cmd=appnum appnum=0\n"
            "cmd=tea_result rc=-1 msg=not_known_here\n");
}

TEST(PmiFrames, AnswerEachCommandAndRefuseUnknownOnes) {
  PmiServer server(two_here());
  server.on_bytes(0, "cmd=init pmi_version=2 pmi_subversion=0\n");
  EXPECT_EQ(said(server.on_bytes(0, frame("cmd=info-getjobattr;key=universeSize;"))),
            frame("cmd=info-getjobattr-response;rc=0;found=TRUE;value=4;"));
  EXPECT_EQ(said(server.on_bytes(0, frame("cmd=info-getjobattr;key=tea;"))),
            frame("cmd=info-getjobattr-response;rc=0;found=FALSE;"));
  EXPECT_EQ(said(server.on_bytes(0, frame("cmd=kvs-put;key=a;value=1;"))),
            frame("cmd=kvs-put-response;rc=0;"));
  EXPECT_EQ(said(server.on_bytes(0, frame("cmd=tea;"))),
            frame("cmd=tea-response;rc=-1;errmsg=not known here;"));
  EXPECT_EQ(said(server.on_bytes(0, frame("cmd=finalize;"))), frame("cmd=finalize-response;rc=0;"));
}

TEST(Pmi, ReadsMessagesInPieces) {
  PmiServer server(two_here());
  const std::string all = "cmd=init pmi_version=2 pmi_subversion=0\n" + frame("cmd=job-getid;");
  std::string answers;
  for (const char each : all) answers += said(server.on_bytes(0, {&each, 1}));
  EXPECT_EQ(answers, "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0\n" +
                         frame("cmd=job-getid-response;rc=0;jobid=coxswain.7.1.0;"));
}

TEST(Pmi, ATaskThatSpeaksAnotherPmiVersionOrNonsenseIsAborted) {
  PmiServer other(two_here());
  EXPECT_EQ(said(other.on_bytes(0, "cmd=init pmi_version=9\n")),
            "[abort: PMI version 9 is not supported]");
  EXPECT_EQ(said(other.on_bytes(0, "cmd=get_maxes\n")), "");
  PmiServer endless(two_here());
  EXPECT_EQ(said(endless.on_bytes(0, std::string(line_bytes_max + 1, 'x'))),
            "[abort: invalid PMI message]");
  PmiServer frames(two_here());
  frames.on_bytes(0, "cmd=init pmi_version=2 pmi_subversion=0\n");
  EXPECT_EQ(said(frames.on_bytes(0, "banana")), "[abort: invalid PMI message]");
}

TEST(Pmi, TheKeysThatANodeSendsInOneFenceAreLimitedByTheNumberOfNodes) {
  for (const std::int64_t nodes : {1, 2, 100, 16'384}) {
    const StepGathered all{
        1, {static_cast<std::size_t>(nodes), std::string(gather_bytes_max(nodes), 'x')}};
    EXPECT_LE(encode(all).size(), limits::frame_bytes_max);
  }
  Shape shape = two_here();
  shape.nodes = 16'384;
  const std::size_t most = gather_bytes_max(shape.nodes);
  const auto put = [&](std::size_t bytes) {  // a NUL follows each key and each value
    PmiServer server(shape);
    server.on_bytes(0, "cmd=put key=k value=" + std::string(bytes - 3, 'x') + "\ncmd=barrier_in\n");
    return said(server.on_bytes(1, "cmd=barrier_in\n"));
  };
  EXPECT_EQ(put(most), "[gather 0]");
  EXPECT_EQ(put(most + 1),
            "[abort: a node sends " + std::to_string(most + 1) +
                " bytes in one fence; the limit with 16384 nodes is " + std::to_string(most) +
                "; use fewer nodes, or start the program with its own mpirun or mpiexec]");
}

TEST(Pmi, DoesNotCrashOnRandomInput) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    PmiServer server(two_here());
    if (round % 2 == 0) server.on_bytes(0, "cmd=init pmi_version=2 pmi_subversion=0\n");
    for (int piece = 0; piece < 20; ++piece) {
      std::string bytes;
      for (int i = 0; i < 40; ++i) bytes += " 0123;=\ncmdputkey\0x"[random() % 19];
      server.on_bytes(random() % 2, bytes);
      server.on_gathered(static_cast<std::int64_t>(random() % 3), {bytes});
    }
  }
}

TEST(Pmi, MapsRanksToNodesInRunLengths) {
  EXPECT_EQ(process_mapping({"", {0}, 7, {2, 2, 3}, true}), "(vector,(0,2,2),(2,1,3))");
  EXPECT_EQ(process_mapping({"", {0}, 4, {2, 2}, false}), "");
}

}  // namespace
}  // namespace cox
