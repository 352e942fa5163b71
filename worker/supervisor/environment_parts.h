// What the environments of ranks, batch scripts and the tasks of steps have in common. For
// rank_environment.cpp and step_environment.cpp. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/attempt.h"

namespace cox {

using Variables = std::map<std::string, std::string, std::less<>>;

// A block of NAME=value\0.
Variables users_variables(const std::string& block);
// What describes one job or one rank. Those of the job that the user submitted from (if any) must
// not be taken for this one's: SLURM_RESTART_COUNT for instance says something by its absence.
void erase_job_variables(Variables& v);

// `pwd`: the user's, as submitted.
void set_job(Variables& v, const LaunchSpec& launch, const GoOrder& go, const std::string& pwd);
void set_array(Variables& v, const LaunchSpec& launch);
void set_node(Variables& v, const NodeGrant& grant);
// `folder` is the supervisor's own.
void set_ours(Variables& v, const LaunchSpec& launch, std::int32_t rank, const std::string& folder);

std::string comma_list(const std::vector<std::int32_t>& numbers);
std::vector<std::string> entries_of(const Variables& v);  // NAME=value

}  // namespace cox
