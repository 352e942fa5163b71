#include "client/slurm/control/scontrol.h"

#include <algorithm>
#include <array>
#include <set>

#include "client/slurm/control/config_record.h"
#include "client/slurm/control/control_json.h"
#include "client/slurm/list/squeue_request.h"
#include "client/slurm/text/command_rows.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

ControlPlan too_few(std::string_view keyword) {
  if (keyword == "update") return complain("too few arguments for update keyword");
  return complain("too few arguments for keyword:" + std::string(keyword));
}

ControlPlan act_on(JobVerb verb, const JobsNamed& jobs) {
  const bool suspends = verb == JobVerb::Suspend || verb == JobVerb::Resume;
  ControlPlan plan;
  plan.questions = {ActOnJobs{verb, jobs.ids, jobs.tasks}};
  plan.show = show_acts(suspends ? "slurm_suspend error: " : "", suspends ? "" : " for job ");
  return plan;
}

void add_row(JobsNamed& jobs, const Job& row) {
  jobs.ids.push_back(is_of_array(row) ? row.array_job : row.id);
  jobs.tasks.push_back(is_of_array(row) ? format_array_tasks(tasks_of(row)) : "");
}

// Returns the job names in words such as "jobname=train". Empty if any word has another form or an
// empty name.
std::set<std::string> job_names_in(const ControlWords& words) {
  std::set<std::string> names;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string what = lower_case(word.substr(0, equals));
    if (equals == std::string::npos || (what != "name" && what != "jobname")) return {};
    if (equals + 1 == word.size()) return {};
    names.insert(word.substr(equals + 1));
  }
  return names;
}

// Acts on the pending jobs, of all users, that have these names. As in Slurm, it is no error if no
// job has one of them.
ControlPlan act_by_name(JobVerb verb, const std::set<std::string>& names) {
  ListJobs list;
  list.states = {JobState::Pending};
  ControlPlan plan;
  plan.questions = {list};
  plan.then = [verb, names](const Answer& answer) {
    JobsNamed jobs;
    if (const auto* refused = std::get_if<Refused>(&answer))
      return complain(slurm_words(refused->why) + " for job " + printable(*names.begin()));
    if (const auto* found = std::get_if<JobList>(&answer)) {
      for (const JobView& view : found->jobs) {
        const Job& job = view.job;
        if (!names.contains(job.spec->name)) continue;
        add_row(jobs, job);
      }
    }
    return jobs.ids.empty() ? say("") : act_on(verb, jobs);
  };
  return plan;
}

// Handles `scontrol requeue incomplete`: requeues those of the jobs that are on nodes (CONFIGURING,
// RUNNING, SIGNALING, SUSPENDED). Like Slurm, ignores the others.
ControlPlan act_on_incomplete(JobVerb verb, const JobsNamed& jobs) {
  ListJobs list;
  list.ids = jobs.ids;
  list.tasks = jobs.tasks;
  list.states = {JobState::Configuring, JobState::Running, JobState::Signaling,
                 JobState::Suspended};
  ControlPlan plan;
  plan.questions = {list};
  plan.then = [verb](const Answer& answer) {
    if (const auto* refused = std::get_if<Refused>(&answer))
      return complain(slurm_words(refused->why));
    JobsNamed live;
    if (const auto* found = std::get_if<JobList>(&answer)) {
      for (const JobView& view : found->jobs) add_row(live, view.job);
      for (const JobId unknown : found->unknown) {
        live.ids.push_back(unknown);  // so that the controller refuses it
        live.tasks.emplace_back();
      }
    }
    return live.ids.empty() ? say("") : act_on(verb, live);
  };
  return plan;
}

template <JobVerb verb>
ControlPlan plan_requeue(const ControlWords& words, const ControlContext&) {
  const bool incomplete = words.size() > 1 && means(words[0], "incomplete", 1);
  const auto jobs = jobs_named(incomplete ? ControlWords(words.begin() + 1, words.end()) : words);
  if (!jobs) return complain_of_job("", jobs.refusal());
  return incomplete ? act_on_incomplete(verb, *jobs) : act_on(verb, *jobs);
}

template <JobVerb verb>
ControlPlan plan_act(const ControlWords& words, const ControlContext&) {
  constexpr bool suspends = verb == JobVerb::Suspend || verb == JobVerb::Resume;
  constexpr bool takes_name = verb == JobVerb::Hold || verb == JobVerb::Release;
  const std::set<std::string> names = job_names_in(words);
  if (takes_name && !names.empty()) return act_by_name(verb, names);
  const auto jobs = jobs_named(words);
  if (!jobs) return complain_of_job(suspends ? "slurm_suspend error: " : "", jobs.refusal());
  return act_on(verb, *jobs);
}

