// Tests which options and operands each command takes.
#include "client/command_line.h"

#include <gtest/gtest.h>

#include "client/cluster_lines.h"
#include "client/job_lines.h"
#include "client/options/help_text.h"
#include "client/slurm/control/scontrol.h"
#include "client/slurm/list/sprio.h"
#include "client/slurm/records/sacctmgr.h"
#include "client/slurm/records/sreport_request.h"
#include "client/slurm/records/sshare.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "tests/client/find_command.h"

namespace cox {
namespace {

template <class Asked = Options>
Asked read_line(std::string_view name, const LineWords& words) {
  return dynamic_cast<const Asked&>(*parsed_line(name, words));
}

std::string why_refused(std::string_view name, const LineWords& words) {
  const Parsed result = parse_options(command_called(name), words);
  const auto* why = std::get_if<Refusal>(&result);
  return why != nullptr ? why->fact + "; " + why->hint : "(taken)";
}

// Returns the operands and options that a command declares, such as " JOB... -a --all -t
// --states=TEXT". "..." follows those that may be repeated, "!" those that are mandatory.
std::string declared_line(const Command& command) {
  std::string line;
  const std::vector<OptionForm> forms = declared_options(command);
  for (const NamedOption& option : named_options(forms)) {
    const OptionForm& form = *option.form;
    const std::string names = joined(option.names, " ");
    const bool is_many = form.takes == Takes::Values || form.takes == Takes::Operands ||
                         form.has(OptionForm::repeats);
    EXPECT_EQ(form.is_operand(), !names.starts_with('-')) << names;
    EXPECT_FALSE(form.help.empty()) << names;
    line += " " + names + (form.type().empty() ? "" : "=" + std::string(form.type())) +
            (is_many ? "..." : "") + (form.has(OptionForm::needed) ? "!" : "");
  }
  return line;
}

TEST(CommandLine, of_each_cox_command_has_exactly_the_listed_options_and_operands) {
  const std::string of_all = " -h --help --config=TEXT --json";
  std::string lines;
  for (const Command& command : own_commands()) {
    if (command.line == nullptr) continue;
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
            "release: JOB=TEXT...! --begin-anew\n"
            "requeue: JOB=TEXT...! --from=INT\n"
            "preempt: JOB=TEXT...!\n"
            "checkpoints remove: JOB=TEXT! -s --step=INT\n"
            "checkpoints verify: JOB=TEXT! -s --step=INT\n"
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
            "checkpoint finished:\n"
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

TEST(CommandLine, of_sacctmgr_has_exactly_the_listed_options) {
  EXPECT_EQ(declared_line(command_called("sacctmgr")),
            " --config=TEXT --help WORD=TEXT...! -i --immediate --json --yaml -n --noheader -p "
            "--parsable -P --parsable2 -s --associations -r --readonly -Q --quiet -v --verbose -o "
            "--oneliner --usage");
}

TEST(CommandLine, readonly_of_sacctmgr_refuses_changes_only) {
  const auto why = [](const LineWords& words) {
    auto options = read_line<SacctmgrOptions>("sacctmgr", words);
    const Failure failure = options.resolve({});
    return failure ? failure->fact : "(taken)";
  };
  for (const LineWords& changes : {LineWords{"-r", "add", "account", "physics"},
                                   {"--readonly", "-i", "delete", "user", "ada"},
                                   {"modify", "user", "ada", "set", "maxjobs=5", "-r"},
                                   {"-r", "load", "accounts.cfg"}})
    EXPECT_EQ(why(changes), "Can't run this command in readonly mode.") << changes[1];
  for (const LineWords& shows : {LineWords{"-r", "show", "qos"},
                                 {"-r", "list", "user", "ada"},
                                 {"-r", "version"},
                                 {"-r", "dump", "lake"},
                                 {"add", "account", "physics"}})
    EXPECT_EQ(why(shows), "(taken)") << shows[1];
}

TEST(CommandLine, option_me_selects_the_calling_user) {
  const CallerContext ada{{}, [] { return std::string("ada"); }};
  const auto user_of = [&](auto options) {
    EXPECT_FALSE(options.resolve(ada));
    return options.user_name;
  };
  EXPECT_EQ(user_of(read_line<QueueOptions>("queue", {"--me"})), "ada");
  EXPECT_EQ(user_of(read_line<QueueOptions>("queue", {"-u", "bob"})), "bob");
  EXPECT_EQ(user_of(read_line<EventsOptions>("events", {"--me"})), "ada");
  EXPECT_EQ(user_of(read_line<EventsOptions>("events", {})), "");
  EXPECT_EQ(user_of(read_line<SshareOptions>("sshare", {})), "ada");
}

TEST(CommandLine, each_option_of_cox_queue_and_cox_logs_sets_its_field) {
  const auto queue = read_line<QueueOptions>(
      "queue", {"17", "-a", "-u", "ada", "--me", "-p", "gpu", "-t", "PD", "--json"});
  EXPECT_EQ(queue.ids, std::vector{JobId{17}});
  EXPECT_TRUE(queue.all_states && queue.only_mine && queue.json);
  EXPECT_EQ(queue.user_name + " " + queue.partition, "ada gpu");
  EXPECT_EQ(queue.states, std::vector{JobState::Pending});
  const auto all = read_line<QueueOptions>("queue", {"-t", "R,all"});
  EXPECT_EQ(all.states, (std::vector<JobState>{all_job_states.begin(), all_job_states.end()}));
  EXPECT_EQ(read_line<QueueOptions>("queue", {"-t", "ALL"}).states.size(), all_job_states.size());
  const auto logs = read_line<LogsOptions>("logs", {"17", "-f", "-r", "3", "-e", "-a", "2"});
  EXPECT_EQ(logs.ids, std::vector{JobId{17}});
  EXPECT_TRUE(logs.follow && logs.error_stream);
  EXPECT_EQ(logs.rank, 3);
  EXPECT_EQ(logs.attempt, AttemptNumber{2});
}

TEST(CommandLine, each_option_of_cox_up_down_status_and_demo_sets_its_field) {
  const auto up =
      read_line<UpOptions>("up", {"-n", "3", "-d", "/dir", "-c", "4", "-m", "5", "--gpus", "h100:6",
                                  "--feature", "fast=n1", "--lease", "7", "--config", "/c"});
  EXPECT_EQ(up.wishes.nodes, 3);
  EXPECT_EQ(up.dir + up.config, "/dir/c");
  EXPECT_EQ(up.wishes.cpus, 4);
  EXPECT_EQ(up.wishes.memory_mb, 5);
  EXPECT_EQ(up.wishes.gpus, LineWords{"h100:6"});
  EXPECT_EQ(up.wishes.features, LineWords{"fast=n1"});
  EXPECT_EQ(up.wishes.lease_s, 7);
  EXPECT_EQ(read_line<UpOptions>("up", {}).wishes.lease_s, -1);
  const auto down = read_line<DownOptions>("down", {"-d", "/dir", "--purge"});
  EXPECT_TRUE(down.purge);
  EXPECT_EQ(down.dir, "/dir");
  EXPECT_EQ(read_line<StatusOptions>("status", {"--dir", "/dir"}).dir, "/dir");
  EXPECT_EQ(why_refused("status", {"--dir", ""}),
            "--dir: the folder's name is empty; see 'cox status --help'");
  EXPECT_TRUE(read_line<DemoOptions>("demo", {"--keep"}).keep);
}

TEST(CommandLine, each_option_of_import_snapshot_replay_and_key_make_sets_its_field) {
  EXPECT_EQ(read_line<FileOptions>("config check", {"a.toml"}).file, "a.toml");
  const auto import = read_line<ImportOptions>("import", {"slurm.conf", "gres.conf", "-o", "out"});
  EXPECT_EQ(import.files, (LineWords{"slurm.conf", "gres.conf"}));
  EXPECT_EQ(import.dir, "out");
  EXPECT_EQ(read_line<FileOptions>("snapshot", {"a.json"}).file, "a.json");
  const auto replay = read_line<ReplayOptions>("replay", {"a.json", "-j", "17"});
  EXPECT_EQ(replay.file, "a.json");
  EXPECT_EQ(replay.job, 17);
  const auto key = read_line<KeyOptions>("key make", {"worker-n1", "-d", "keys"});
  EXPECT_EQ(key.name + key.dir, "worker-n1keys");
  const auto done = read_line<CheckpointDoneOptions>("checkpoint done", {"-s", "40", "-r", "3"});
  EXPECT_EQ(done.step, 40);
  EXPECT_EQ(done.rank, 3);
}

TEST(CommandLine, numbers_are_accepted_within_their_limits) {
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

TEST(CommandLine, of_cox_accepts_many_job_ids_and_no_job_steps) {
  std::string ids = "1";
  for (std::size_t id = 2; id <= limits::named_ids_max; ++id) ids += "," + std::to_string(id);
  EXPECT_EQ(read_line<JobsOptions>("cancel", {ids}).ids.size(), limits::named_ids_max);
  EXPECT_EQ(why_refused("cancel", {ids + ",1"}).find("more than 100000 job ids at once"), 0u);
  EXPECT_EQ(why_refused("cancel", {"17.0"}).find("\"17.0\" is a step, not a job; name its job, 17"),
            0u)
      << why_refused("cancel", {"17.0"});
  EXPECT_NE(why_refused("cancel", {","}), "(taken)");
  EXPECT_EQ(why_refused("show job", {"7,8"}).find("\"7,8\" names several jobs; name one"), 0u);
  EXPECT_NE(why_refused("show job", {"7", "8"}), "(taken)");
  for (const char* wrong : {"=5", "Nice"})
    EXPECT_NE(why_refused("update", {"7", wrong}).find("is not a change; write NAME=VALUE"),
              std::string::npos);
}

TEST(CommandLine, unknown_options_are_refused_in_the_words_of_each_program) {
  EXPECT_EQ(why_refused("queue", {"--nosuch"}), "unknown option --nosuch; see 'cox queue --help'");
  EXPECT_EQ(why_refused("sacctmgr", {"show", "--nosuch=1"}),
            "unrecognized option '--nosuch'; see 'sacctmgr --help'");
  EXPECT_EQ(why_refused("sacct", {"--sate=R"}),
            "unrecognized option '--sate'; did you mean --state?");
  EXPECT_EQ(why_refused("sacctmgr", {"show", "-z"}),
            "invalid option -- 'z'; see 'sacctmgr --help'");
  EXPECT_EQ(why_refused("show node", {"n1", "n2"}),
            "unexpected argument n2; see 'cox show node --help'");
  EXPECT_EQ(why_refused("nodes", {"n9"}),
            "unexpected argument n9: 'cox nodes' takes no arguments; see 'cox nodes --help'");
  EXPECT_EQ(why_refused("sacctmgr", {}), "no command is given; see 'sacctmgr --help'");
  const Parsed help = parse_options(command_called("show job"), {"--help"});
  ASSERT_TRUE(std::holds_alternative<std::string>(help));
  EXPECT_NE(std::get<std::string>(help).find("Usage: cox show job [OPTIONS] JOB\n"),
            std::string::npos);
  EXPECT_NE(std::get<std::string>(help).find("\n  --json                    the answer as JSON\n"),
            std::string::npos)
      << std::get<std::string>(help);
}

TEST(CommandLine, of_cox_is_parsed_completely_before_it_is_refused) {
  EXPECT_EQ(why_refused("queue", {"--nosuch=1", "-az", "-"}),
            "\"-\" is not a job id; write a number like 17, a task as 17_4, several as 17_[1-3,7]; "
            "see 'cox queue --help'");
  EXPECT_EQ(why_refused("show node", {"--nosuch=1", "n1", "n2", "-zf"}),
            "unknown options --nosuch=1 -zf; unexpected argument n2; see 'cox show node --help'");
  EXPECT_EQ(why_refused("queue", {"-u"}),
            "--user: 1 required TEXT missing; see 'cox queue --help'");
  EXPECT_EQ(why_refused("queue", {"-u", "ada", "--user=bob"}),
            "--user: At Most 1 required but received 2; see 'cox queue --help'");
  EXPECT_EQ(why_refused("logs", {"17", "-r", "x"}),
            "--rank: \"x\" is not a whole number from 0 to 262143; see 'cox logs --help'");
  EXPECT_EQ(why_refused("drain", {"n1"}),
            "--reason is required: why, for everybody to read; see 'cox drain --help'");
  EXPECT_EQ(
      why_refused("queue", {"-3"}),
      "\"-3\" is not a job id; write a number like 17, a task as 17_4, several as 17_[1-3,7]; "
      "see 'cox queue --help'");
  const Parsed fence = parse_options(command_called("fence"), {"--help"});
  EXPECT_NE(std::get<std::string>(fence).find("\n  --confirm REQUIRED        confirms that"),
            std::string::npos);
  const Parsed help = parse_options(command_called("queue"), {"--nosuch", "-h"});
  EXPECT_TRUE(std::holds_alternative<std::string>(help));
}

TEST(CommandLine, some_options_take_several_words_and_some_may_be_repeated) {
  const auto up = read_line<UpOptions>(
      "up", {"--gpus", "h100:4", "a100:2", "--feature", "fast=n1", "-n", "3", "--gpus=t4:1"});
  EXPECT_EQ(up.wishes.gpus, (LineWords{"h100:4", "a100:2", "t4:1"}));
  EXPECT_EQ(up.wishes.nodes, 3);
  const auto progress =
      read_line<ProgressOptions>("progress", {"-s", "4", "-m", "loss=1", "-mrate=2"});
  EXPECT_EQ(progress.metrics, (LineWords{"loss=1", "rate=2"}));
  EXPECT_EQ(why_refused("progress", {"-s", "4", "-m", "loss=1", "rate=2"}),
            "unexpected argument rate=2: 'cox progress' takes no arguments; see "
            "'cox progress --help'");
}

TEST(CommandLine, of_slurms_programs_takes_the_last_value_and_reads_variables) {
  EXPECT_EQ(read_line<SprioOptions>("sprio", {"-S", "u", "--sort=-Y"}).sort, "-Y");
  const auto format_in = [](const Parsed& line) {
    const auto* options = std::get_if<std::unique_ptr<Options>>(&line);
    return options == nullptr ? LineWords{} : dynamic_cast<const SprioOptions&>(**options).format;
  };
  const Parsed of_variable = parse_options(command_called("sprio"), {}, {"SPRIO_FORMAT=%i"});
  EXPECT_EQ(format_in(of_variable), LineWords{"%i"});
  const Parsed given =
      parse_options(command_called("sprio"), {"-o", "%u"}, {"SPRIO_FORMAT=%i", "SPRIO="});
  EXPECT_EQ(format_in(given), LineWords{"%u"});
  EXPECT_EQ(why_refused("sacctmgr", {"show", "--pars"}),
            "option '--pars' is ambiguous; possibilities: '--parsable' '--parsable2'; "
            "see 'sacctmgr --help'");
  EXPECT_EQ(why_refused("sacctmgr", {"show", "--quiet=1"}),
            "option '--quiet' doesn't allow an argument; see 'sacctmgr --help'");
  EXPECT_EQ(why_refused("seff", {"-e", "-o", "17"}), "invalid option -- 'e'; see 'seff --help'");
  EXPECT_NE(why_refused("seff", {","}).find("Bad job/step specified: ,"), std::string::npos);
  EXPECT_EQ(why_refused("sacct", {"--env-vars"}), "environments are not shown; see 'sacct --help'");
}

TEST(CommandLine, of_slurms_programs_may_abbreviate_options_and_name_the_json_version) {
  EXPECT_TRUE(read_line<SacctmgrOptions>("sacctmgr", {"show", "--imm"}).immediate);
  EXPECT_TRUE(read_line<SacctmgrOptions>("sacctmgr", {"show", "--parsable"}).parsable)
      << "an exact name need not be unique";
  EXPECT_FALSE(read_line<SacctmgrOptions>("sacctmgr", {"show", "--parsable"}).parsable2);
  EXPECT_NE(why_refused("sacctmgr", {"show", "--pars"}), "(taken)");
  EXPECT_EQ(read_line<SacctmgrOptions>("sacctmgr", {"show", "--", "--imm"}).words,
            (LineWords{"show", "--imm"}));
  EXPECT_NE(why_refused("queue", {"--al"}), "(taken)") << "commands of cox accept no abbreviations";
  for (const char* word : {"--json", "--json=", "--json=v0.0.40", "--yaml=v0.0.40+x", "--yaml"})
    EXPECT_TRUE(read_line<SacctmgrOptions>("sacctmgr", {"show", word}).json) << word;
  for (const char* word : {"--json=v0.0.41", "--yaml=v0.0.41"})
    EXPECT_EQ(why_refused("sacctmgr", {"show", word}),
              "Unable to find plugin: data_parser/v0.0.41; only v0.0.40 is supported");
  const auto all =
      read_line<SacctmgrOptions>("sacctmgr", {"show", "-n", "-P", "-s", "-Q", "-i", "-p"});
  EXPECT_TRUE(all.no_header && all.parsable2 && all.with_associations && all.quiet);
  EXPECT_TRUE(all.immediate && all.parsable);
}

TEST(CommandLine, of_scontrol_sprio_sshare_sdiag_and_sreport_has_exactly_the_listed_options) {
  std::string lines;
  for (const char* name : {"scontrol", "sprio", "sshare", "sdiag", "sreport"})
    lines += std::string(name) + ":" + declared_line(command_called(name)) + "\n";
  EXPECT_EQ(
      lines,
      "scontrol: -h --help --config=TEXT -M --clusters --cluster=TEXT WORD=TEXT... -o --oneliner "
      "-d --details -Q --quiet --json --yaml -a --all --hide --local -v --verbose -F --future "
      "--usage\n"
      "sprio: --config=TEXT -M --clusters --cluster=TEXT --help -h --noheader -j --jobs=TEXT -l "
      "--long -n --norm -o "
      "--format=TEXT -p --partition=TEXT -S --sort=TEXT -u --user=TEXT -w --weights --json "
      "--yaml --local -v --verbose --usage\n"
      "sshare: --config=TEXT -M --clusters --cluster=TEXT --help -a --all -A --accounts=TEXT -e "
      "--helpformat -h -n "
      "--noheader -l --long -m --partition -o --format=TEXT -p --parsable -P --parsable2 -u "
      "--users=TEXT --json --yaml -U --Users -v --verbose --usage\n"
      "sdiag: -h --help --config=TEXT -M --clusters --cluster=TEXT --json --yaml -a --all -i "
      "--sort-by-id -t "
      "--sort-by-time -T --sort-by-time2 -r --reset --usage\n"
      "sreport: --config=TEXT -h --help WORD=TEXT... -t=TEXT -T --tres=TEXT -n --noheader -p "
      "--parsable -P --parsable2 -Q --quiet -M --cluster=TEXT -a -v --all_clusters --local "
      "--federation --verbose --usage\n");
}

TEST(CommandLine, each_option_of_sprio_and_sshare_sets_its_field) {
  const auto plain = read_line<SprioOptions>("sprio", {});
  EXPECT_FALSE(plain.no_header || plain.long_report || plain.normalised || plain.weights);
  EXPECT_FALSE(plain.json || plain.verbose);
  const auto sprio = read_line<SprioOptions>(
      "sprio",
      {"-j", "17,,18_4", "-o", "%i", "-p", "gpu,,cpu", "-S", "u,-Y", "-u", "ada,bob", "-h"});
  EXPECT_EQ(sprio.ids, (std::vector{JobId{17}, JobId{18}}));
  EXPECT_EQ(sprio.tasks, (LineWords{"", "4"}));
  EXPECT_EQ(sprio.format, LineWords{"%i"});
  EXPECT_EQ(sprio.partitions, (LineWords{"gpu", "cpu"}));
  EXPECT_EQ(sprio.sort, "u,-Y");
  EXPECT_EQ(sprio.users, (LineWords{"ada", "bob"}));
  EXPECT_TRUE(sprio.no_header);
  EXPECT_TRUE(read_line<SprioOptions>("sprio", {"-l"}).long_report);
  EXPECT_TRUE(read_line<SprioOptions>("sprio", {"-n"}).normalised);
  EXPECT_TRUE(read_line<SprioOptions>("sprio", {"-w"}).weights);
  EXPECT_TRUE(read_line<SprioOptions>("sprio", {"-v", "--local"}).verbose);
  const auto shares =
      read_line<SshareOptions>("sshare", {"-A", "physics,,lab", "-u", "ada,bob", "-o", "User"});
  EXPECT_EQ(shares.accounts, (LineWords{"physics", "lab"}));
  EXPECT_EQ(shares.users, (LineWords{"ada", "bob"}));
  EXPECT_EQ(shares.format, LineWords{"User"});
  EXPECT_FALSE(shares.all_users || shares.list_fields || shares.no_header || shares.long_report);
  EXPECT_FALSE(shares.with_partitions || shares.parsable || shares.parsable2 || shares.only_users);
  EXPECT_FALSE(shares.json || shares.verbose);
  EXPECT_TRUE(read_line<SshareOptions>("sshare", {"-a"}).all_users);
  EXPECT_TRUE(read_line<SshareOptions>("sshare", {"-e"}).list_fields);
  EXPECT_TRUE(read_line<SshareOptions>("sshare", {"-h"}).no_header &&
              read_line<SshareOptions>("sshare", {"-n"}).no_header);
  EXPECT_TRUE(read_line<SshareOptions>("sshare", {"-l"}).long_report);
  EXPECT_TRUE(read_line<SshareOptions>("sshare", {"-m"}).with_partitions);
  EXPECT_TRUE(read_line<SshareOptions>("sshare", {"-p"}).parsable);
  EXPECT_TRUE(read_line<SshareOptions>("sshare", {"-P"}).parsable2);
  EXPECT_TRUE(read_line<SshareOptions>("sshare", {"-U"}).only_users);
  EXPECT_TRUE(read_line<SshareOptions>("sshare", {"-v"}).verbose);
}

TEST(CommandLine, each_option_of_scontrol_sreport_and_sdiag_sets_its_field) {
  const auto show = read_line<ScontrolOptions>("scontrol", {"show", "job", "17", "-o", "-d", "-Q"});
  EXPECT_EQ(show.words, (LineWords{"show", "job", "17"}));
  EXPECT_TRUE(show.one_line && show.details && show.quiet && !show.json);
  const auto plain = read_line<ScontrolOptions>(
      "scontrol", {"-a", "--hide", "--local", "-v", "-F", "show", "job"});
  EXPECT_FALSE(plain.one_line || plain.details || plain.quiet);
  const auto report =
      read_line<SreportOptions>("sreport", {"cluster", "utilization", "-t", "Hours", "-T", "cpu",
                                            "-n", "-p", "-P", "-Q", "-M", "lab", "-a"});
  EXPECT_EQ(report.words, (LineWords{"cluster", "utilization"}));
  EXPECT_EQ(report.time_format + " " + report.tres, "Hours cpu");
  EXPECT_TRUE(report.no_header && report.parsable && report.parsable2 && report.quiet);
  for (const char* word : {"-a", "-i", "-t", "-T", "--sort-by-id"}) read_line("sdiag", {word});
  for (const char* name : {"scontrol", "sprio", "sshare", "sdiag"})
    for (const char* word : {"--json", "--yaml"})
      EXPECT_TRUE(read_line(name, {word}).json) << name << " " << word;
  EXPECT_EQ(why_refused("sdiag", {"-r"}),
            "counters cannot be reset: they count from the controller's start; "
            "see 'sdiag --help'");
}

TEST(CommandLine, of_sprio_names_jobs_like_17_or_17_4) {
  EXPECT_EQ(read_line<SprioOptions>("sprio", {"-j", "17,18_4"}).ids.size(), 2u);
  EXPECT_EQ(why_refused("sprio", {"-j", "17x"}),
            "\"17x\" is not a job id; write a number like 17, a task as 17_4, several as "
            "17_[1-3,7]; see 'sprio --help'");
}

}  // namespace
}  // namespace cox
