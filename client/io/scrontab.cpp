// scrontab: reads a crontab from a file or an editor, and sends it to the controller.
#include "client/slurm/scrontab.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <utility>

#include "client/io/private/files.h"
#include "client/io/private/run_program.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/listing.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/io/clock.h"
#include "common/syntax/crontab.h"

namespace cox {
namespace {

// Sends a request on a new connection. The editor may be open for hours between two requests.
template <class Expected>
Result<Expected> ask(const ScrontabRequest& request, const Question& question) {
  auto session = open_session(request.config);
  if (!session) return session.refusal();
  auto answer = session->controller->ask(question);
  if (!answer) return answer.refusal();
  if (const auto* refused = std::get_if<Refused>(&*answer)) return refused->why;
  auto* expected = std::get_if<Expected>(&*answer);
  if (expected == nullptr) return Refusal{"Unexpected message", ""};
  return std::move(*expected);
}

Result<std::string> read_stream(std::istream& in, const std::string& name) {
  std::string text(limits::crontab_bytes_max + 1, '\0');  // 1 byte more than read_crontab() accepts
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (!in.bad()) return text;
  return Refusal{"failed to read " + printable(name), ""};
}

Result<std::string> read_named(const std::string& name) {
  if (name == "-") return read_stream(std::cin, "standard input");
  std::ifstream file(name, std::ios::binary);
  if (file) return read_stream(file, name);
  return Refusal{"failed to open " + printable(name) + ": " + std::strerror(errno),
                 "name a file, or - for standard input"};
}

std::string editor() {
  for (const char* name : {"VISUAL", "EDITOR"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return "vi";
}

// A shell runs the editor, since $EDITOR may contain arguments.
bool run_editor(const std::string& path, const std::vector<std::string>& environment) {
  const std::string command = editor() + " \"$1\"";
  const ProgramEnd end = run_program("/bin/sh", {"sh", "-c", command, "sh", path}, environment);
  return end.error == 0 && end.status == 0;
}

// A temporary file that only the user may read. The destructor removes it.
class DraftFile {
 public:
  DraftFile() {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder == nullptr || *folder == '\0' ? "/tmp" : folder) + "/scrontab-" +
            random_hex(8);
  }
  ~DraftFile() { ::unlink(path_.c_str()); }
  DraftFile(const DraftFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result<std::string> edited(const std::string& text, const std::vector<std::string>& environment) {
  const DraftFile draft;
  // The hint of write_file() is about a private cluster, so another hint is given.
  if (const auto why = write_file(draft.path(), text))
    return Refusal{why->fact, "set TMPDIR to a folder in which you may create files"};
  if (!run_editor(draft.path(), environment))
    return Refusal{"editor returned non-zero exit code", "nothing was changed"};
  return read_named(draft.path());
}

struct Installing {
  const Command& command;
  const ScrontabRequest& request;
  SubmitSurroundings around;
};

// Installs the crontab. Returns nothing if it is installed, or the problem if a line is refused. A
// Refusal if the request fails for any other reason.
Result<std::optional<CrontabProblem>> install(const Installing& i, const std::string& text) {
  auto read = read_crontab(text, i.around);
  if (const auto* bad = std::get_if<BadCronLines>(&read)) return std::optional(problem_of(*bad));
  auto& plan = std::get<CrontabPlan>(read);
  for (const std::string& warning : plan.warnings)
    print({"", "scrontab: warning: " + printable(warning) + "\n", exit_ok});
  const auto updated = ask<CrontabUpdated>(
      i.request, UpdateCrontab{random_hex(16), i.request.user, text, std::move(plan.lines), false});
  if (!updated) return updated.refusal();
  if (updated->refused) return std::optional(problem_of(*updated));
  for (const std::string_view line : split(updated->note, '\n'))
    if (!line.empty()) print({"", "scrontab: " + printable(line) + "\n", exit_ok});
  return std::optional<CrontabProblem>{};
}

int refuse(const Installing& i, const Refusal& why) {
  return print_refusal(i.command, why, {}, exit_refused);
}

int install_file(const Installing& i) {
  const auto text = read_named(i.request.file);
  if (!text) return refuse(i, text.refusal());
  const auto problem = install(i, *text);
  if (!problem) return refuse(i, problem.refusal());
  if (!*problem) return exit_ok;
  return print({(*problem)->out, (*problem)->err, exit_refused});
}

bool wants_to_retry(const CrontabProblem& problem) {
  print({problem.out + problem.marked, problem.err, exit_ok});
  for (;;) {
    print({retry_prompt, "", exit_ok});
    std::string line;
    if (!std::getline(std::cin, line)) return false;
    const std::string said = lower_case(line);
    if (said.starts_with('y') || said.starts_with('n')) return said.starts_with('y');
  }
}

int edit(const Installing& i) {
  const auto known = ask<CrontabShown>(i.request, ShowCrontab{i.request.user});
  if (!known) return refuse(i, known.refusal());
  std::string text = known->exists ? known->text : default_crontab();
  bool may_be_as_it_is = !known->exists;
  for (;;) {
    auto changed = edited(text, i.around.environment);
    if (!changed) return refuse(i, changed.refusal());
    if (*changed == text && !std::exchange(may_be_as_it_is, false))
      return print({"", "scrontab: No modification made\n", exit_ok});
    may_be_as_it_is = false;
    const auto problem = install(i, *changed);
    if (!problem) return refuse(i, problem.refusal());
    if (!*problem) return exit_ok;
    if (!wants_to_retry(**problem)) return exit_ok;
    text = with_marked_lines(*changed, (*problem)->first, (*problem)->last, bad_mark);
  }
}

int remove_crontab(const Installing& i) {
  UpdateCrontab remove{random_hex(16), i.request.user, "", {}, true};
  const auto removed = ask<CrontabUpdated>(i.request, std::move(remove));
  return removed ? exit_ok : refuse(i, removed.refusal());
}

int list(const Installing& i) {
  const auto shown = ask<CrontabShown>(i.request, ShowCrontab{i.request.user});
  if (!shown) return refuse(i, shown.refusal());
  return print(show_crontab(*shown, i.request.user.empty() ? own_user_name() : i.request.user));
}

}  // namespace

int run_scrontab(const Command& command, const std::vector<std::string>& words) {
  const auto read = read_scrontab_request(words, ::isatty(STDIN_FILENO) != 0);
  if (const auto* shown = std::get_if<Shown>(&read)) return print(*shown);
  const auto& request = std::get<ScrontabRequest>(read);
  if (!request.user.empty() && !surroundings().user_exists(request.user))
    return print_refusal(command, {"Could not find user " + printable(request.user), ""}, {},
                         exit_refused);
  auto around = submit_surroundings();
  if (!around) return print_refusal(command, around.refusal(), {}, exit_refused);
  const Installing installing{command, request, std::move(*around)};
  switch (request.what) {
    case ScrontabRequest::What::Edit: return edit(installing);
    case ScrontabRequest::What::List: return list(installing);
    case ScrontabRequest::What::Remove: return remove_crontab(installing);
    case ScrontabRequest::What::Install: return install_file(installing);
  }
  return exit_refused;
}

}  // namespace cox