// Always refuses `scontrol top`, with the message that Slurm prints if enable_user_top is not set.
ControlPlan plan_top(const ControlWords& words, const ControlContext&) {
  const auto jobs = jobs_named(words);
  if (!jobs) return complain_of_job("", jobs.refusal(), " for job " + words[0]);
  return complain("Requested operation is presently disabled for job " + printable(words[0]) +
                  "\nscontrol: error: the order follows from the factors of `sprio`; "
                  "`scontrol update JobId=" +
                  printable(words[0]) + " Nice=-100` raises the job's priority");
}

ControlPlan plan_ping(const ControlWords&, const ControlContext& context) {
  ControlPlan plan;
  plan.action = ControlAction::Ping;
  plan.show_pings = [hosts = context.hosts, json = context.json,
                     now = context.as.screen.now](const std::vector<Ping>& pings) {
    const bool any = std::ranges::any_of(pings, &Ping::is_up);
    const int code = any ? exit_ok : exit_refused;
    std::string out;
    std::string err;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      out += ping_line(hosts[i], i == 0, pings.at(i).is_up);
      if (!pings[i].hindrance.empty())
        err += "scontrol: the controller at " + printable(hosts[i]) +
               " cannot lead: " + printable(pings[i].hindrance) + "\n";
    }
    return Shown{json ? json_of_pings(hosts, pings, now) : out, err, code};
  };
  return plan;
}

ControlPlan plan_reconfigure(const ControlWords&, const ControlContext&) {
  ControlPlan plan;
  plan.questions = {Reconfigure{}};
  plan.action = ControlAction::Restart;
  plan.show = show_acts("slurm_reconfigure error: ", "");
  return plan;
}

ControlPlan plan_write(const ControlWords& words, const ControlContext&) {
  if (!means(words[0], "batch_script", 1))
    return complain("invalid keyword: " + printable(words[0]) +
                    "\nscontrol: error: only write batch_script JOB [FILE] is supported; `scontrol "
                    "show config` shows the configuration");
  if (words.size() < 2) return too_few("write");
  const auto ref = parse_job_ref(words[1]);
  const auto task =
      ref && !ref->tasks.empty() ? parse_array_tasks(ref->tasks) : Result<ArrayTasks>(ArrayTasks{});
  if (!ref) return complain_of_job("job script retrieval failed: ", ref.refusal());
  if (!task || task->count() > 1)
    return complain(std::string("job script retrieval failed: ") + invalid_job_id);
  const std::string job = words[1];
  ControlPlan plan;
  plan.questions = {ReadScript{ref->id, task->empty() ? -1 : task->first()}};
  plan.action = ControlAction::WriteScript;
  plan.operand = words.size() > 2 ? words[2] : "slurm-" + job + ".sh";
  const std::string file = plan.operand;
  plan.show = [job, file](const std::vector<Answer>& answers) -> Shown {
    const auto* script = std::get_if<Script>(&answers.front());
    if (script == nullptr) {
      const auto* refused = std::get_if<Refused>(&answers.front());
      const Refusal why = refused == nullptr ? Refusal{"Unexpected message", ""} : refused->why;
      return {"", act_error("job script retrieval failed: ", why, ""), exit_refused};
    }
    if (file == "-") return {script->text, "", exit_ok};
    return {"batch script for job " + printable(job) + " written to " + printable(file) + "\n", "",
            exit_ok};
  };
  return plan;
}

ControlPlan plan_wait_job(const ControlWords& words, const ControlContext&) {
  const auto ref = parse_job_ref(words[0]);
  const auto task =
      ref && !ref->tasks.empty() ? parse_array_tasks(ref->tasks) : Result<ArrayTasks>(ArrayTasks{});
  if (!ref) return complain_of_job("scontrol: Problem running job\n", ref.refusal());
  if (!task) return complain(std::string("scontrol: Problem running job\n") + invalid_job_id);
  ControlPlan plan;
  plan.questions = {ShowJob{ref->id, task->empty() ? -1 : task->first(), ""}};
  plan.action = ControlAction::WaitForStart;
  const std::string job = words[0];
  plan.show = [job](const std::vector<Answer>& answers) -> Shown {
    const auto* detail = std::get_if<JobDetail>(&answers.back());
    if (detail == nullptr)
      return {"", "scontrol: Problem running job " + printable(job) + "\n", exit_refused};
    const bool runs = detail->view.job.state == JobState::Running;
    const std::string line = runs ? "Nodes are ready for job " + printable(job)
                                  : "Job " + printable(job) + " is no longer running";
    return {"", "scontrol: " + line + "\n", runs ? exit_ok : exit_refused};
  };
  return plan;
}

