#include "tests/sim/scene.h"

#include <unistd.h>

#include <cstdio>

namespace cox::sim {
namespace {

constexpr std::size_t lines_kept = 120;

// The log of the running seed, to print when a failed CHECK aborts.
const Story* current = nullptr;

extern "C" void print_story(int) {
  if (current != nullptr) {
    const std::string text = current->text();
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(3);
  }
  std::signal(SIGABRT, SIG_DFL);
  std::raise(SIGABRT);
}

}  // namespace

Story::Story(const Setting& setting, const Agenda& agenda) : setting_(setting), agenda_(agenda) {
  current = this;
  std::signal(SIGABRT, print_story);
}

Story::~Story() {
  current = nullptr;
  std::signal(SIGABRT, SIG_DFL);
}

void Story::log(const std::string& who, const std::string& what) {
  char stamp[32];
  const auto now = agenda_.now().count();
  std::snprintf(stamp, sizeof stamp, "%6lld.%03lld ", static_cast<long long>(now / 1000),
                static_cast<long long>(now % 1000));
  std::string line = stamp + who;
  line.resize(std::max<std::size_t>(line.size() + 1, 22), ' ');
  line += what;
  if (setting_.prints_all) std::printf("%s\n", line.c_str());
  for (const char c : line)
    digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 1'099'511'628'211ULL;
  lines_.push_back(std::move(line));
  if (lines_.size() > lines_kept) lines_.pop_front();
}

void Story::violated(const std::string& what) {
  log("VIOLATION", what);
  if (violation_.empty()) violation_ = what;
}

std::string Story::text() const {
  std::string text = "\nseed " + std::to_string(setting_.seed) + " at " +
                     std::to_string(agenda_.now().count()) +
                     " ms: " + (violation_.empty() ? "a CHECK failed" : violation_) + "\n";
  for (const auto& line : lines_) text += line + "\n";
  return text + "again: ./dev sim" + arguments_of(setting_) + "\n";
}

std::string arguments_of(const Setting& setting) {
  std::string text = " --seed " + std::to_string(setting.seed);
  if (setting.is_long) text += " --long";
  for (const Fault fault : setting.faults.only) text += " --only-fault " + std::string(name(fault));
  for (const Fault fault : setting.faults.without)
    text += " --without-fault " + std::string(name(fault));
  for (const std::int64_t job : setting.without_jobs)
    text += " --without-job " + std::to_string(job);
  if (setting.planted != PlantedBug::None)
    text += " --planted " + std::string(name(setting.planted));
  return text;
}

}  // namespace cox::sim
