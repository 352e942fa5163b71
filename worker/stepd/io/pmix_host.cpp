#include "worker/stepd/io/pmix_host.h"

#include <pmix.h>
#include <pmix_server.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "common/base/check.h"
#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/text.h"
#include "worker/stepd/gather_share.h"

namespace cox {
namespace {

PmixHost* the_host = nullptr;  // libpmix allows only one server in a process

// ---- callbacks that libpmix calls on its own threads -----------------------------------------

pmix_status_t client_connected(const pmix_proc_t*, void*, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t client_finalized(const pmix_proc_t*, void*, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t abort_asked(const pmix_proc_t* proc, void*, int, const char message[], pmix_proc_t[],
                          std::size_t, pmix_op_cbfunc_t, void*) {
  if (the_host != nullptr)
    the_host->on_abort(proc->nspace, proc->rank, message == nullptr ? "" : message);
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t fence_asked(const pmix_proc_t procs[], std::size_t count, const pmix_info_t[],
                          std::size_t, char* data, std::size_t size, pmix_modex_cbfunc_t done,
                          void* context) {
  std::string blob = data == nullptr ? "" : std::string(data, size);
  ::free(data);
  if (the_host == nullptr || count == 0) return PMIX_ERR_NOT_FOUND;
  const std::string space = procs[0].nspace;
  std::set<std::uint32_t> ranks;
  bool is_all = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (procs[i].nspace != space) return PMIX_ERR_NOT_SUPPORTED;
    is_all = is_all || procs[i].rank == PMIX_RANK_WILDCARD;
    ranks.insert(procs[i].rank);
  }
  if (is_all) ranks.clear();
  return the_host->on_fence(space, ranks, std::move(blob), reinterpret_cast<void*>(done), context);
}

// Called when the library wants a remote rank's data. Refused: fences distribute all data that
// ranks put.
pmix_status_t modex_asked(const pmix_proc_t*, const pmix_info_t[], std::size_t, pmix_modex_cbfunc_t,
                          void*) {
  return PMIX_ERR_NOT_FOUND;
}

void release(void* blob) {
  delete static_cast<std::string*>(blob);
}

// ---- what libpmix is given about a step ------------------------------------------------------

// A list of pmix_info_t, which frees its elements.
class Infos {
 public:
  ~Infos() {
    for (pmix_info_t& info : infos_) PMIX_INFO_DESTRUCT(&info);
  }
  void text(const char* key, const std::string& value) { load(key, value.c_str(), PMIX_STRING); }
  void number(const char* key, std::uint32_t value) { load(key, &value, PMIX_UINT32); }
  void rank(const char* key, pmix_rank_t value) { load(key, &value, PMIX_PROC_RANK); }
  void small(const char* key, std::uint16_t value) { load(key, &value, PMIX_UINT16); }
  void flag(const char* key) {
    const bool yes = true;
    load(key, &yes, PMIX_BOOL);
  }
  // Adds the whole list `inner` as the value of the key.
  void list(const char* key, Infos& inner) {
    pmix_data_array_t array{};
    array.type = PMIX_INFO;
    array.size = inner.infos_.size();
    array.array = inner.infos_.data();
    load(key, &array, PMIX_DATA_ARRAY);
  }
  pmix_info_t* data() { return infos_.data(); }
  std::size_t size() const { return infos_.size(); }

 private:
  void load(const char* key, const void* value, pmix_data_type_t type) {
    pmix_info_t& info = infos_.emplace_back();
    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, key, value, type);
  }
  std::vector<pmix_info_t> infos_;
};

Refusal cannot(const std::string& what, pmix_status_t status) {
  return {"PMIx: cannot " + what + ": " + PMIx_Error_string(status), ""};
}

// Returns the library's compressed form of a list of nodes, or of the ranks on each node.
std::string short_form(const std::string& list, pmix_status_t (*make)(const char*, char**)) {
  char* text = nullptr;
  if (make(list.c_str(), &text) != PMIX_SUCCESS || text == nullptr) return list;
  const std::string found = text;
  ::free(text);
  return found;
}

// Returns the ranks of the step's tasks on each node, from the task map that srun has sent.
Result<std::vector<std::vector<pmix_rank_t>>> parse_map(const StepLaunch& launch,
                                                        const StepBegin& begin, std::size_t nodes) {
  std::vector<std::vector<pmix_rank_t>> map;
  for (const std::string_view node : split(begin.task_map, ';')) {
    std::vector<pmix_rank_t>& ranks = map.emplace_back();
    for (const std::string_view word : split(node, ',')) {
      const auto rank = parse_count(word, 0, launch.tasks - 1);
      if (!rank) return Refusal{"PMIx: invalid task map: " + rank.refusal().fact, ""};
      ranks.push_back(static_cast<pmix_rank_t>(*rank));
    }
  }
  if (map.size() == nodes) return map;
  return Refusal{"PMIx: the task map has " + std::to_string(map.size()) +
                     " nodes, but the step has " + std::to_string(nodes),
                 ""};
}

void add_job(Infos& infos, const StepLaunch& launch, const StepBegin& begin,
             const std::vector<std::string>& nodes, const std::string& folder) {
  const auto tasks = static_cast<std::uint32_t>(launch.tasks);
  const auto here = static_cast<std::uint32_t>(launch.ranks.size());
  infos.text(PMIX_NODE_MAP, short_form(joined(nodes, ","), PMIx_generate_regex));
  infos.text(PMIX_PROC_MAP, short_form(begin.task_map, PMIx_generate_ppn));
  infos.number(PMIX_UNIV_SIZE, tasks);
  infos.number(PMIX_JOB_SIZE, tasks);
  infos.number(PMIX_MAX_PROCS, tasks);
  infos.number(PMIX_JOB_NUM_APPS, 1);
  infos.number(PMIX_APP_SIZE, tasks);
  infos.number(PMIX_NUM_NODES, static_cast<std::uint32_t>(nodes.size()));
  infos.number(PMIX_LOCAL_SIZE, here);
  infos.number(PMIX_NODE_SIZE, here);
  infos.number(PMIX_NODEID, static_cast<std::uint32_t>(launch.node_index));
  infos.text(PMIX_HOSTNAME, nodes[static_cast<std::size_t>(launch.node_index)]);
  std::string peers;
  for (const std::int32_t rank : launch.ranks)
    peers += (peers.empty() ? "" : ",") + std::to_string(rank);
  infos.text(PMIX_LOCAL_PEERS, peers);
  infos.rank(PMIX_LOCALLDR, static_cast<pmix_rank_t>(launch.ranks.front()));
  infos.text(PMIX_JOBID, launch.name);
  infos.text(PMIX_TMPDIR, folder);
  infos.text(PMIX_NSDIR, folder);
}

// Adds a description (rank, node) of every rank of the step, also of ranks on other nodes.
void add_ranks(Infos& infos, const std::vector<std::vector<pmix_rank_t>>& map,
               const std::vector<std::string>& nodes) {
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    std::uint16_t local = 0;
    for (const pmix_rank_t rank : map[node]) {
      Infos one;
      one.rank(PMIX_RANK, rank);
      one.rank(PMIX_GLOBAL_RANK, rank);
      one.rank(PMIX_APP_RANK, rank);
      one.number(PMIX_APPNUM, 0);
      one.small(PMIX_LOCAL_RANK, local);
      one.small(PMIX_NODE_RANK, local++);
      one.number(PMIX_NODEID, static_cast<std::uint32_t>(node));
      one.text(PMIX_HOSTNAME, nodes[node]);
      infos.list(PMIX_PROC_DATA, one);
    }
  }
}

pmix_proc_t proc_of(const std::string& space, std::int32_t rank) {
  pmix_proc_t proc;
  PMIX_PROC_CONSTRUCT(&proc);
  PMIX_LOAD_PROCID(&proc, space.c_str(), static_cast<pmix_rank_t>(rank));
  return proc;
}

}  // namespace

// One step with its tasks on this node: a namespace of PMIx.
class PmixStep final : public StepMpi {
 public:
  PmixStep(PmixHost& host, std::string space, std::vector<std::int32_t> ranks)
      : host_(host), space_(std::move(space)), ranks_(std::move(ranks)) {}
  ~PmixStep() override { host_.close(space_); }

