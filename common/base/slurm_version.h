// The version of Slurm that our commands report; Slurm's clients ask for it and parse it.
#pragma once

#include <string>

namespace cox {

inline const std::string slurm_major = "23";
inline const std::string slurm_minor = "11";
inline const std::string slurm_micro = "10";
inline const std::string slurm_release = slurm_major + "." + slurm_minor + "." + slurm_micro;

}  // namespace cox