// First requests the cluster's name: a host may be a node of several clusters, and each may have a
// job with this id.
ControlPlan plan_listpids(const ControlWords& words, const ControlContext&) {
  if (words.size() > 1)
    return complain("invalid argument: " + printable(words[1]) +
                    "\nscontrol: error: listpids lists only processes of this host: run it there");
  ControlPlan plan;
  plan.questions = {ShowCluster{}};
  plan.then = [job = words.empty() ? "" : words[0]](const Answer& answer) {
    const auto* view = std::get_if<ClusterView>(&answer);
    if (view == nullptr)
      return complain("scontrol: error: the controller did not return the cluster's name");
    ControlPlan list;
    list.action = ControlAction::ListProcesses;
    list.cluster = view->name;
    list.operand = job;
    return list;
  };
  return plan;
}

ControlPlan plan_completing(const ControlWords&, const ControlContext& context) {
  ControlPlan plan;
  ListJobs list;
  list.states = {JobState::Completing};
  plan.questions = {list};
  plan.show = [as = context.as](const std::vector<Answer>& answers) {
    Shown shown;
    if (const auto* jobs = std::get_if<JobList>(&answers.front()))
      for (const JobView& view : jobs->jobs) shown.out += job_record(view, std::nullopt, as);
    return shown;
  };
  return plan;
}

ControlPlan plan_version(const ControlWords&, const ControlContext&) {
  Command as_slurm;
  as_slurm.slurm = true;
  return say(version_text(as_slurm));
}

ControlPlan plan_end(const ControlWords&, const ControlContext&) {
  ControlPlan plan = say("");
  plan.action = ControlAction::End;
  return plan;
}

ControlPlan plan_help(const ControlWords&, const ControlContext&) {
  return say(control_help());
}

struct Keyword {
  std::string_view name;
  std::size_t least = 0;     // fewest letters that a user may write
  std::size_t operands = 0;  // fewest words that must follow
  ControlPlan (*plan)(const ControlWords& words, const ControlContext& context) = nullptr;
  std::string_view help{};  // help: the operands; if `plan` is null: what to use instead
};

// The keywords of scontrol. An abbreviation that fits several means the first of them.
constexpr auto keywords = std::to_array<Keyword>({
    {"show", 2, 1, plan_show, "ENTITY [NAME]..."},
    {"update", 1, 1, plan_update,
     "JobId=|NodeName=|PartitionName=|ReservationName=NAMES NAME=VALUE..."},
    {"create", 2, 1, plan_create, "partition|reservation NAME=VALUE..."},
    {"delete", 2, 1, plan_delete, "PartitionName=|ReservationName=NAME"},
    {"hold", 3, 1, plan_act<JobVerb::Hold>, "JOB...|jobname=NAME"},
    {"holdu", 5, 1, plan_act<JobVerb::Hold>, "JOB...|jobname=NAME"},
    {"uhold", 2, 1, plan_act<JobVerb::Hold>, "JOB...|jobname=NAME"},
    {"release", 3, 1, plan_act<JobVerb::Release>, "JOB...|jobname=NAME"},
    {"requeue", 3, 1, plan_requeue<JobVerb::Requeue>, "[incomplete] JOB..."},
    {"requeuehold", 8, 1, plan_requeue<JobVerb::RequeueHold>, "[incomplete] JOB..."},
    {"suspend", 2, 1, plan_act<JobVerb::Suspend>, "JOB..."},
    {"resume", 3, 1, plan_act<JobVerb::Resume>, "JOB..."},
    {"top", 3, 1, plan_top, "JOB"},
    {"ping", 3, 0, plan_ping},
    {"reconfigure", 3, 0, plan_reconfigure},
    {"write", 5, 1, plan_write, "batch_script JOB [FILE|-]"},
    {"wait_job", 2, 1, plan_wait_job, "JOB"},
    {"listpids", 3, 0, plan_listpids, "[JOB[.STEP]]"},
    {"completing", 2, 0, plan_completing},
    {"version", 4, 0, plan_version},
    {"help", 2, 0, plan_help},
    {"quit", 4, 0, plan_end},
    {"exit", 1, 0, plan_end},
    {"abort", 5, 0, nullptr, "stop cox-controller like any program; jobs keep running"},
    {"shutdown", 8, 0, nullptr,
     "stop cox-controller and cox-worker; `cox down` stops a private cluster"},
    {"takeover", 8, 0, nullptr, "stop the leading controller: a standby takes over at once"},
    {"reboot", 3, 0, nullptr, "Coxswain reboots no nodes: drain them, then reboot them yourself"},
    {"cancel_reboot", 8, 0, nullptr, "Coxswain reboots no nodes"},
    {"power", 3, 0, nullptr, "Coxswain switches no nodes off"},
    {"notify", 1, 1, nullptr, "batch jobs have no terminal to write to"},
    {"pidinfo", 3, 1, nullptr, "`scontrol listpids` lists the processes of all jobs of this host"},
    {"token", 3, 0, nullptr, "users are authenticated by the kernel, or by a key (`cox key make`)"},
    {"setdebug", 4, 0, nullptr, "set the log's level in coxswain.toml and send SIGHUP"},
    {"setdebugflags", 9, 0, nullptr, "set the log's level in coxswain.toml and send SIGHUP"},
    {"schedloglevel", 3, 0, nullptr, "`cox why JOB` and `cox replay` explain decisions"},
    {"fsdampeningfactor", 3, 0, nullptr, "the fair tree has no dampening factor"},
    {"errnumstr", 2, 0, nullptr, "errors are printed as text"},
    {"cluster", 2, 0, nullptr, "there is one cluster; use --config FILE for another"},
    {"getent", 3, 0, nullptr, "users are those of the host: `getent passwd` lists them"},
    {"bbstat", 2, 0, nullptr, "there are no burst buffers"},
    {"dwstat", 2, 0, nullptr, "there are no burst buffers"},
    {"script", 6, 0, nullptr, "`scontrol write batch_script JOB -` writes it"},
});