  Result<int> prepare(std::size_t local, std::vector<std::string>& environment) override {
    const pmix_proc_t proc = proc_of(space_, ranks_[local]);
    char** variables = nullptr;
    const pmix_status_t status = PMIx_server_setup_fork(&proc, &variables);
    if (status != PMIX_SUCCESS)
      return cannot("prepare rank " + std::to_string(ranks_[local]), status);
    for (char** each = variables; each != nullptr && *each != nullptr; ++each) {
      environment.emplace_back(*each);
      ::free(*each);
    }
    ::free(variables);
    return -1;
  }

  std::vector<MpiEvent> on_gathered(const StepGathered& gathered) override {
    host_.finish(space_, gathered);
    return {};
  }

 private:
  PmixHost& host_;
  std::string space_;
  std::vector<std::int32_t> ranks_;
};

PmixHost::PmixHost(std::string folder)
    : wakes_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), folder_(std::move(folder)) {
  CHECK(wakes_.is_open());
  CHECK(the_host == nullptr);
  the_host = this;
}

PmixHost::~PmixHost() {
  if (started_) PMIx_server_finalize();
  the_host = nullptr;
}

Failure PmixHost::start() {
  if (started_) return std::nullopt;
  static pmix_server_module_t module{};
  module.client_connected = client_connected;
  module.client_finalized = client_finalized;
  module.abort = abort_asked;
  module.fence_nb = fence_asked;
  module.direct_modex = modex_asked;
  Infos infos;
  infos.text(PMIX_SERVER_TMPDIR, folder_);
  infos.text(PMIX_SYSTEM_TMPDIR, folder_);
  const pmix_status_t status = PMIx_server_init(&module, infos.data(), infos.size());
  if (status != PMIX_SUCCESS) return cannot("start its server", status);
  started_ = true;
  return std::nullopt;
}

