#include "tests/sim/scene.h"

#include <unistd.h>

#include <cstdio>

namespace cox::sim {
namespace {

constexpr std::size_t lines_kept = 60;

// A failed CHECK aborts: the story is told then too.
const Story* current = nullptr;

extern "C" void tell_story(int) {
  if (current != nullptr) {
    const std::string text = current->text();
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(3);
  }
  std::signal(SIGABRT, SIG_DFL);
  std::raise(SIGABRT);
}

}  // namespace

Story::Story(std::uint64_t seed, const Agenda& agenda, bool whole)
    : seed_(seed), agenda_(agenda), whole_(whole) {
  current = this;
  std::signal(SIGABRT, tell_story);
}

Story::~Story() {
  current = nullptr;
  std::signal(SIGABRT, SIG_DFL);
}

void Story::say(const std::string& who, const std::string& what) {
  char stamp[32];
  const auto now = agenda_.now().count();
  std::snprintf(stamp, sizeof stamp, "%6lld.%03lld ", static_cast<long long>(now / 1000),
                static_cast<long long>(now % 1000));
  std::string line = stamp + who;
  line.resize(std::max<std::size_t>(line.size() + 1, 22), ' ');
  line += what;
  if (whole_) std::printf("%s\n", line.c_str());
  lines_.push_back(std::move(line));
  if (lines_.size() > lines_kept) lines_.pop_front();
}

void Story::violated(const std::string& what) {
  say("VIOLATION", what);
  if (violation_.empty()) violation_ = what;
}

std::string Story::text() const {
  const std::string seed = std::to_string(seed_);
  std::string text = "\nseed " + seed + " at " + std::to_string(agenda_.now().count()) +
                     " ms: " + (violation_.empty() ? "a CHECK failed" : violation_) + "\n";
  for (const auto& line : lines_) text += line + "\n";
  return text + "again: ./dev sim --seed " + seed + "   (COX_SIM_SEED=" + seed +
         " build/asan/bin/test_sim)\n";
}

Faults Faults::random(Random& random) {
  const auto some = [&](std::int64_t low, std::int64_t high) {
    return random.one_in(3) ? 0 : random.between(low, high);
  };
  Faults f;
  f.loss_per_mille = some(5, 120);
  f.duplicate_per_mille = some(5, 60);
  f.slow_per_mille = some(5, 60);
  f.controller_crash_one_in = some(150, 1500);
  f.worker_crash_one_in = some(100, 1500);
  f.supervisor_kill_one_in = some(100, 1500);
  f.seal_failure_per_mille = some(5, 60);
  f.prepare_failure_per_mille = some(5, 60);
  f.prepare_slow_per_mille = some(5, 60);
  f.rejected_turn_per_mille = some(1, 10);
  return f;
}

}  // namespace cox::sim
