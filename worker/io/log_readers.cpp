#include "worker/io/log_readers.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "worker/io/spawn.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {
namespace {

constexpr std::size_t readers_max = 64;        // reader processes, one per user
constexpr std::size_t questions_max = 1'000;   // reads that are queued for one reader
constexpr Milliseconds read_patience{5'000};   // limit for one piece of a file
constexpr Milliseconds idle_patience{30'000};  // how long an idle reader is kept
constexpr const char* try_again = "try again in a moment";

}  // namespace

LogReaders::LogReaders(std::string supervisor_program)
    : program_(std::move(supervisor_program)), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  CHECK(epoll_.is_open());
}

void LogReaders::read(std::int64_t ticket, uid_t uid, gid_t gid, const ReadLog& ask, Boot now) {
  Reader* reader = find_or_start({uid, gid});
  if (reader == nullptr) return refuse(ticket, "this node cannot start another log reader now");
  if (reader->questions.size() >= questions_max)
    return refuse(ticket, "uid " + std::to_string(uid) + " has " + std::to_string(questions_max) +
                              " log requests in progress, the limit");
  reader->questions.push_back({ticket, ask});
  if (reader->questions.size() == 1) send_first(*reader, now);
}

LogReaders::Reader* LogReaders::find_or_start(const User& user) {
  if (const auto found = readers_.find(user); found != readers_.end()) return &found->second;
  Reader reader;
  if (!has_room() || start(user, reader)) return nullptr;
  return &readers_.emplace(user, std::move(reader)).first->second;
}

// Returns whether another reader process may start. If the limit is reached, ends an idle reader
// first.
bool LogReaders::has_room() {
  if (readers_.size() + ended_.size() < readers_max) return true;
  const auto idle =
      std::ranges::find_if(readers_, [](const auto& one) { return one.second.questions.empty(); });
  if (idle == readers_.end()) return false;
  ended_.push_back(idle->second.pid);
  readers_.erase(idle);
  return true;
}

Failure LogReaders::start(const User& user, Reader& reader) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return io_refusal(program_, "create a socket", errno);
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  SpawnRequest request;
  request.words = {program_, "--read-logs", "3", std::to_string(user.first),
                   std::to_string(user.second)};
  request.descriptors = {theirs.get()};
  const auto pid = spawn_process(request);
  if (!pid) return pid.refusal();
  reader.pid = *pid;
  reader.stream = std::make_unique<FrameStream>(std::move(ours), limits::frame_bytes_max);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, reader.stream->fd(), &event) == 0);
  return std::nullopt;
}

// Sends the first queued read. A reader gets one read at a time, so that replies do not pile up.
bool LogReaders::send_first(Reader& reader, Boot now) {
  reader.since = now;
  if (reader.questions.empty()) return true;
  const Question& first = reader.questions.front();
  return reader.stream->send(Request{first.ticket, first.ask});
}

std::vector<std::pair<std::int64_t, Reply>> LogReaders::poll(Boot now) {
  for (auto at = readers_.begin(); at != readers_.end();) {
    Reader& reader = at->second;
    const bool lives = take_replies(reader, now);
    const Milliseconds waited = now - reader.since;
    const bool hangs = !reader.questions.empty() && waited >= read_patience;
    if (lives && !hangs && (!reader.questions.empty() || waited < idle_patience)) {
      ++at;
      continue;
    }
    if (hangs)
      refuse_all(reader, quoted(reader.questions.front().ask.path) + " cannot be read within " +
                             std::to_string(read_patience.count() / 1000) + " s");
    refuse_all(reader, "the log reader of uid " + std::to_string(at->first.first) + " has ended");
    ::kill(reader.pid, SIGKILL);
    ended_.push_back(reader.pid);
    at = readers_.erase(at);
  }
  reap();
  return std::exchange(replies_, {});
}

// Receives the replies of the reader process. Returns false if the process has ended.
bool LogReaders::take_replies(Reader& reader, Boot now) {
  std::vector<Message> messages;
  bool lives = reader.stream->read(messages) && reader.stream->flush();
  for (Message& message : messages) {
    auto* reply = std::get_if<Reply>(&message);
    if (reply == nullptr || reader.questions.empty()) continue;
    if (reply->number != reader.questions.front().ticket) continue;
    replies_.emplace_back(reply->number, std::move(*reply));
    reader.questions.pop_front();
    lives = send_first(reader, now) && lives;
  }
  return lives;
}

void LogReaders::refuse(std::int64_t ticket, std::string fact) {
  replies_.emplace_back(ticket, Reply{ticket, Refused{{std::move(fact), try_again}, true}});
}

void LogReaders::refuse_all(Reader& reader, const std::string& fact) {
  for (const Question& question : std::exchange(reader.questions, {}))
    refuse(question.ticket, fact);
}

void LogReaders::reap() {
  std::erase_if(ended_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
}

}  // namespace cox
