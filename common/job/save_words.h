// Words about saves that one program writes into a text and another finds there: the supervisor in
// the note of its node, the controller in an order to stop and in the outcome of an attempt.
#pragma once

#include <cstdint>
#include <string>

#include "common/job/job.h"

namespace cox {

// The beginning of the text about a save that did not become a checkpoint. An outcome with this
// text is recognised by it.
inline constexpr const char* lost_save_begins = "its save did not become a checkpoint: ";

// Returns the text about a lost save in the outcome of an attempt; "" if there is none.
std::string lost_save_in(const std::string& outcome);

// Returns the note of a node whose processes were still running at the end of their time to save.
std::string grace_ended_note(std::int64_t grace_ms);

// Returns "the grace of 30 s" from the note of a node; "" if the note does not say that it ended.
std::string ended_grace_in(const std::string& note);

// Returns the note of a node on which a job step was refused a save, because `saver`, a job step
// that ran at the same time, has saved.
std::string refused_beside_note(std::int32_t job_step, std::int32_t saver);

// Returns such a note from the notes of a node; "" if there is none.
std::string refused_beside_in(const std::string& notes);

// Returns why a job was stopped that was asked to save (`why`) and whose time to save a fault then
// ended: "preempted by ada; its time to save was cut short: supervisor lost on node n1".
std::string cut_short_text(const std::string& why, const std::string& fault);

// Returns the fault from such a text; "" if there is none.
std::string cut_short_in(const std::string& why);

// Returns whether the job declared that it reports its saves to Coxswain.
bool declares_saves(const JobSpec& spec);

}  // namespace cox