Result<std::unique_ptr<StepMpi>> PmixHost::open(const StepLaunch& launch, const StepBegin& begin,
                                                const std::string& name) {
  if (Failure failure = start()) return *failure;
  const auto nodes = expand_hostlist(launch.nodelist);
  if (!nodes) return nodes.refusal();
  const auto map = parse_map(launch, begin, nodes->size());
  if (!map) return map.refusal();
  Infos infos;
  add_job(infos, launch, begin, *nodes, folder_);
  add_ranks(infos, *map, *nodes);
  pmix_nspace_t space;
  PMIX_LOAD_NSPACE(space, name.c_str());
  pmix_status_t status = PMIx_server_register_nspace(space, static_cast<int>(launch.ranks.size()),
                                                     infos.data(), infos.size(), nullptr, nullptr);
  if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED)
    return cannot("register the step", status);
  {
    const std::lock_guard lock(mutex_);
    steps_[name] = {launch.number, launch.tasks, launch.nodes, 0, {}};
  }
  auto step = std::make_unique<PmixStep>(*this, name, launch.ranks);
  for (const std::int32_t rank : launch.ranks) {
    const pmix_proc_t proc = proc_of(name, rank);
    status = PMIx_server_register_client(&proc, ::getuid(), ::getgid(), nullptr, nullptr, nullptr);
    if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED)
      return cannot("register rank " + std::to_string(rank), status);
  }
  return std::unique_ptr<StepMpi>(std::move(step));
}

void PmixHost::close(const std::string& space) {
  {
    const std::lock_guard lock(mutex_);
    steps_.erase(space);
  }
  pmix_nspace_t known;
  PMIX_LOAD_NSPACE(known, space.c_str());
  PMIx_server_deregister_nspace(known, nullptr, nullptr);
}

std::vector<PmixHost::QueuedEvent> PmixHost::take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t read = ::read(wakes_.get(), &count, sizeof count);
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

void PmixHost::finish(const std::string& space, const StepGathered& gathered) {
  Fence fence;
  {
    const std::lock_guard lock(mutex_);
    const auto step = steps_.find(space);
    if (step == steps_.end()) return;
    const auto waiting = step->second.fences.find(gathered.turn);
    if (waiting == step->second.fences.end()) return;
    fence = waiting->second;
    step->second.fences.erase(waiting);
  }
  auto* blob = new std::string(joined(gathered.data, ""));
  const auto done = reinterpret_cast<pmix_modex_cbfunc_t>(fence.done);
  done(PMIX_SUCCESS, blob->data(), blob->size(), fence.context, release, blob);
}

// Queues an event of the step for take(). REQUIRES: the caller holds mutex_.
void PmixHost::queue_event(std::int32_t step, MpiEvent word) {
  events_.push_back({step, std::move(word)});
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wakes_.get(), &one, sizeof one);
}

// Begins a fence. Fences of only some ranks are refused, so that all nodes count the same fences
// and give each the same number.
int PmixHost::on_fence(const std::string& space, const std::set<std::uint32_t>& ranks,
                       std::string data, void* done, void* context) {
  const std::lock_guard lock(mutex_);
  const auto found = steps_.find(space);
  if (found == steps_.end()) return PMIX_ERR_NOT_FOUND;
  Step& step = found->second;
  if (!ranks.empty() && std::ssize(ranks) != step.tasks) return PMIX_ERR_NOT_SUPPORTED;
  if (data.size() > gather_bytes_max(step.nodes)) {
    queue_event(step.number, MpiAbort{"PMIx: " + gather_refusal(data.size(), step.nodes)});
    return PMIX_ERR_OUT_OF_RESOURCE;
  }
  const std::int64_t turn = step.turn++;
  step.fences[turn] = {done, context};
  queue_event(step.number, StepGather{turn, std::move(data)});
  return PMIX_SUCCESS;
}

bool PmixHost::on_abort(const std::string& space, std::uint32_t rank, const std::string& message) {
  const std::lock_guard lock(mutex_);
  const auto step = steps_.find(space);
  if (step == steps_.end()) return false;
  queue_event(step->second.number,
              MpiAbort{"rank " + std::to_string(rank) + " has aborted: " + printable(message)});
  return true;
}

}  // namespace cox
