// The questions and answers behind the names in names.h.
#pragma once

#include <optional>

#include "client/command.h"
#include "client/listing.h"

namespace cox {

ReadListing read_squeue(const std::vector<std::string>& words, const Surroundings& around);
ReadListing read_sinfo(const std::vector<std::string>& words, const Surroundings& around);

Question ask_sacct(const Options& options);
Shown show_sacct(const Answer& answer, const Options& options, const Screen& screen);

Question ask_seff(const Options& options);
Shown show_seff(const Answer& answer, const Options& options, const Screen& screen);

// What sacct tells without asking anybody: of its columns, or that there are none like that.
std::optional<Shown> show_record_help(const Options& options);

// A list for `show`, else what is to be done.
Question ask_sacctmgr(const Options& options);
Shown show_sacctmgr(const Answer& answer, const Options& options, const Screen& screen);
std::string sacctmgr_help();  // its commands

Question ask_sprio(const Options& options);
Shown show_sprio(const Answer& answer, const Options& options, const Screen& screen);

Question ask_sshare(const Options& options);
Shown show_sshare(const Answer& answer, const Options& options, const Screen& screen);

Question ask_sdiag(const Options& options);
Shown show_sdiag(const Answer& answer, const Options& options, const Screen& screen);

}  // namespace cox
