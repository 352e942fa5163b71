// Declares the command lines of scontrol, sprio, sshare, sdiag and sreport. command_options.h
// declares the rest.
#include <CLI/CLI.hpp>

#include "client/command_options.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

void add_list(CLI::App& app, const std::string& names, std::vector<std::string>& list,
              const std::string& about) {
  app.add_option_function<std::string>(
      names,
      [&list](const std::string& text) {
        for (const std::string_view word : split(text, ','))
          if (!word.empty()) list.emplace_back(word);
      },
      about);
}

void accept(CLI::App& app, const std::string& names, const std::string& about) {
  app.add_flag_callback(
      names, [] {}, about);
}

void add_json(CLI::App& app, Options& options, const std::string& about) {
  app.add_flag("--json{true},--yaml{true}", options.json, about);
}

void take_ids(const std::string& text, Options& options) {
  for (const std::string_view word : split(text, ',')) {
    if (word.empty()) continue;
    const auto ref = parse_job_ref(word);
    if (!ref) throw CLI::ValidationError(ref.refusal().fact + "; " + ref.refusal().hint);
    options.ids.push_back(ref->id);
    options.tasks.push_back(ref->tasks);
  }
  if (options.ids.size() > limits::page_rows_max)
    throw CLI::ValidationError("more than " + std::to_string(limits::page_rows_max) + " job ids");
}

}  // namespace

void declare_scontrol(CLI::App& app, Options& options) {
  app.add_option("WORD", options.words,
                 "show, update, create, delete, hold, release, requeue, requeuehold, suspend, "
                 "resume, write, ping, listpids, wait_job, completing, version and what they are "
                 "about; without any, lines are read from standard input");
  app.add_flag("-o,--oneliner", options.one_line, "each thing on one line");
  app.add_flag("-d,--details", options.details, "more of each");
  app.add_flag("-Q,--quiet", options.quiet, "no word about what was refused");
  add_json(app, options, "what is shown as Slurm's JSON, that of v0.0.40");
  accept(app, "-a,--all", "accepted: there are no hidden partitions");
  accept(app, "--hide", "accepted likewise");
  accept(app, "--local", "accepted: there is one cluster");
  accept(app, "-v,--verbose", "accepted: messages are always complete");
  accept(app, "-F,--future", "accepted: no nodes are of the future");
}

namespace {

CLI::Option* add_format(CLI::App& app, Options& options, const std::string& help) {
  return app.add_option_function<std::string>(
      "-o,--format", [&options](const std::string& text) { options.records.format = {text}; },
      help);
}

}  // namespace

void declare_sprio(CLI::App& app, Options& options) {
  app.set_help_flag("--help", "this text");
  app.add_flag("-h,--noheader", options.no_header, "no heads");
  app.add_option_function<std::string>(
      "-j,--jobs", [&options](const std::string& text) { take_ids(text, options); },
      "only these ids");
  app.add_flag("-l,--long", options.long_report, "all columns");
  app.add_flag("-n,--norm", options.normalised, "factors from 0 to 1, without their weights");
  add_format(app, options,
             "columns: %i %r %u %o %n %Y %y %a %A %b %B %f %F %j %J %p %P %q %Q %s %S %t %T %N")
      ->envname("SPRIO_FORMAT");
  add_list(app, "-p,--partition", options.partitions, "only those in these partitions");
  app.add_option("-S,--sort", options.sort, "by these columns, like u,-Y; else by id");
  add_list(app, "-u,--user", options.users, "only these users'");
  app.add_flag("-w,--weights", options.weights, "the weights of the factors, and no jobs");
  add_json(app, options, "as JSON, in the shape of Slurm's");
  accept(app, "--local", "accepted: there is one cluster");
  app.add_flag("-v,--verbose", options.records.verbose, "print the options in effect first");
}

void declare_sshare(CLI::App& app, Options& options) {
  options.only_mine = true;
  app.set_help_flag("--help", "this text");
  app.add_flag("-a,--all", options.all_states, "all users; else the one who asks");
  add_list(app, "-A,--accounts", options.accounts, "only these accounts");
  app.add_flag("-e,--helpformat", options.list_fields, "the names of the columns");
  app.add_flag("-h,-n,--noheader", options.no_header, "no heads");
  app.add_flag("-l,--long", options.long_report, "all columns");
  app.add_flag("-m,--partition", options.with_partitions, "the partition of each association");
  add_format(app, options, "columns, like Account%30,User,FairShare");
  app.add_flag("-p,--parsable", options.parsable, "columns|like|this|");
  app.add_flag("-P,--parsable2", options.parsable2, "columns|like|this");
  add_list(app, "-u,--users", options.users, "only these users");
  add_json(app, options, "as Slurm's JSON, that of v0.0.40");
  app.add_flag("-U,--Users", options.only_users, "users, and no accounts");
  app.add_flag("-v,--verbose", options.records.verbose,
               "display more information: the users and accounts asked for");
}

void declare_sdiag(CLI::App& app, Options& options) {
  add_json(app, options, "as Slurm's JSON, that of v0.0.40");
  accept(app, "-a,--all", "all there is, as without it");
  accept(app, "-i,--sort-by-id", "accepted: calls are not counted by kind");
  accept(app, "-t,--sort-by-time", "accepted likewise");
  accept(app, "-T,--sort-by-time2", "accepted likewise");
  app.add_flag_callback(
      "-r,--reset",
      [] {
        throw CLI::ValidationError(
            "it counts from the start of the controller, and from nowhere else");
      },
      "refused: it counts from the controller's start");
}

void declare_sreport(CLI::App& app, Options& options) {
  app.set_help_flag("-h,--help", "this text");
  app.add_option("WORD", options.words,
                 "a type of report, the report, and conditions as NAME=VALUE");
  app.add_option("-t", options.time_format,
                 "Seconds, Minutes, Hours, Percent, SecPer, MinPer or HourPer");
  app.add_option("-T,--tres", options.tres, "cpu, mem, node, billing, gres/gpu or ALL, by commas");
  app.add_flag("-n,--noheader", options.no_header, "no heads");
  app.add_flag("-p,--parsable", options.parsable, "columns|like|this|");
  app.add_flag("-P,--parsable2", options.parsable2, "columns|like|this");
  app.add_flag("-Q,--quiet", options.quiet, "nothing but the report");
  app.add_option_function<std::string>(
      "-M,--cluster", [](const std::string&) {}, "taken; there is one cluster");
  app.add_flag_function(
      "-a,--all_clusters,--local,--federation,-v,--verbose", [](std::int64_t) {},
      "taken; there is one cluster");
}

}  // namespace cox