// clang-format off
constexpr OptionRow<ScontrolOptions> scontrol_rows[] = {
  help_row<ScontrolOptions>,
  config_row<ScontrolOptions>,
  clusters_row<ScontrolOptions>("SLURM_CLUSTERS"),
  cluster_row<ScontrolOptions>,
  {"WORD", 0, Takes::Operands, "TEXT", "show, update, create, delete, hold, release, requeue, "
   "requeuehold, suspend, resume, write, ping, listpids, wait_job, completing or version, and its "
   "operands; without any, commands are read from standard input", "",
   into<&ScontrolOptions::words>},
  {"oneliner", 'o', Takes::Nothing, "", "each record on one line", "",
   into<&ScontrolOptions::one_line>},
  {"details", 'd', Takes::Nothing, "", "more details", "", into<&ScontrolOptions::details>},
  {"quiet", 'Q', Takes::Nothing, "", "do not report refusals", "",
   into<&ScontrolOptions::quiet>},
  json_row<ScontrolOptions>("show: as Slurm's JSON, v0.0.40"),
  yaml_row<ScontrolOptions>,
  {"all", 'a', Takes::Nothing, "", "accepted: there are no hidden partitions", "", ignore_option},
  {"hide", 0, Takes::Nothing, "", "accepted likewise", "", ignore_option},
  {"local", 0, Takes::Nothing, "", "accepted: there is one cluster", "", ignore_option},
  {"verbose", 'v', Takes::Nothing, "", "accepted: messages are always complete", "",
   ignore_option},
  {"future", 'F', Takes::Nothing, "", "accepted: there are no future nodes", "", ignore_option},
  usage_row<ScontrolOptions>,
};
// clang-format on

}  // namespace

const CommandLineOf<ScontrolOptions> scontrol_line = [] {
  auto line = command_line_from<scontrol_rows>();
  line.commands = control_help;
  return line;
}();

std::vector<std::string> control_keywords() {
  std::vector<std::string> names;
  for (const Keyword& each : keywords)
    if (each.plan != nullptr) names.emplace_back(each.name);
  return names;
}

std::string control_help() {
  const auto line = [](std::string_view name, std::string_view behind) {
    return "  " + std::string(name) + (behind.empty() ? "" : " ") + std::string(behind) + "\n";
  };
  std::string text =
      "scontrol [OPTION]... [COMMAND], where COMMAND, which may be abbreviated, is:\n";
  std::string refused;
  for (const Keyword& each : keywords) {
    if (each.plan != nullptr)
      text += line(each.name, each.help);
    else
      refused += (refused.empty() ? "" : ", ") + std::string(each.name);
  }
  text += "ENTITY is one of:\n" + line(joined(shown_entities(), ", "), "");
  return text + "Refused, each with what to do instead:\n" + line(refused, "");
}

bool means(std::string_view word, std::string_view name, std::size_t least) {
  const std::string lower = lower_case(word);
  return lower.size() >= std::min(least, name.size()) && lower_case(name).starts_with(lower);
}

