// Measures the codec on the most frequent messages: a heartbeat, a status, a submission.
#include "common/messages/codec.h"

#include <benchmark/benchmark.h>

namespace cox {
namespace {

Message status_message() {
  StatusReport report{"n1", {}, "session", 17};
  report.status.key = {JobId{1}, AttemptNumber{1}};
  report.status.ranks.resize(8);
  return report;
}

Message submit_message() {
  SubmitJob submit;
  submit.request_id = std::string(32, 'a');
  submit.spec.command = {"python3", "train.py", "--epochs", "10"};
  submit.spec.work_dir = "/home/ada/project";
  submit.environment = std::string(2'000, 'x');
  return Request{1, submit};
}

template <Message (*make)()>
void there_and_back(benchmark::State& state) {
  const Message message = make();
  for (auto _ : state) benchmark::DoNotOptimize(decode(encode(message)));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(encode(message).size()));
}

Message heartbeat_message() {
  return Heartbeat{"n1", "session", 17, {}};
}

BENCHMARK(there_and_back<heartbeat_message>);
BENCHMARK(there_and_back<status_message>);
BENCHMARK(there_and_back<submit_message>);

}  // namespace
}  // namespace cox
