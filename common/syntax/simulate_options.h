// The options of `cox simulate`. cox-simulate parses its command line with this table; cox makes
// the man page and the shell completions from it.
#pragma once

#include <array>
#include <string_view>

namespace cox {

struct SimulateOption {
  std::string_view name;  // without --
  std::string_view value_name;
  std::string_view help;
  bool required = false;
};

inline constexpr std::array simulate_options = {
    SimulateOption{"trace", "FILE", "the jobs: a log in one of the formats, plain or .gz", true},
    SimulateOption{"format", "swf|openb|muri|batsim|cox|slurm-sim",
                   "the trace's format; by default it is recognised by its beginning"},
    SimulateOption{"cluster", "SPEC",
                   "procs=256; nodes=8,gpus=8[,cpus=,memory=,type=]; a table of nodes (CSV); a "
                   "coxswain.toml or a slurm.conf",
                   true},
    SimulateOption{"order", "NAME",
                   "the priority order: multifactor (the default), fcfs, shortest_first, "
                   "least_attained, shortest_remaining or gittins"},
    SimulateOption{"weights", "LIST",
                   "the weights of multifactor; by default, as in the configuration: "
                   "age=0,shortness=1000,fair_share=5000. Those of gittins: docs/simulation.md"},
    SimulateOption{
        "backfill", "NAME",
        "which jobs may start before jobs that are ahead in the queue: none, easy (the default), "
        "conservative, or a number of reservations"},
    SimulateOption{
        "placement", "NAME",
        "the choice of nodes: fgd (the default), best_fit, packing, spreading or least_free"},
    SimulateOption{"seed", "N", "the seed of all randomness; 42 by default"},
    SimulateOption{"save-time", "SECONDS",
                   "the time that a preempted job needs to save; 0 by default"},
    SimulateOption{"restart-time", "SECONDS",
                   "the time that it needs to resume once it is started again; 0 by default"},
    SimulateOption{"progress", "PART",
                   "the part of the jobs that report their progress while they run, from 0 to 1; "
                   "0 by default"},
    SimulateOption{"accounts", "FILE",
                   "the accounts to charge: the sacctmgr commands that create accounts and users, "
                   "or its dump"},
    SimulateOption{"half-life", "SECONDS",
                   "the time after which usage counts half; 604800 by default, 0: it never decays"},
    SimulateOption{"json", "FILE", "write all figures and all jobs to this file, as JSON"},
    SimulateOption{"svg", "FILE", "draw the result to this file"},
};

}  // namespace cox
