// What the command line of each command may say, and what it asks the controller.
#include <gtest/gtest.h>

#include "client/command_options.h"
#include "common/base/limits.h"
#include "tests/client/find_command.h"

namespace cox {
namespace {

using LineWords = std::vector<std::string>;

Options read_line(std::string_view name, const LineWords& words) {
  const Parsed result = parse_options(command_called(name), words);
  if (const auto* why = std::get_if<Refusal>(&result)) ADD_FAILURE() << name << ": " << why->fact;
  const auto* options = std::get_if<Options>(&result);
  return options != nullptr ? *options : Options{};
}

std::string why_refused(std::string_view name, const LineWords& words) {
  const Parsed result = parse_options(command_called(name), words);
  const auto* why = std::get_if<Refusal>(&result);
  return why != nullptr ? why->fact + "; " + why->hint : "(taken)";
}

template <class Body>
Body asked_by(std::string_view name, const LineWords& words) {
  const Question question = command_called(name).question(read_line(name, words));
  const auto* body = std::get_if<Body>(&question);
  if (body == nullptr) ADD_FAILURE() << name << " asks something else";
  return body != nullptr ? *body : Body{};
}

// "JOB... -a --all -t --states=TEXT", an option that must be there with a !.
std::string declared_line(const Command& command) {
  std::string line;
  for (const DeclaredOption& option : declared_options(command)) {
    std::string names;
    for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
    EXPECT_EQ(option.operand, !names.starts_with('-')) << names;
    EXPECT_FALSE(option.help.empty()) << names;
    line += " " + names + (option.value_name.empty() ? "" : "=" + option.value_name) +
            (option.many ? "..." : "") + (option.required ? "!" : "");
  }
  return line;
}

TEST(CommandLine, of_each_command_takes_these_options_and_operands) {
  const std::string of_all = " -h --help --config=TEXT --json";
  std::string lines;
  for (const Command& command : own_commands()) {
    if (command.declare == nullptr) continue;
    const std::string line = declared_line(command);
    EXPECT_EQ(line.substr(0, of_all.size()), of_all) << command.name;
    EXPECT_EQ(declared_options(command).front().help, "this text") << command.name;
    lines += std::string(command.name) + ":" + line.substr(of_all.size()) + "\n";
  }
  EXPECT_EQ(lines,
            "queue: JOB=TEXT... -a --all -t --states=TEXT -u --user=TEXT --me -p --partition=TEXT\n"
            "nodes:\n"
            "show job: JOB=TEXT!\n"
            "show qos:\n"
            "show accounts:\n"
            "show node: NODE=TEXT!\n"
            "show partitions:\n"
            "show licenses:\n"
            "show reservations:\n"
            "show reservation: NAME=TEXT!\n"
            "history: JOB=TEXT!\n"
            "events: JOB=TEXT... -f --follow -u --user=TEXT --me\n"
            "why: JOB=TEXT!\n"
            "logs: JOB=TEXT! -f --follow -r --rank=INT -e --stderr -a --attempt=INT\n"
            "wait: JOB=TEXT!\n"
            "cancel: JOB=TEXT...!\n"
            "hold: JOB=TEXT...!\n"
            "release: JOB=TEXT...!\n"
            "requeue: JOB=TEXT...!\n"
            "preempt: JOB=TEXT...!\n"
            "checkpoints remove: JOB=TEXT! -s --step=INT\n"
            "checkpoints orphans:\n"
            "checkpoints: JOB=TEXT...\n"
            "update: JOB=TEXT! CHANGE=TEXT...!\n"
            "drain: NODE=TEXT...! -r --reason=TEXT!\n"
            "resume: NODE=TEXT...! -r --reason=TEXT\n"
            "fence: NODE=TEXT...! --confirm!\n"
            "partition up: PARTITION=TEXT...! -r --reason=TEXT\n"
            "partition down: PARTITION=TEXT...! -r --reason=TEXT\n"
            "partition drain: PARTITION=TEXT...! -r --reason=TEXT\n"
            "partition inactive: PARTITION=TEXT...! -r --reason=TEXT\n"
            "reserve create: NAME=TEXT! SETTING=TEXT...!\n"
            "reserve update: NAME=TEXT! SETTING=TEXT...!\n"
            "reserve delete: NAME=TEXT!\n"
            "checkpoint done: -s --step=INT! -r --rank=INT\n"
            "progress: -s --step=INT! -t --total=INT -m --metric=TEXT...\n"
            "up: -n --nodes=INT -d --dir=TEXT -c --cpus=INT -m --memory=INT --gpus=TEXT... "
            "--feature=TEXT... --lease=INT\n"
            "down: -d --dir=TEXT --purge\n"
            "status: -d --dir=TEXT\n"
            "doctor:\n"
            "config check: FILE=TEXT\n"
            "import: FILE=TEXT...! -o --output=TEXT\n"
            "key make: NAME=TEXT! -d --dir=TEXT\n"
            "demo: --keep\n"
            "snapshot: FILE=TEXT!\n"
            "replay: FILE=TEXT! -j --job=INT\n");
}

TEST(CommandLine, of_sacctmgr_takes_these_options) {
  EXPECT_EQ(
      declared_line(command_called("sacctmgr")),
      " --config=TEXT --help WORD=TEXT...! -i --immediate --json --yaml -n --noheader -p "
      "--parsable -P --parsable2 -s --associations -Q --quiet -v --verbose -o --oneliner --usage");
}

TEST(CommandLine, of_queue_and_logs_set_one_field_each) {
  const Options queue =
      read_line("queue", {"17", "-a", "-u", "ada", "--me", "-p", "gpu", "-t", "PD", "--json"});
  EXPECT_EQ(queue.ids, std::vector{JobId{17}});
  EXPECT_TRUE(queue.all_states && queue.only_mine && queue.json);
  EXPECT_EQ(queue.user_name + " " + queue.partition, "ada gpu");
  EXPECT_EQ(queue.states, std::vector{JobState::Pending});
  const Options all = read_line("queue", {"-t", "R,all"});
  EXPECT_EQ(all.states, (std::vector<JobState>{all_job_states.begin(), all_job_states.end()}));
  EXPECT_EQ(read_line("queue", {"-t", "ALL"}).states.size(), all_job_states.size());
  const Options logs = read_line("logs", {"17", "-f", "-r", "3", "-e", "-a", "2"});
  EXPECT_EQ(logs.ids, std::vector{JobId{17}});
  EXPECT_TRUE(logs.follow && logs.error_stream);
  EXPECT_EQ(logs.rank, 3);
  EXPECT_EQ(logs.attempt, AttemptNumber{2});
}

TEST(CommandLine, of_private_clusters_sets_one_field_each) {
  const Options up =
      read_line("up", {"-n", "3", "-d", "/dir", "-c", "4", "-m", "5", "--gpus", "h100:6",
                       "--feature", "fast=n1", "--lease", "7", "--config", "/c"});
  EXPECT_EQ(up.cluster.nodes, 3);
  EXPECT_EQ(up.cluster.dir + up.config, "/dir/c");
  EXPECT_EQ(up.cluster.cpus, 4);
  EXPECT_EQ(up.cluster.memory_mb, 5);
  EXPECT_EQ(up.cluster.gpus, LineWords{"h100:6"});
  EXPECT_EQ(up.cluster.features, LineWords{"fast=n1"});
  EXPECT_EQ(up.cluster.lease_s, 7);
  EXPECT_EQ(read_line("up", {}).cluster.lease_s, -1);
  const Options down = read_line("down", {"-d", "/dir", "--purge"});
  EXPECT_TRUE(down.cluster.purge);
  EXPECT_EQ(down.cluster.dir, "/dir");
  EXPECT_EQ(read_line("status", {"--dir", "/dir"}).cluster.dir, "/dir");
  EXPECT_EQ(why_refused("status", {"--dir", ""}),
            "--dir: the folder's name is empty; see 'cox status --help'");
  EXPECT_TRUE(read_line("demo", {"--keep"}).cluster.keep);
}

TEST(CommandLine, of_files_sets_one_field_each) {
  EXPECT_EQ(read_line("config check", {"a.toml"}).file, "a.toml");
  const Options import = read_line("import", {"slurm.conf", "gres.conf", "-o", "out"});
  EXPECT_EQ(import.words, (LineWords{"slurm.conf", "gres.conf"}));
  EXPECT_EQ(import.dir, "out");
  EXPECT_EQ(read_line("snapshot", {"a.json"}).file, "a.json");
  const Options replay = read_line("replay", {"a.json", "-j", "17"});
  EXPECT_EQ(replay.file, "a.json");
  EXPECT_EQ(replay.replayed_job, 17);
  const Options key = read_line("key make", {"worker-n1", "-d", "keys"});
  EXPECT_EQ(key.key_name + key.dir, "worker-n1keys");
  const Options done = read_line("checkpoint done", {"-s", "40", "-r", "3"});
  EXPECT_EQ(done.step, 40);
  EXPECT_EQ(done.rank, 3);
}

TEST(CommandLine, numbers_go_from_their_least_to_their_most) {
  const auto limits_of = [](std::string_view name, const LineWords& words, const std::string& least,
                            const std::string& below, const std::string& most,
                            const std::string& above) {
    for (const auto& [value, is_taken] :
         {std::pair{least, true}, {below, false}, {most, true}, {above, false}}) {
      LineWords all = words;
      all.push_back(value);
      EXPECT_EQ(why_refused(name, all) == "(taken)", is_taken) << name << " " << value;
    }
  };
  limits_of("logs", {"17", "-r"}, "0", "-1", "262143", "262144");
  limits_of("logs", {"17", "-a"}, "1", "0", "1000000", "1000001");
  limits_of("checkpoint done", {"-s", "1", "-r"}, "0", "-1", "262143", "262144");
  limits_of("up", {"-n"}, "1", "0", "240", "241");
  limits_of("up", {"-c"}, "1", "0", "65536", "65537");
  limits_of("up", {"-m"}, "1", "0", "1073741824", "1073741825");
  limits_of("up", {"--lease"}, "0", "-1", "2592000", "2592001");
  limits_of("replay", {"f", "-j"}, "1", "0", "9223372036854775807", "x");
}

TEST(CommandLine, job_ids_are_at_most_64_and_no_steps) {
  std::string ids = "1";
  for (int id = 2; id <= 64; ++id) ids += "," + std::to_string(id);
  EXPECT_EQ(read_line("cancel", {ids}).ids.size(), 64u);
  EXPECT_EQ(why_refused("cancel", {ids + ",65"}).find("more than 64 job ids at once"), 0u)
      << why_refused("cancel", {ids + ",65"});
  EXPECT_EQ(why_refused("cancel", {"17.0"}).find("\"17.0\" is a step, not a job; name its job, 17"),
            0u)
      << why_refused("cancel", {"17.0"});
  EXPECT_NE(why_refused("cancel", {","}), "(taken)");
  EXPECT_EQ(why_refused("show job", {"7,8"}).find("\"7,8\" names several jobs; name one"), 0u);
  EXPECT_NE(why_refused("show job", {"7", "8"}), "(taken)");
  for (const char* wrong : {"=5", "Nice"})
    EXPECT_NE(why_refused("update", {"7", wrong}).find("is no change: write NAME=VALUE"),
              std::string::npos);
}

TEST(CommandLine, what_is_unknown_is_named_as_each_program_names_it) {
  EXPECT_EQ(why_refused("queue", {"--nosuch"}),
            "The following argument was not expected: --nosuch; see 'cox queue --help'");
  EXPECT_EQ(why_refused("sacctmgr", {"show", "--nosuch=1"}),
            "unrecognized option '--nosuch'; see 'sacctmgr --help'");
  EXPECT_EQ(why_refused("sacctmgr", {"show", "-z"}),
            "invalid option -- 'z'; see 'sacctmgr --help'");
  EXPECT_EQ(why_refused("show node", {"n1", "n2"}),
            "The following argument was not expected: n2; see 'cox show node --help'");
  const Parsed help = parse_options(command_called("show job"), {"--help"});
  ASSERT_TRUE(std::holds_alternative<std::string>(help));
  EXPECT_NE(std::get<std::string>(help).find("Usage: cox show job [OPTIONS] JOB\n"),
            std::string::npos);
  EXPECT_NE(std::get<std::string>(help).find("\n  --json                    the answer as JSON\n"),
            std::string::npos)
      << std::get<std::string>(help);
}

TEST(CommandLine, of_slurms_programs_may_shorten_names_and_name_the_data_parser) {
  EXPECT_TRUE(read_line("sacctmgr", {"show", "--imm"}).immediate);
  EXPECT_TRUE(read_line("sacctmgr", {"show", "--parsable"}).parsable) << "exact, though not alone";
  EXPECT_FALSE(read_line("sacctmgr", {"show", "--parsable"}).parsable2);
  EXPECT_NE(why_refused("sacctmgr", {"show", "--pars"}), "(taken)");
  EXPECT_EQ(read_line("sacctmgr", {"show", "--", "--imm"}).words, (LineWords{"show", "--imm"}));
  EXPECT_NE(why_refused("queue", {"--al"}), "(taken)") << "cox's own commands do not";
  for (const char* word : {"--json", "--json=", "--json=v0.0.40", "--yaml=v0.0.40+x", "--yaml"})
    EXPECT_TRUE(read_line("sacctmgr", {"show", word}).json) << word;
  for (const char* word : {"--json=v0.0.41", "--yaml=v0.0.41"})
    EXPECT_EQ(why_refused("sacctmgr", {"show", word}),
              "Unable to find plugin: data_parser/v0.0.41; there is v0.0.40");
  const Options all = read_line("sacctmgr", {"show", "-n", "-P", "-s", "-Q", "-i", "-p"});
  EXPECT_TRUE(all.no_header && all.parsable2 && all.with_associations && all.quiet);
  EXPECT_TRUE(all.immediate && all.parsable);
}

TEST(CommandLine, of_slurms_figures_and_control_takes_these_options) {
  std::string lines;
  for (const char* name : {"scontrol", "sprio", "sshare", "sdiag", "sreport"})
    lines += std::string(name) + ":" + declared_line(command_called(name)) + "\n";
  EXPECT_EQ(lines,
            "scontrol: -h --help --config=TEXT WORD=TEXT... -o --oneliner -d --details -Q --quiet "
            "--json --yaml -a --all --hide --local -v --verbose -F --future --usage\n"
            "sprio: --config=TEXT --help -h --noheader -j --jobs=TEXT -l --long -n --norm -o "
            "--format=TEXT -p --partition=TEXT -S --sort=TEXT -u --user=TEXT -w --weights --json "
            "--yaml --local -v --verbose\n"
            "sshare: --config=TEXT --help -a --all -A --accounts=TEXT -e --helpformat -h -n "
            "--noheader -l --long -m --partition -o --format=TEXT -p --parsable -P --parsable2 -u "
            "--users=TEXT --json --yaml -U --Users -v --verbose --usage\n"
            "sdiag: -h --help --config=TEXT --json --yaml -a --all -i --sort-by-id -t "
            "--sort-by-time -T --sort-by-time2 -r --reset\n"
            "sreport: --config=TEXT -h --help WORD=TEXT... -t=TEXT -T --tres=TEXT -n --noheader -p "
            "--parsable -P --parsable2 -Q --quiet -M --cluster=TEXT -a -v --all_clusters --local "
            "--federation --verbose --usage\n");
}

TEST(CommandLine, of_sprio_and_sshare_set_one_field_each) {
  const Options plain = read_line("sprio", {});
  EXPECT_FALSE(plain.no_header || plain.long_report || plain.normalised || plain.weights);
  EXPECT_FALSE(plain.json || plain.records.verbose || plain.only_mine);
  const Options sprio = read_line("sprio", {"-j", "17,,18_4", "-o", "%i", "-p", "gpu,,cpu", "-S",
                                            "u,-Y", "-u", "ada,bob", "-h"});
  EXPECT_EQ(sprio.ids, (std::vector{JobId{17}, JobId{18}}));
  EXPECT_EQ(sprio.tasks, (LineWords{"", "4"}));
  EXPECT_EQ(sprio.records.format, LineWords{"%i"});
  EXPECT_EQ(sprio.partitions, (LineWords{"gpu", "cpu"}));
  EXPECT_EQ(sprio.sort, "u,-Y");
  EXPECT_EQ(sprio.users, (LineWords{"ada", "bob"}));
  EXPECT_TRUE(sprio.no_header);
  EXPECT_TRUE(read_line("sprio", {"-l"}).long_report);
  EXPECT_TRUE(read_line("sprio", {"-n"}).normalised);
  EXPECT_TRUE(read_line("sprio", {"-w"}).weights);
  EXPECT_TRUE(read_line("sprio", {"-v", "--local"}).records.verbose);
  const Options shares = read_line("sshare", {"-A", "physics,,lab", "-u", "ada,bob", "-o", "User"});
  EXPECT_TRUE(shares.only_mine);
  EXPECT_EQ(shares.accounts, (LineWords{"physics", "lab"}));
  EXPECT_EQ(shares.users, (LineWords{"ada", "bob"}));
  EXPECT_EQ(shares.records.format, LineWords{"User"});
  EXPECT_FALSE(shares.all_states || shares.list_fields || shares.no_header || shares.long_report);
  EXPECT_FALSE(shares.with_partitions || shares.parsable || shares.parsable2 || shares.only_users);
  EXPECT_FALSE(shares.json || shares.records.verbose);
  EXPECT_TRUE(read_line("sshare", {"-a"}).all_states);
  EXPECT_TRUE(read_line("sshare", {"-e"}).list_fields);
  EXPECT_TRUE(read_line("sshare", {"-h"}).no_header && read_line("sshare", {"-n"}).no_header);
  EXPECT_TRUE(read_line("sshare", {"-l"}).long_report);
  EXPECT_TRUE(read_line("sshare", {"-m"}).with_partitions);
  EXPECT_TRUE(read_line("sshare", {"-p"}).parsable);
  EXPECT_TRUE(read_line("sshare", {"-P"}).parsable2);
  EXPECT_TRUE(read_line("sshare", {"-U"}).only_users);
  EXPECT_TRUE(read_line("sshare", {"-v"}).records.verbose);
}

TEST(CommandLine, of_scontrol_sreport_and_sdiag_set_one_field_each) {
  const Options show = read_line("scontrol", {"show", "job", "17", "-o", "-d", "-Q"});
  EXPECT_EQ(show.words, (LineWords{"show", "job", "17"}));
  EXPECT_TRUE(show.one_line && show.details && show.quiet && !show.json);
  const Options plain =
      read_line("scontrol", {"-a", "--hide", "--local", "-v", "-F", "show", "job"});
  EXPECT_FALSE(plain.one_line || plain.details || plain.quiet);
  const Options report = read_line("sreport", {"cluster", "utilization", "-t", "Hours", "-T", "cpu",
                                               "-n", "-p", "-P", "-Q", "-M", "lab", "-a"});
  EXPECT_EQ(report.words, (LineWords{"cluster", "utilization"}));
  EXPECT_EQ(report.time_format + " " + report.tres, "Hours cpu");
  EXPECT_TRUE(report.no_header && report.parsable && report.parsable2 && report.quiet);
  for (const char* word : {"-a", "-i", "-t", "-T", "--sort-by-id"}) read_line("sdiag", {word});
  for (const char* name : {"scontrol", "sprio", "sshare", "sdiag"})
    for (const char* word : {"--json", "--yaml"})
      EXPECT_TRUE(read_line(name, {word}).json) << name << " " << word;
  EXPECT_EQ(why_refused("sdiag", {"-r"}),
            "it counts from the start of the controller, and from nowhere else; "
            "see 'sdiag --help'");
}

TEST(CommandLine, of_sprio_names_at_most_as_many_jobs_as_an_answer_has_rows) {
  std::string ids = "1";
  for (std::size_t id = 2; id <= limits::page_rows_max; ++id) ids += "," + std::to_string(id);
  EXPECT_EQ(read_line("sprio", {"-j", ids}).ids.size(), limits::page_rows_max);
  EXPECT_EQ(why_refused("sprio", {"-j", ids + ",1001"}),
            "more than 1000 job ids; see 'sprio --help'");
  EXPECT_EQ(why_refused("sprio", {"-j", "17x"}),
            "\"17x\" is not a job id; write a number like 17, a task as 17_4, several as "
            "17_[1-3,7]; see 'sprio --help'");
}

TEST(CommandQuestion, of_jobs_names_their_ids_and_tasks) {
  const auto history = asked_by<ShowHistory>("history", {"17_[4-6]"});
  EXPECT_EQ(history.id, JobId{17});
  EXPECT_EQ(history.task, 4);
  EXPECT_EQ(history.tasks, "4-6");
  EXPECT_EQ(asked_by<ShowHistory>("history", {"17"}).task, -1);
  EXPECT_EQ(asked_by<ShowJob>("show job", {"17_4"}).tasks, "");
  for (const auto& [name, verb] : {std::pair{"cancel", JobVerb::Cancel},
                                   {"hold", JobVerb::Hold},
                                   {"release", JobVerb::Release},
                                   {"requeue", JobVerb::Requeue},
                                   {"preempt", JobVerb::Preempt}}) {
    const auto act = asked_by<ActOnJobs>(name, {"17", "18_4"});
    EXPECT_EQ(act.verb, verb) << name;
    EXPECT_EQ(act.ids, (std::vector{JobId{17}, JobId{18}})) << name;
    EXPECT_EQ(act.tasks, (LineWords{"", "4"})) << name;
  }
  EXPECT_EQ(asked_by<ListCheckpoints>("checkpoints", {"17"}).ids, std::vector{JobId{17}});
  const auto remove = asked_by<RemoveCheckpoints>("checkpoints remove", {"17", "-s", "40"});
  EXPECT_EQ(remove.id, JobId{17});
  EXPECT_EQ(remove.step, 40);
  const auto list = asked_by<ListJobs>("queue", {"17_4", "-u", "ada", "-p", "gpu", "-t", "PD"});
  EXPECT_EQ(list.ids, std::vector{JobId{17}});
  EXPECT_EQ(list.tasks, LineWords{"4"});
  EXPECT_EQ(list.states, std::vector{JobState::Pending});
  EXPECT_EQ(list.user_name + list.partition, "adagpu");
}

TEST(CommandQuestion, of_nodes_partitions_and_reservations_names_them) {
  const auto drain = asked_by<ActOnNodes>("drain", {"n[1-2]", "-r", "fan"});
  EXPECT_TRUE(drain.drain && !drain.fence);
  EXPECT_EQ(drain.nodes, (LineWords{"n1", "n2"}));
  EXPECT_EQ(drain.reason, "fan");
  const auto resume = asked_by<ActOnNodes>("resume", {"n1", "-r", "new fan"});
  EXPECT_FALSE(resume.drain || resume.fence);
  EXPECT_EQ(resume.reason, "new fan");
  const auto fence = asked_by<ActOnNodes>("fence", {"n1", "--confirm"});
  EXPECT_TRUE(fence.drain && fence.fence);
  EXPECT_EQ(fence.nodes, LineWords{"n1"});
  EXPECT_EQ(fence.reason, "to be fenced");
  for (const auto& [name, state] : {std::pair{"partition up", "UP"},
                                    {"partition down", "DOWN"},
                                    {"partition drain", "DRAIN"},
                                    {"partition inactive", "INACTIVE"}}) {
    const auto update = asked_by<UpdatePartitions>(name, {"gpu"});
    ASSERT_EQ(update.values.size(), 1u) << name;
    EXPECT_EQ(update.values[0].name + "=" + update.values[0].value, std::string("State=") + state);
  }
  for (const auto& [name, verb] : {std::pair{"reserve create", ReservationVerb::Create},
                                   {"reserve update", ReservationVerb::Update},
                                   {"reserve delete", ReservationVerb::Delete}}) {
    LineWords words{"class"};
    if (verb != ReservationVerb::Delete) words.insert(words.end(), {"Nodes=n1", "Users=ada"});
    const auto act = asked_by<ActOnReservation>(name, words);
    EXPECT_EQ(act.verb, verb) << name;
    EXPECT_EQ(act.name, "class");
    EXPECT_EQ(act.settings.size(), words.size() - 1);
  }
  asked_by<ListNodes>("nodes", {});
  asked_by<ListNodes>("show node", {"n1"});
  asked_by<ListNodes>("show partitions", {});
  asked_by<ListLicences>("show licenses", {});
  asked_by<ListAssociations>("show accounts", {});
  asked_by<ListReservations>("show reservations", {});
  asked_by<ListReservations>("show reservation", {"class"});
  asked_by<ShowCluster>("show qos", {});
}

}  // namespace
}  // namespace cox
