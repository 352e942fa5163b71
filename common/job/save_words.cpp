#include "common/job/save_words.h"

namespace cox {
namespace {

constexpr const char* grace_begins = "the grace of ";
constexpr const char* grace_ended = " to save ended";
constexpr const char* job_step_begins = "job step ";
constexpr const char* may_not_save = " may not save beside job step ";
constexpr const char* one_checkpoint = ", which has saved: a job has one checkpoint";
constexpr std::string_view cut_short = "; its time to save was cut short: ";

}  // namespace

std::string lost_save_in(const std::string& outcome) {
  const auto at = outcome.find(lost_save_begins);
  return at == std::string::npos ? "" : outcome.substr(at);
}

std::string grace_ended_note(std::int64_t grace_ms) {
  const std::string time = grace_ms % 1000 == 0 ? std::to_string(grace_ms / 1000) + " s"
                                                : std::to_string(grace_ms) + " ms";
  return grace_begins + time + grace_ended + " before the job did, so it got SIGTERM";
}

std::string ended_grace_in(const std::string& note) {
  const auto end = note.find(grace_ended);
  const auto begin = end == std::string::npos ? end : note.rfind(grace_begins, end);
  return begin == std::string::npos ? "" : note.substr(begin, end - begin);
}

std::string refused_beside_note(std::int32_t job_step, std::int32_t saver) {
  return job_step_begins + std::to_string(job_step) + may_not_save + std::to_string(saver) +
         one_checkpoint;
}

std::string refused_beside_in(const std::string& notes) {
  const auto at = notes.find(may_not_save);
  const auto begin = at == std::string::npos ? at : notes.rfind(job_step_begins, at);
  return begin == std::string::npos ? "" : notes.substr(begin, notes.find("; ", at) - begin);
}

std::string cut_short_text(const std::string& why, const std::string& fault) {
  return why + std::string(cut_short) + fault;
}

std::string cut_short_in(const std::string& why) {
  const auto at = why.find(cut_short);
  return at == std::string::npos ? "" : why.substr(at + cut_short.size());
}

bool declares_saves(const JobSpec& spec) {
  return spec.checkpoint_signal != 0 || spec.checkpoint_by == CheckpointBy::Rank0 ||
         spec.requeue_on_timeout;
}

}  // namespace cox
