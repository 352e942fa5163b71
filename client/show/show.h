// Answers of the controller → text for people. Pure; the files are named after the commands
// (show_queue.cpp, show_job.cpp, ...). Everything that came from elsewhere passes printable().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/text/screen.h"
#include "client/text/table.h"
#include "common/messages/messages.h"

namespace cox {

// Of each array by the numbers of its tasks.
void sort_tasks(std::vector<JobView>& jobs);
std::string show_queue(const JobList& list, const Screen& screen);
std::string show_nodes(const NodeList& list, const Screen& screen);
std::string show_node(const NodeView& view, const Screen& screen);
std::string show_partitions(const NodeList& list, const Screen& screen);
std::string closed_partitions_text(const NodeList& list,
                                   const Screen& screen);  // those that are not UP
std::string show_reservations(const ReservationList& list, const Screen& screen);
std::string show_reservation(const ReservationView& view, const Screen& screen);
std::string show_licences(const LicenceList& list, const Screen& screen);
std::string show_job(const JobDetail& detail, const Screen& screen);
std::string show_why(const JobDetail& detail, const Screen& screen);
std::string show_tested(const JobTested& tested, const Screen& screen);
std::string show_submit_rules(const JobTested& tested, const Screen& screen);
std::string show_tested_as_slurm(const JobTested& tested, const Screen& screen);  // sbatch's line
// Of an array the controller tells it row by row; people read it as it happened.
void order_by_time(HistoryPage& all);
std::string show_history(const HistoryPage& page, const Screen& screen);
std::string show_events(const EventPage& page, const Screen& screen);  // a line each
std::string show_cluster(const ClusterView& view, const Screen& screen);
std::string show_qos(const ClusterView& view, const Screen& screen);
std::string show_accounts(const AssociationList& list, const Screen& screen);
Shown show_acted(const Acted& acted, const Screen& screen);

// "cox: the fact" and, on a second line, the next step.
std::string refusal_text(const Refusal& why);

// Words several of them share.
std::string notes_text(const JobDetail& detail);  // what the nodes say of the newest attempt
Colour state_colour(JobState state);
// "17_4", as the controller names them; by their ids where it is one that does not yet.
std::vector<std::string> names_of_jobs(const std::vector<JobId>& jobs,
                                       const std::vector<std::string>& names);
std::string node_list_text(const std::vector<std::string>& names);        // "n[1-2]"
std::string exit_text(std::int32_t exit_code, std::int32_t exit_signal);  // "exit code 3"
std::string numbered_lines(const std::vector<std::string>& lines, const Screen& screen);  // "1. "
std::string bytes_text(std::int64_t bytes);  // "1.5 GiB"
std::string memory_text(std::int64_t megabytes);

// What Slurm calls the node: "idle", "mix", "alloc", "resv", "maint", "drain", "drng", "down*".
std::string node_state_text(const NodeView& view);

}  // namespace cox
