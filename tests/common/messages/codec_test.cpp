// Tests the codec: decoding returns what was encoded, newer versions may add fields, and hostile
// bytes are refused before memory is allocated for them.
#include "common/messages/codec.h"

#include <gtest/gtest.h>

#include <map>
#include <msgpack.hpp>
#include <random>

#include "common/base/limits.h"

namespace cox {
namespace {

JobSpec full_spec() {
  JobSpec s;
  s.name = "digits \xc3\xa9";
  s.form = JobForm::Batch;
  s.command = {"a", "", "b c"};
  s.script_hash = std::string(32, 'f');
  s.uid = 4294967295u;
  s.work_dir = "/tmp";
  s.nodes = 2;
  s.tasks = 4;
  s.gpu_type = "h100";
  s.nodelist = {"n1", "n2"};
  s.signal = {10, 120, true};
  s.checkpoint_by = CheckpointBy::Rank0;
  s.requeue = false;
  s.min_cpus = 8;
  s.contiguous = s.exclusive_user = true;
  s.prefer = "fast|!old";
  return s;
}

LaunchSpec full_launch() {
  LaunchSpec l;
  l.key = {JobId{17}, AttemptNumber{3}};
  l.spec = full_spec();
  l.script = std::string("#!/bin/sh\n\xff\x00 bytes", 17);
  l.environment = std::string("A=1\0B=2\0", 8);
  l.nodes = {{{"n1", 0, 2, 2, 100, {0, 1}}, "127.0.0.11"},
             {{"n2", 2, 2, 2, 100, {}}, "127.0.0.12"}};
  l.resume = ResumeFrom{AttemptNumber{2}, 40};
  l.submitted = wall_from_ms(1'700'000'000'123);
  l.lease_ms = 900'000;
  l.go_when_ready = true;
  l.lease_from = boot_from_ms(4'711);
  return l;
}

Message round_trip(const Message& m) {
  auto decoded = decode(encode(m));
  EXPECT_TRUE(decoded.ok()) << decoded.refusal().fact;
  EXPECT_EQ(decoded->size(), 1u);
  return decoded->front();
}

TEST(Codec, SuspensionsAreEncodedInBothDirections) {
  const AttemptKey key{JobId{4}, AttemptNumber{2}};
  const auto decoded = std::get<Suspend>(round_trip(Suspend{Term{7}, key, {3, true}}));
  EXPECT_EQ(decoded.term, Term{7});
  EXPECT_EQ(decoded.key, key);
  EXPECT_EQ(decoded.order, (Suspension{3, true}));
  AttemptStatus status;
  status.key = key;
  status.suspension = {3, true};
  EXPECT_EQ(std::get<StatusReport>(round_trip(StatusReport{"n1", status, "s", 1})).status, status);
  const Heartbeat beat{"n1", "s", 2, {{key, 5, NodePhase::Running, 70, 3}}};
  EXPECT_EQ(std::get<Heartbeat>(round_trip(beat)).attempts.front().suspension, 3);
}

TEST(Codec, ALaunchIsDecodedAsItWasEncoded) {
  const auto prepare =
      std::get<Prepare>(round_trip(Prepare{Term{7}, full_launch(), "session", 12}));
  EXPECT_EQ(prepare.term, Term{7});
  EXPECT_EQ(prepare.session, "session");
  EXPECT_EQ(prepare.number, 12);
  EXPECT_EQ(prepare.launch, full_launch());
}

TEST(Codec, RequestsAndRepliesKeepTheirKindAndNumber) {
  const auto request =
      std::get<Request>(round_trip(Request{42, SubmitJob{"id-1", full_spec(), "#!/bin/sh\n", ""}}));
  EXPECT_EQ(request.number, 42);
  EXPECT_EQ(std::get<SubmitJob>(request.body).spec, full_spec());
  const auto test =
      std::get<Request>(round_trip(Request{43, TestJob{full_spec(), "script", "A=1"}}));
  EXPECT_EQ(std::get<TestJob>(test.body).spec, full_spec());
  EXPECT_EQ(std::get<TestJob>(test.body).environment, "A=1");
  JobTested tested{{}, {"one", "two"}, true, {JobId{4}}, 77, true};
  JobSpec asked;
  asked.switches = "2";
  asked.gres = "from a newer program: 1";
  tested.view.job.spec = asked;
  const auto decoded = std::get<JobTested>(std::get<Reply>(round_trip(Reply{43, tested})).body);
  EXPECT_EQ(decoded.why, tested.why);
  EXPECT_EQ(decoded.preempted_jobs, tested.preempted_jobs);
  EXPECT_TRUE(decoded.starts_now);
  EXPECT_EQ(decoded.loss_unit_seconds, 77);
  EXPECT_EQ(*decoded.view.job.spec, asked);
  EXPECT_EQ(decoded.view.job.spec->terms->switches.count, 2) << "texts are parsed during decoding";
  EXPECT_TRUE(unreadable(*decoded.view.job.spec->terms, "--gres"));
  const LicenceList list{{{"matlab", 3, 2, {JobId{4}}}}};
  const auto licences = std::get<LicenceList>(std::get<Reply>(round_trip(Reply{44, list})).body);
  ASSERT_EQ(licences.licences.size(), 1u);
  EXPECT_EQ(licences.licences[0].name, "matlab");
  EXPECT_EQ(licences.licences[0].total, 3);
  EXPECT_EQ(licences.licences[0].used, 2);
  EXPECT_EQ(licences.licences[0].jobs, std::vector<JobId>{JobId{4}});
  const auto asks = std::get<Request>(round_trip(Request{44, ListLicences{}}));
  EXPECT_TRUE(std::holds_alternative<ListLicences>(asks.body));
  const auto update = std::get<Request>(
      round_trip(Request{45, UpdatePartitions{{"gpu", "cpu"}, {{"State", "DOWN"}}}}));
  EXPECT_EQ(std::get<UpdatePartitions>(update.body).partitions,
            (std::vector<std::string>{"gpu", "cpu"}));
  EXPECT_EQ(std::get<UpdatePartitions>(update.body).values.at(0).value, "DOWN");
  const auto reply = std::get<Reply>(round_trip(Reply{42, Refused{{"no", "try"}}}));
  EXPECT_EQ(std::get<Refused>(reply.body).why, (Refusal{"no", "try"}));
}

TEST(Codec, ReservationsAreRequestedAndReturned) {
  const ActOnReservation act{ReservationVerb::Update, "r", {"Nodes=n1", "Users+=ada"}};
  const auto asked = std::get<Request>(round_trip(Request{45, act}));
  const auto& same = std::get<ActOnReservation>(asked.body);
  EXPECT_EQ(same.verb, act.verb);
  EXPECT_EQ(same.name, act.name);
  EXPECT_EQ(same.settings, act.settings);
  AdvanceReservation one;
  one.name = "r";
  one.begin = wall_from_ms(5);
  one.end = wall_from_ms(6);
  one.recurrence = Recurrence::Weekend;
  one.nodes = {"n1"};
  one.users = {"ada"};
  one.magnetic = true;
  const ReservationList list{{{one, true, {JobId{4}}, {JobId{5}}}}};
  const auto decoded = std::get<ReservationList>(std::get<Reply>(round_trip(Reply{45, list})).body);
  ASSERT_EQ(decoded.reservations.size(), 1u);
  EXPECT_EQ(decoded.reservations[0].reservation, one);
  EXPECT_TRUE(decoded.reservations[0].active);
  EXPECT_EQ(decoded.reservations[0].running, std::vector<JobId>{JobId{4}});
  EXPECT_EQ(decoded.reservations[0].waiting, std::vector<JobId>{JobId{5}});
}

TEST(Codec, StepsAreRequestedAndReported) {
  CreateStep create{"r", JobId{4}, 2, {}, {"ipc:///s", "a", "b", "c"}, JobState::Running, 500};
  create.spec.tasks = 3;
  create.spec.overcommit = true;
  create.spec.memory_mb_per_cpu = 7;
  const auto asked = std::get<Request>(round_trip(Request{46, create}));
  EXPECT_EQ(std::get<CreateStep>(asked.body).spec, create.spec);
  EXPECT_EQ(std::get<CreateStep>(asked.body).streams, create.streams);
  const ListSteps some{{JobId{4}}, {""}, "ann", true, {{JobId{4}, AttemptNumber{1}}, 5}};
  const auto listed = std::get<Request>(round_trip(Request{47, some}));
  EXPECT_EQ(std::get<ListSteps>(listed.body).after, some.after);
  StepShown shown;
  shown.view.step.request_id = "r";
  shown.waits = "Requested nodes are busy";
  shown.kill_wait_ms = 30'000;
  const auto decoded = std::get<StepShown>(std::get<Reply>(round_trip(Reply{46, shown})).body);
  EXPECT_EQ(decoded.view.step, shown.view.step);
  EXPECT_EQ(decoded.waits, shown.waits);
  EXPECT_EQ(decoded.kill_wait_ms, shown.kill_wait_ms);
  const std::string bytes("a\0\xff", 3);
  const auto output = std::get<StreamBytes>(round_trip(StreamBytes{1, StreamName::Error, bytes}));
  EXPECT_EQ(output.data, bytes);
  EXPECT_EQ(output.stream, StreamName::Error);
}

TEST(Codec, ManyMessagesShareAFrameInOrder) {
  std::vector<Message> messages;
  for (int i = 0; i < 100; ++i) messages.push_back(StatusAck{{JobId{i}, AttemptNumber{1}}, i});
  const auto decoded = decode(encode(messages));
  ASSERT_TRUE(decoded.ok());
  ASSERT_EQ(decoded->size(), 100u);
  EXPECT_EQ(std::get<StatusAck>((*decoded)[99]).revision, 99);
}

TEST(Codec, MessagesBeyondOneFrameAreSplit) {
  std::vector<Message> messages;
  for (int i = 0; i < 3; ++i) {
    Prepare p{Term{1}, full_launch()};
    p.launch.key.job = JobId{i};
    p.launch.script.assign(limits::frame_bytes_max / 2, 'x');
    messages.emplace_back(std::move(p));
  }
  const auto frames = encode_frames(messages);
  ASSERT_EQ(frames.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    const auto decoded = decode(frames[static_cast<std::size_t>(i)]);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(std::get<Prepare>(decoded->front()).launch.key.job, JobId{i});
  }
}

// A reader allows a frame only so much memory per byte. Many small messages at once are normal: in
// one turn of the controller, 400 jobs of a node may end.
TEST(Codec, ManySmallMessagesAreSplitIntoFramesThatTheReaderAccepts) {
  const std::vector<Message> many(limits::frame_messages_max, Message{StatusAck{}});
  std::size_t read = 0;
  for (const std::string& frame : encode_frames(many)) {
    const auto messages = decode(frame);
    ASSERT_TRUE(messages.ok()) << messages.refusal().fact;
    read += messages->size();
  }
  EXPECT_EQ(read, many.size());
}

TEST(Codec, AReplyTooLargeForAnyFrameBecomesARefusal) {
  LogChunk chunk;
  chunk.data.assign(limits::frame_bytes_max, 'x');
  const auto frames = encode_frames({StatusAck{}, Reply{7, chunk}, StatusAck{}});
  ASSERT_EQ(frames.size(), 3u);
  const auto decoded = decode(frames[1]);
  ASSERT_TRUE(decoded.ok());
  const auto& reply = std::get<Reply>(decoded->front());
  EXPECT_EQ(reply.number, 7);
  EXPECT_TRUE(std::holds_alternative<Refused>(reply.body));
}

TEST(Codec, EveryTruncationOfAFrameIsRefused) {
  const std::string frame = encode(Message{Prepare{Term{7}, full_launch()}});
  for (std::size_t length = 0; length < frame.size(); ++length)
    EXPECT_FALSE(decode(std::string_view(frame).substr(0, length)).ok()) << length;
  EXPECT_FALSE(decode(frame + "x").ok()) << "trailing bytes";
}

TEST(Codec, DeclaredCountsAreCheckedAgainstTheBytesOfAFrame) {
  const auto refused = [](std::string body) {
    return !decode(std::string(1, static_cast<char>(protocol_version)) + body).ok();
  };
  EXPECT_TRUE(refused("\xdd\xff\xff\xff\xff"));            // an array of 2^32-1 elements
  EXPECT_TRUE(refused("\xdf\xff\xff\xff\xff"));            // a map of 2^32-1 elements
  EXPECT_TRUE(refused("\xdb\xff\xff\xff\xff"));            // a string of 2^32-1 bytes
  EXPECT_TRUE(refused(std::string(100'000, '\x91')));      // nesting
  EXPECT_TRUE(refused(std::string(17, '\x91') + "\xc0"));  // nested one level deeper than allowed
  EXPECT_TRUE(refused("\x93\x92\x01"));  // nested counts that exceed the bytes that follow
}

// Returns a frame with this many empty nodes. Each takes one byte in the frame, and hundreds of
// bytes in memory.
std::string frame_of_empty_nodes(std::uint32_t count) {
  std::string frame{static_cast<char>(protocol_version),
                    '\x91',
                    '\x92',
                    Reply::tag,
                    '\x92',
                    '\x01',
                    '\x92',
                    NodeList::tag,
                    '\x91',
                    '\xdd'};
  for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(count >> shift & 0xff);
  return frame.append(count, '\x90');
}

TEST(Codec, FramesThatWouldNeedFarMoreMemoryThanTheirBytesAreRefused) {
  EXPECT_TRUE(decode(frame_of_empty_nodes(500)).ok()) << "small lists are accepted";
  const auto refused = decode(frame_of_empty_nodes(250'000));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.refusal().fact.find("memory"), std::string::npos) << refused.refusal().fact;
}

TEST(Codec, AFrameMayUseAllMemoryAllowedForItsBytesAndNoMore) {
  constexpr std::size_t per_byte = limits::decoded_bytes_per_byte_max;
  constexpr std::size_t object = sizeof(msgpack::object);
  // Memory for the objects around the nodes and for the one message of the frame.
  constexpr std::size_t outside = (1 + 2 + 2 + 2 + 1) * object + sizeof(Message);
  // Memory of an empty node beyond what its one byte allows.
  constexpr std::size_t node = sizeof(NodeView) + object - per_byte;
  const std::size_t head = frame_of_empty_nodes(0).size();
  const std::size_t most = (limits::decoded_bytes_base + head * per_byte - outside) / node;
  EXPECT_TRUE(decode(frame_of_empty_nodes(static_cast<std::uint32_t>(most))).ok());
  EXPECT_FALSE(decode(frame_of_empty_nodes(static_cast<std::uint32_t>(most + 1))).ok());
}

TEST(Codec, TheLargestRequestAndTheLargestReplyAreWithinTheMemoryAllowance) {
  SubmitJobs many{"r", std::vector<JobSpec>(limits::jobs_per_request_max), "", ""};
  EXPECT_TRUE(decode(encode(Message{Request{1, many}})).ok());
  JobList page;
  page.jobs.resize(limits::page_rows_max);
  EXPECT_TRUE(decode(encode(Message{Reply{1, page}})).ok());
  NodeList nodes;
  nodes.nodes.resize(limits::nodes_per_job_max);
  EXPECT_TRUE(decode(encode(Message{Reply{1, nodes}})).ok());
  Prepare prepare{Term{1}, full_launch()};
  prepare.launch.nodes.resize(limits::nodes_per_job_max);
  EXPECT_TRUE(decode(encode(Message{prepare})).ok());
}

TEST(Codec, UnknownTagsValuesAndVersionsAreRefused) {
  const auto frame = encode(Message{StatusAck{{JobId{1}, AttemptNumber{1}}, 1}});
  EXPECT_FALSE(decode(std::string(1, '\0') + frame.substr(1)).ok()) << "version 0";
  EXPECT_FALSE(decode("\x01\x91\x92\x7f\x90").ok()) << "tag 127";
  // A job verb beyond the last one.
  const auto act = encode(Message{Request{1, ActOnJobs{static_cast<JobVerb>(200), {}}}});
  EXPECT_FALSE(decode(act).ok());
}

// Returns a frame with one message that claims to be written by a program of this protocol version
// (the last byte of a frame).
std::string written_by(int version) {
  std::string frame = encode(Message{RenewLease{}});
  frame.back() = static_cast<char>(version);
  return frame;
}

TEST(Codec, NeighbouringVersionsUnderstandEachOther) {
  EXPECT_EQ(decode_frame(encode(Message{RenewLease{}}))->version, protocol_version);
  EXPECT_EQ(encode(Message{RenewLease{}})[0], 1) << "every version can read this message";
  EXPECT_EQ(decode_frame(written_by(protocol_version_before))->version, protocol_version_before);
  EXPECT_EQ(decode_frame(written_by(protocol_version + 1))->version, protocol_version + 1);
  EXPECT_EQ(decode_frame("\x01\x91\x92\x1e\x90")->version, 1)
      << "a frame without a version is of version 1";
}

TEST(Codec, IncompatibleVersionsRefuseEachOther) {
  std::string only_for_newer = encode(Message{RenewLease{}});
  only_for_newer[0] = protocol_version + 1;
  const std::map<int, std::string> frames{
      {protocol_version_before - 1, written_by(protocol_version_before - 1)},
      {protocol_version + 2, written_by(protocol_version + 2)},
      {protocol_version + 1, only_for_newer}};
  for (const auto& [version, frame] : frames) {
    const auto refused = decode(frame);
    ASSERT_FALSE(refused.ok()) << version;
    EXPECT_EQ(refused.refusal().fact, "protocol version " + std::to_string(version) +
                                          " was received, but this program speaks version " +
                                          std::to_string(protocol_version));
  }
}

// A peer of protocol version 0 gets no message that was added after version 0.
TEST(Codec, APeerGetsOnlyMessagesThatItsVersionKnows) {
  EXPECT_TRUE(encode_frames({Welcome{}, StatusAck{}}, 0).empty());
  const auto frames = encode_frames({Welcome{}, Reply{7, Submitted{}}, Request{8, ListNodes{}}}, 0);
  ASSERT_EQ(frames.size(), 1u);
  const auto decoded = decode(frames.front());
  ASSERT_EQ(decoded->size(), 2u);
  const auto& reply = std::get<Reply>(decoded->at(0));
  EXPECT_EQ(reply.number, 7);
  EXPECT_EQ(std::get<Refused>(reply.body).why.fact,
            "the reply needs protocol version 1, but the program that asked speaks version 0");
  EXPECT_EQ(std::get<Request>(decoded->at(1)).number, 8) << "the peer refuses the request itself";
}

TEST(Codec, MissingTrailingFieldsKeepTheirDefaults) {
  // A RenewLease without fields, and below one with a field more than this program knows.
  const auto none = decode("\x01\x91\x92\x1e\x90");
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(std::get<RenewLease>(none->front()).until, Boot{});
  const auto more = decode("\x01\x91\x92\x1e\x92\x05\xa1z");
  ASSERT_TRUE(more.ok());
  EXPECT_EQ(std::get<RenewLease>(more->front()).until, boot_from_ms(5));
}

TEST(Codec, DamagedFramesAreDecodedOrRefusedWithoutACrash) {
  constexpr unsigned seed = 20261121;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const std::string frame = encode(Message{Prepare{Term{7}, full_launch()}});
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = frame;
    for (int k = 0; k < 3; ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random() & 0xff);
    if (const auto decoded = decode(damaged)) encode(*decoded);
  }
}

// In other messages an enum value that the peer does not know is replaced by the first value of the
// enum. A request keeps the value, so that the peer refuses the request: a step with another
// placement than requested would be worse.
TEST(Codec, ARequestKeepsAValueThatThePreviousVersionDoesNotKnow) {
  CreateStep asks;
  asks.spec.distribution = Distribution::Arbitrary;
  const auto frames = encode_frames({Request{7, asks}}, protocol_version_before);
  ASSERT_EQ(frames.size(), 1u);
  const auto read = decode(frames.front());
  ASSERT_TRUE(read.ok());
  const auto& question = std::get<Request>(read->front());
  EXPECT_EQ(std::get<CreateStep>(question.body).spec.distribution, Distribution::Arbitrary);
}

}  // namespace
}  // namespace cox
