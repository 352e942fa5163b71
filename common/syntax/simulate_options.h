// What the command line of `cox simulate` may say: cox-simulate reads it by this table, and cox
// makes its man page and its completions of it.
#pragma once

#include <array>
#include <string_view>

namespace cox {

struct SimulateOption {
  std::string_view name;  // behind --
  std::string_view value_name;
  std::string_view help;
  bool required = false;
};

inline constexpr std::array simulate_options = {
    SimulateOption{"trace", "FILE", "the jobs: a log in one of the formats, plain or .gz", true},
    SimulateOption{"format", "swf|openb|muri|batsim|cox|slurm-sim",
                   "the trace's format; else it is told from what it begins with"},
    SimulateOption{"cluster", "SPEC",
                   "procs=256; nodes=8,gpus=8[,cpus=,memory=,type=]; a table of nodes (CSV); a "
                   "coxswain.toml or a slurm.conf",
                   true},
    SimulateOption{"order", "NAME",
                   "who is next: multifactor, the default, fcfs, shortest_first, least_attained, "
                   "shortest_remaining or gittins"},
    SimulateOption{"weights", "LIST",
                   "of multifactor, as the configuration has them by default: "
                   "age=350,shortness=1000,fair_share=5000"},
    SimulateOption{
        "backfill", "NAME",
        "who may pass those that wait: none, easy, the default, conservative, or so many "
        "reservations"},
    SimulateOption{"placement", "NAME",
                   "where: fgd, the default, best_fit, packing, spreading or least_free"},
    SimulateOption{"seed", "N", "of what is drawn by chance; 42 by default"},
    SimulateOption{"save-time", "SECONDS", "what a preempted job takes to save; 0 by default"},
    SimulateOption{"restart-time", "SECONDS",
                   "what it takes to go on where it was, once started again; 0 by default"},
    SimulateOption{"accounts", "FILE",
                   "whom jobs are charged to: the lines for sacctmgr that make accounts and users, "
                   "or its dump"},
    SimulateOption{"half-life", "SECONDS",
                   "after which use counts half as much; 604800 by default, 0: it always counts"},
    SimulateOption{"json", "FILE", "write every figure and every job there, as JSON"},
    SimulateOption{"svg", "FILE", "draw it there"},
};

}  // namespace cox
