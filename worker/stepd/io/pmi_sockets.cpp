#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/base/text.h"
#include "worker/stepd/io/step_mpi.h"
#include "worker/stepd/pmi_server.h"

namespace cox {
namespace {

pmi::Shape shape_of(const StepLaunch& launch, const StepBegin& begin, const std::string& name) {
  pmi::Shape shape{
      name,        launch.ranks, launch.tasks, {}, launch.distribution == Distribution::Block,
      launch.nodes};
  for (const std::string_view node : split(begin.task_map, ';'))
    shape.tasks_per_node.push_back(std::ssize(split(node, ',')));
  return shape;
}

class PmiSockets final : public StepMpi {
 public:
  PmiSockets(const StepLaunch& launch, const StepBegin& begin, const std::string& name,
             Watches& watches)
      : number_(launch.number),
        watches_(watches),
        shape_(shape_of(launch, begin, name)),
        server_(shape_),
        sockets_(launch.ranks.size()) {}

  ~PmiSockets() override {
    for (std::size_t local = 0; local < sockets_.size(); ++local) close(local);
  }

  Result<int> prepare(std::size_t local, std::vector<std::string>& environment) override {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return Refusal{std::string("PMI: cannot make a socket: ") + std::strerror(errno), ""};
    sockets_[local].ours.reset(ends[0]);
    sockets_[local].theirs.reset(ends[1]);
    watches_.add(ends[0], {number_, local, Watches::Kind::Mpi});
    environment.push_back("PMI_FD=" + std::to_string(ends[1]));
    environment.push_back("PMI_RANK=" + std::to_string(shape_.ranks[local]));
    environment.push_back("PMI_SIZE=" + std::to_string(shape_.tasks));
    environment.push_back("PMI_JOBID=" + shape_.name);
    environment.push_back("PMI_SPAWNED=0");
    return ends[1];
  }

  void started(std::size_t local) override { sockets_[local].theirs.reset(); }

  std::vector<MpiEvent> on_ready(std::size_t local) override {
    char buffer[16'384];
    const int fd = sockets_[local].ours.get();
    const ssize_t count = ::recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return {};
    if (count <= 0) {
      close(local);
      return {};
    }
    return carry_out(server_.on_bytes(local, {buffer, static_cast<std::size_t>(count)}));
  }

  std::vector<MpiEvent> on_gathered(const StepGathered& gathered) override {
    return carry_out(server_.on_gathered(gathered.turn, gathered.data));
  }

 private:
  struct Sockets {
    Descriptor ours;
    Descriptor theirs;
  };

  std::vector<MpiEvent> carry_out(std::vector<pmi::Action> actions) {
    std::vector<MpiEvent> words;
    for (pmi::Action& action : actions) {
      if (auto* gather = std::get_if<pmi::Gather>(&action)) {
        words.emplace_back(StepGather{gather->turn, std::move(gather->data)});
      } else if (auto* write = std::get_if<pmi::Write>(&action)) {
        send(write->local, write->bytes);
      } else {
        const auto& abort = std::get<pmi::Abort>(action);
        words.emplace_back(MpiAbort{"rank " + std::to_string(shape_.ranks[abort.local]) +
                                    " has aborted: " + printable(abort.message)});
      }
    }
    return words;
  }

  // Sends a reply to a task. A task reads each reply before it sends its next request, so the
  // socket has room for the reply. If it has not, the task breaks this rule, and its socket is
  // closed.
  void send(std::size_t local, std::string_view bytes) {
    const int fd = sockets_[local].ours.get();
    if (fd < 0) return;
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(bytes.size())) close(local);
  }

  void close(std::size_t local) {
    Descriptor& ours = sockets_[local].ours;
    if (!ours.is_open()) return;
    watches_.remove(ours.get());
    ours.reset();
  }

  std::int32_t number_;
  Watches& watches_;
  pmi::Shape shape_;
  PmiServer server_;
  std::vector<Sockets> sockets_;
};

}  // namespace

std::unique_ptr<StepMpi> open_pmi(const StepLaunch& launch, const StepBegin& begin,
                                  const std::string& name, Watches& watches) {
  return std::make_unique<PmiSockets>(launch, begin, name, watches);
}

}  // namespace cox
