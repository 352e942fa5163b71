#include "client/slurm/control/scontrol.h"

#include <algorithm>
#include <array>
#include <set>

#include "client/show/show.h"
#include "client/slurm/control/config_record.h"
#include "client/slurm/control/control_json.h"
#include "client/slurm/list/squeue_request.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

// Questions that name jobs, so many in each as one may.
template <class Make>
std::vector<Question> about_jobs(const JobsNamed& jobs, Make make) {
  std::vector<Question> questions;
  for (std::size_t i = 0; i < jobs.ids.size(); i += limits::request_ids_max) {
    JobsNamed some;
    for (std::size_t k = i; k < std::min(jobs.ids.size(), i + limits::request_ids_max); ++k) {
      some.ids.push_back(jobs.ids[k]);
      some.tasks.push_back(jobs.tasks[k]);
    }
    questions.push_back(make(std::move(some)));
  }
  return questions;
}

ControlPlan too_few(std::string_view keyword) {
  if (keyword == "update") return complain("too few arguments for update keyword");
  return complain("too few arguments for keyword:" + std::string(keyword));
}

ControlPlan act_on(JobVerb verb, const JobsNamed& jobs) {
  const bool suspends = verb == JobVerb::Suspend || verb == JobVerb::Resume;
  ControlPlan plan;
  plan.questions = about_jobs(jobs, [verb](JobsNamed some) {
    return Question{ActOnJobs{verb, std::move(some.ids), std::move(some.tasks)}};
  });
  plan.show = show_acts(suspends ? "slurm_suspend error: " : "", suspends ? "" : " for job ");
  return plan;
}

void add_row(JobsNamed& jobs, const Job& row) {
  jobs.ids.push_back(is_of_array(row) ? row.array_job : row.id);
  jobs.tasks.push_back(is_of_array(row) ? format_array_tasks(tasks_of(row)) : "");
}

// {"jobname=train", "jobname=eval"}; empty: some word is none of those, or names nothing.
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

// As in Slurm: of all that wait, whoever's they are, and without a word where there are none.
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

// Requeues only those of the jobs that run or are suspended at present. As in Slurm, the others are
// no error.
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
        live.ids.push_back(unknown);  // so that the controller says what is wrong with it
        live.tasks.emplace_back();
      }
    }
    return live.ids.empty() ? say("") : act_on(verb, live);
  };
  return plan;
}

template <JobVerb verb>
ControlPlan plan_requeue(const ControlWords& words, const ControlScene&) {
  const bool incomplete = words.size() > 1 && means(words[0], "incomplete", 1);
  const auto jobs = jobs_named(incomplete ? ControlWords(words.begin() + 1, words.end()) : words);
  if (!jobs) return complain(invalid_job_id);
  return incomplete ? act_on_incomplete(verb, *jobs) : act_on(verb, *jobs);
}

template <JobVerb verb>
ControlPlan plan_act(const ControlWords& words, const ControlScene&) {
  constexpr bool suspends = verb == JobVerb::Suspend || verb == JobVerb::Resume;
  constexpr bool takes_name = verb == JobVerb::Hold || verb == JobVerb::Release;
  const std::set<std::string> names = job_names_in(words);
  if (takes_name && !names.empty()) return act_by_name(verb, names);
  const auto jobs = jobs_named(words);
  if (!jobs) return complain(std::string(suspends ? "slurm_suspend error: " : "") + invalid_job_id);
  return act_on(verb, *jobs);
}

// Slurm lets nobody but operators do it unless enable_user_top is set, and says this.
ControlPlan plan_top(const ControlWords& words, const ControlScene&) {
  const auto jobs = jobs_named(words);
  if (!jobs) return complain(std::string(invalid_job_id) + " for job " + printable(words[0]));
  return complain("Requested operation is presently disabled for job " + printable(words[0]) +
                  "\nscontrol: error: who is next follows from the factors of `sprio`; "
                  "`scontrol update JobId=" +
                  printable(words[0]) + " Nice=-100` raises one");
}