ControlPlan say(std::string out) {
  ControlPlan plan;
  plan.show = [out = std::move(out)](const std::vector<Answer>&) {
    return Shown{out, "", exit_ok};
  };
  return plan;
}

ControlPlan complain(std::string error) {
  ControlPlan plan;
  plan.show = [error = std::move(error)](const std::vector<Answer>&) {
    return Shown{"", error + "\n", exit_refused};
  };
  return plan;
}

ControlPlan complain_of_job(const std::string& before, const Refusal& why,
                            const std::string& behind) {
  const std::string more = why.fact + (why.hint.empty() ? "" : "; " + why.hint);
  return complain(before + invalid_job_id + printable(behind) +
                  "\nscontrol: error: " + printable(more));
}

std::string act_error(const std::string& before, const Refusal& why, const std::string& behind) {
  const std::string words = slurm_words(why);
  // A text that names the job gets no second name: not "job 15 is not a job array for job 15".
  const std::string job = behind.substr(std::min(behind.size(), behind.find("job ")));
  const bool names_it = !job.empty() && words.find(job) != std::string::npos;
  // The refusal of a submission rule is a whole sentence: "job 15: GPU jobs need an account."
  const bool is_sentence = words.ends_with('.') && !names_it && !job.empty();
  std::string text = is_sentence ? before + printable(job + ": " + words)
                                 : before + printable(words) + (names_it ? "" : printable(behind));
  text += "\n";
  const std::string more = refused_job("", why).hint;
  if (!more.empty()) text += "scontrol: error: " + printable(more) + "\n";
  return text;
}

Shown shown_acts(const std::vector<Answer>& answers, const ActError& error) {
  Shown shown;
  const auto refuse = [&](const Refusal& why, const std::string& what) {
    shown.err += error(why, what);
    shown.exit_code = exit_refused;
  };
  for (const Answer& answer : answers) {
    if (const auto* refused = std::get_if<Refused>(&answer)) refuse(refused->why, "");
    if (const auto* acted = std::get_if<Acted>(&answer))
      for (const Acted::Outcome& one : acted->outcomes)
        if (one.refused) refuse(*one.refused, one.what);
  }
  return shown;
}

std::function<Shown(const std::vector<Answer>&)> show_acts(std::string before, std::string behind) {
  return
      [before = std::move(before), behind = std::move(behind)](const std::vector<Answer>& answers) {
        return shown_acts(answers, [&](const Refusal& why, const std::string& what) {
          return act_error(before, why, behind.empty() ? "" : behind + what);
        });
      };
}

Result<std::vector<JobRef>> refs_named(const ControlWords& words, ParseJobRef parse) {
  std::vector<JobRef> named;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const bool is_told =
        equals != std::string::npos && means(word.substr(0, equals), "JobId", 3);  // "job=17"
    for (const std::string& one : id_words(is_told ? word.substr(equals + 1) : word)) {
      const auto ref = parse(one);
      if (!ref) return ref.refusal();
      named.push_back(*ref);
    }
  }
  if (named.empty()) return Refusal{"no job is named", ""};
  return named;
}

Result<JobsNamed> jobs_named(const ControlWords& words) {
  const auto refs = refs_named(words, parse_job_ref);
  if (!refs) return refs.refusal();
  JobsNamed named;
  for (const JobRef& ref : *refs) {
    named.ids.push_back(ref.id);
    named.tasks.push_back(ref.tasks);
  }
  return named;
}

ControlPlan plan_control(const std::vector<std::string>& words, const ControlContext& context) {
  const std::string& word = words.front();
  const auto exact = std::ranges::find_if(
      keywords, [&](const Keyword& each) { return each.name == lower_case(word); });
  const auto found =
      exact != keywords.end() ? exact : std::ranges::find_if(keywords, [&](const Keyword& each) {
        return means(word, each.name, each.least);
      });
  if (found == keywords.end()) {
    std::vector<std::string_view> names;
    for (const Keyword& each : keywords) names.push_back(each.name);
    const std::string meant = did_you_mean(word, names);
    return complain("invalid keyword: " + printable(word) +
                    (meant.empty() ? "" : "\nscontrol: error: " + meant));
  }
  const ControlWords rest(words.begin() + 1, words.end());
  if (found->plan == nullptr)
    return complain("Requested operation is presently disabled\nscontrol: error: " +
                    std::string(found->name) + ": " + std::string(found->help));
  if (rest.size() < found->operands) return too_few(found->name);
  return found->plan(rest, context);
}

}  // namespace cox
