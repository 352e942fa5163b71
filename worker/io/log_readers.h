// Processes that read output files for the worker: one per user, started when first needed, ended
// when idle. No function here blocks, so a hanging file system delays only the users who read it.
#pragma once

#include <sys/types.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/time.h"
#include "common/messages/messages.h"
#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/io/frame_stream.h"

namespace cox {

class LogReaders {
 public:
  explicit LogReaders(std::string supervisor_program);

  int fd() const { return epoll_.get(); }  // readable when poll() has replies to take
  // Queues a read of the file `ask.path` as this user. poll() returns the reply with the ticket.
  void read(std::int64_t ticket, uid_t uid, gid_t gid, const ReadLog& ask, Boot now);
  // Returns (ticket, reply) pairs. Also ends readers that hang or are idle, and reaps them.
  std::vector<std::pair<std::int64_t, Reply>> poll(Boot now);

 private:
  using User = std::pair<uid_t, gid_t>;
  struct Question {
    std::int64_t ticket = 0;
    ReadLog ask;
  };
  struct Reader {
    pid_t pid = -1;
    std::unique_ptr<FrameStream> stream;
    std::deque<Question> questions;  // queued reads; the process works on the first
    Boot since{};                    // when the first read was sent, or the reader became idle
  };

  Reader* find_or_start(const User& user);
  Failure start(const User& user, Reader& reader);
  bool has_room();
  bool send_first(Reader& reader, Boot now);
  bool take_replies(Reader& reader, Boot now);
  void refuse(std::int64_t ticket, std::string fact);
  void refuse_all(Reader& reader, const std::string& fact);
  void reap();

  std::string program_;
  Descriptor epoll_;
  std::map<User, Reader> readers_;
  std::vector<pid_t> ended_;  // not reaped yet
  std::vector<std::pair<std::int64_t, Reply>> replies_;
};

}  // namespace cox