ControlPlan plan_ping(const ControlWords&, const ControlScene& scene) {
  ControlPlan plan;
  plan.deed = ControlDeed::Ping;
  plan.tell_pings = [hosts = scene.hosts, json = scene.json,
                     now = scene.as.screen.now](const std::vector<Ping>& pings) {
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

ControlPlan plan_reconfigure(const ControlWords&, const ControlScene&) {
  ControlPlan plan;
  plan.questions = {Reconfigure{}};
  plan.show = show_acts("slurm_reconfigure error: ", "");
  return plan;
}

ControlPlan plan_write(const ControlWords& words, const ControlScene&) {
  if (!means(words[0], "batch_script", 1))
    return complain("invalid keyword: " + printable(words[0]) +
                    "\nscontrol: error: write batch_script JOB [FILE] is there; the configuration "
                    "is shown by `scontrol show config` and lies in coxswain.toml");
  if (words.size() < 2) return too_few("write");
  const auto ref = parse_job_ref(words[1]);
  const auto task =
      ref && !ref->tasks.empty() ? parse_array_tasks(ref->tasks) : Result<ArrayTasks>(ArrayTasks{});
  if (!ref || !task || task->count() > 1)
    return complain(std::string("job script retrieval failed: ") + invalid_job_id);
  const std::string job = words[1];
  ControlPlan plan;
  plan.questions = {ReadScript{ref->id, task->empty() ? -1 : task->first()}};
  plan.deed = ControlDeed::WriteScript;
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

ControlPlan plan_wait_job(const ControlWords& words, const ControlScene&) {
  const auto ref = parse_job_ref(words[0]);
  const auto task =
      ref && !ref->tasks.empty() ? parse_array_tasks(ref->tasks) : Result<ArrayTasks>(ArrayTasks{});
  if (!ref || !task)
    return complain(std::string("scontrol: Problem running job\n") + invalid_job_id);
  ControlPlan plan;
  plan.questions = {ShowJob{ref->id, task->empty() ? -1 : task->first(), ""}};
  plan.deed = ControlDeed::WaitForStart;
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

// The host may serve more than one cluster, each with a job 17.
ControlPlan plan_listpids(const ControlWords& words, const ControlScene&) {
  if (words.size() > 1)
    return complain("invalid argument: " + printable(words[1]) +
                    "\nscontrol: error: it lists the processes of this host: run it on that node");
  ControlPlan plan;
  plan.questions = {ShowCluster{}};
  plan.then = [job = words.empty() ? "" : words[0]](const Answer& answer) {
    const auto* view = std::get_if<ClusterView>(&answer);
    if (view == nullptr) return complain("scontrol: error: the controller does not tell its name");
    ControlPlan list;
    list.deed = ControlDeed::ListProcesses;
    list.cluster = view->name;
    list.operand = job;
    return list;
  };
  return plan;
}

ControlPlan plan_completing(const ControlWords&, const ControlScene& scene) {
  ControlPlan plan;
  ListJobs list;
  list.states = {JobState::Completing};
  plan.questions = {list};
  plan.show = [as = scene.as](const std::vector<Answer>& answers) {
    Shown shown;
    if (const auto* jobs = std::get_if<JobList>(&answers.front()))
      for (const JobView& view : jobs->jobs) shown.out += job_record(view, std::nullopt, as);
    return shown;
  };
  return plan;
}

ControlPlan plan_version(const ControlWords&, const ControlScene&) {
  Command as_slurm;
  as_slurm.slurm = true;
  return say(version_text(as_slurm));
}

ControlPlan plan_end(const ControlWords&, const ControlScene&) {
  ControlPlan plan = say("");
  plan.deed = ControlDeed::End;
  return plan;
}

ControlPlan plan_help(const ControlWords&, const ControlScene&) {
  return say(control_help());
}

struct Keyword {
  std::string_view name;
  std::size_t least = 0;     // so many letters of it are enough
  std::size_t operands = 0;  // so many words must stand behind it
  ControlPlan (*plan)(const ControlWords& words, const ControlScene& scene) = nullptr;
  std::string_view told{};  // the words behind it; of one without a plan, why it is not there
};

// The first that a word means is meant.
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
    {"abort", 5, 0, nullptr, "end cox-controller as any program; no job ends with it"},
    {"shutdown", 8, 0, nullptr, "stop cox-controller and cox-worker; `cox down` stops your own"},
    {"takeover", 8, 0, nullptr,
     "end the controller that leads: one that stands by takes over at once"},
    {"reboot", 3, 0, nullptr, "drain nodes and reboot them: Coxswain reboots none"},
    {"cancel_reboot", 8, 0, nullptr, "Coxswain reboots no nodes"},
    {"power", 3, 0, nullptr, "Coxswain switches no nodes off"},
    {"notify", 1, 1, nullptr, "batch jobs have no terminal to write to"},
    {"pidinfo", 3, 1, nullptr, "`scontrol listpids` lists the processes of all jobs of this host"},
    {"token", 3, 0, nullptr, "who you are is proven by the kernel, or by a key (`cox key make`)"},
    {"setdebug", 4, 0, nullptr, "set the log's level in coxswain.toml and send SIGHUP"},
    {"setdebugflags", 9, 0, nullptr, "set the log's level in coxswain.toml and send SIGHUP"},
    {"schedloglevel", 3, 0, nullptr, "`cox why JOB` and `cox replay` explain what is decided"},
    {"fsdampeningfactor", 3, 0, nullptr, "fair shares follow the fair tree, which has none"},
    {"errnumstr", 2, 0, nullptr, "errors are told in words"},
    {"cluster", 2, 0, nullptr, "there is one cluster; --config names the file of another"},
    {"getent", 3, 0, nullptr, "users are those of the host: `getent passwd` lists them"},
    {"bbstat", 2, 0, nullptr, "there are no burst buffers"},
    {"dwstat", 2, 0, nullptr, "there are no burst buffers"},
    {"script", 6, 0, nullptr, "`scontrol write batch_script JOB -` writes it"},
});

}  // namespace

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
  std::string text = "scontrol [OPTION]... [COMMAND], where COMMAND, which may be cut short, is:\n";
  std::string refused;
  for (const Keyword& each : keywords) {
    if (each.plan != nullptr)
      text += line(each.name, each.told);
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

std::string act_error(const std::string& before, const Refusal& why, const std::string& behind) {
  const std::string words = slurm_words(why);
  // Our own words name the job already: "job 15 is not a job array for job 15".
  const std::string job = behind.substr(std::min(behind.size(), behind.find("job ")));
  const bool names_it = !job.empty() && words.find(job) != std::string::npos;
  // The text of a submit_rule is a sentence: "job 15: GPU jobs need an account."
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

Result<JobsNamed> jobs_named(const ControlWords& words) {
  JobsNamed named;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const bool is_told =
        equals != std::string::npos && means(word.substr(0, equals), "JobId", 3);  // "job=17"
    for (const std::string& one : id_words(is_told ? word.substr(equals + 1) : word)) {
      const auto ref = parse_job_ref(one);
      if (!ref) return ref.refusal();
      named.ids.push_back(ref->id);
      named.tasks.push_back(ref->tasks);
    }
  }
  if (named.ids.empty()) return Refusal{"no job is named", ""};
  return named;
}

ControlPlan plan_control(const std::vector<std::string>& words, const ControlScene& scene) {
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
                    std::string(found->name) + ": " + std::string(found->told));
  if (rest.size() < found->operands) return too_few(found->name);
  return found->plan(rest, scene);
}

}  // namespace cox
