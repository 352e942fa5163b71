// What the controller does when something happens: one function an event, each pure but for the
// Reaction it writes to.
//
//   react_client.cpp   what people ask            react_worker.cpp  what workers say
//   act.cpp            cancel, hold, drain, …     attempt.cpp       how an attempt moves on
//   answer.cpp         questions                  tick.cpp          what time brings
//   enact.cpp          the scheduling pass       test_job.cpp      a job that is only asked about
//   react_health.cpp   what keeps work away from a node (node_health.h)
//   react_silence.cpp  nodes that are silent, are lost, or are fenced
//   suspend.cpp        who stands still, and goes on
//   administer.cpp     accounts and tiers         update_partition.cpp  the state of partitions
//   react_reservation.cpp  advance reservations
//   react_recovery.cpp  what a failover has lost
//   act_on_array.cpp   what people do to some tasks, or all       update.cpp   what they change
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "controller/reaction.h"

namespace cox {

void react(Reaction& r, const PeerSaid& said);

// Workers. A heartbeat is acknowledged by heartbeat_ack outside the turn: leases do not wait for
// the database.
void on_hello(Reaction& r, const PeerName& peer, const WorkerHello& hello);
void on_heartbeat(Reaction& r, const PeerName& peer, const Heartbeat& beat);
void on_status(Reaction& r, const PeerName& peer, const StatusReport& report);
// What a worker said in a turn that was undone counts as not heard: it is taken in again.
void unhear(Cluster& beliefs, const Message& message);
// Takes note that the node was heard, and where, if the message is of its session and not
// overtaken.
bool take_number(Cluster& beliefs, const PeerName& peer, const std::string& node,
                 const std::string& session, std::int64_t number, Boot now);
std::optional<HeartbeatAck> heartbeat_ack(Cluster& beliefs, const Heartbeat& beat, Boot now);

// What a node has may be what a failover has lost: told, once. It is ended as all that is over.
void tell_if_lost(Reaction& r, const std::string& node, AttemptKey key);
// Jobs start again once each node has told what it runs, or can run nothing any more, and those
// that the database never heard of have had a moment to.
void watch_failover(Reaction& r);
// The nodes that may run what it has lost, and have not told yet.
std::vector<std::string> nodes_yet_to_tell(const Cluster& cluster, Boot now);

// Clients.
void on_request(Reaction& r, const PeerSaid& said, const Request& request);
void on_submit(Reaction& r, const PeerSaid& said, std::int64_t number, const SubmitJob& submit);
void on_submit_many(Reaction& r, const PeerSaid& said, std::int64_t number,
                    const SubmitJobs& submit);
// Jobs that these depend on may have ended long ago, and are read before the request is judged; or
// it was refused. Then it is not to be answered now.
bool is_recalling(Reaction& r, const PeerSaid& said, std::int64_t number,
                  std::span<const JobSpec> specs);
// Says what a pass would decide of the job, as if it were submitted now; nothing of it stays.
void on_test(Reaction& r, const PeerSaid& said, std::int64_t number, const TestJob& test);
void on_administer(Reaction& r, const PeerSaid& said, std::int64_t number, const Administer& ask);
// What an administrator asked by SQL: answered in the row.
void on_asked_by_sql(Reaction& r, const AskedBySql& asked);
AssociationList list_associations(const Cluster& cluster, const ListAssociations& ask, Now now);
void on_snapshot(Reaction& r, const PeerName& peer, std::int64_t number, const TakeSnapshot& ask);
// The request id that the first of its jobs bears; empty when the client gave none.
std::string first_request_of(const SubmitJobs& submit);
// `tasks`: of the array with this id, these alone; empty: all of it.
Acted::Outcome act_on_job(Reaction& r, const Caller& caller, JobVerb verb, JobId id,
                          const std::string& tasks);
// Whose it is, and the cluster's owner.
Acted::Outcome end_allocation(Reaction& r, const Caller& caller, const EndAllocation& ask);
bool may_act_on(const Cluster& cluster, const Caller& caller, const Job& job);
// Returns whether the caller may stop, hold and requeue the job. A coordinator of the job's account
// may, but may not run steps in the job or change its request.
bool may_manage(const Cluster& cluster, const Caller& caller, const Job& job);
// What a person says; whom the controller holds it starts anew, on any node.
void set_hold(Job& job, bool held);
// Of one row, whatever it stands for.
Acted::Outcome act_on_row(Reaction& r, const Caller& caller, JobVerb verb, JobId id);
// What it depends on may have ended long ago, and is read before the request is judged.
void on_update_jobs(Reaction& r, const PeerSaid& said, std::int64_t number, const UpdateJobs& ask);
Acted::Outcome act_on_node(Reaction& r, const Caller& caller, const ActOnNodes& act,
                           const std::string& node);
Acted update_partitions(Reaction& r, const PeerSaid& said, const UpdatePartitions& update);

void on_reservation(Reaction& r, const PeerSaid& said, std::int64_t number,
                    const ActOnReservation& act);
// Those that are over go, or move on to when they come again.
void watch_reservations(Reaction& r);

// Attempts.
// Looks only at the present state of the job's live attempt and does what it demands; idempotent.
void advance(Reaction& r, JobId id);
// From CONFIGURING to RUNNING; the nodes it avoided are forgotten. REQUIRES: its attempt went in
// this turn.
void begin_running(Reaction& r, JobId id);
// What its attempt has saved, whole; one that is no newer than what there is is passed over. `by`:
// who saved it, for people.
void commit_checkpoint(Reaction& r, const Checkpoint& c, const std::string& by);
// Asks the live attempt to stop, on every node that is not gone. `actor` as in job_event.
void stop_attempt(Reaction& r, JobId id, StopOrder order, const std::string& actor);

// It is to stand still, on every node, and to go on. REQUIRES: it runs; it is suspended.
void suspend_attempt(Reaction& r, JobId id, std::string why, const std::string& actor);
void resume_attempt(Reaction& r, JobId id);
// Repeats the current order under a number above the one that the node reports, which the database
// has lost.
void repeat_suspension(Reaction& r, JobId id, std::int64_t number_there);

// Asked to save within its grace, or stopped at once.
StopOrder stop_as_its_qos_says(const Cluster& cluster, const JobEntry& entry, StopWhy why,
                               std::string detail);
// The next placements rather take other nodes, until the job has run.
void avoid_node(Reaction& r, JobId id, const std::string& node);
// The node's part of the attempt is over without its word: by the lease's end, or because the node
// came back without it.
void lose_node(Reaction& r, JobId id, const std::string& node, const std::string& why);
// Whether a rank of an attempt on several nodes failed first, as far as is known.
bool is_failed_gang(const Attempt& attempt);
// If a node of a failed gang has a fault, the failure counts as its consequence: the job is
// requeued.
void excuse_failed_gang(Reaction& r, JobId id);
// Sends what a node lacks of what it should know of the attempt.
void remind(Reaction& r, JobId id, const AttemptNode& node, NodePhase phase_there,
            std::int64_t suspension_there);
void resend_to_node(Reaction& r, JobId id, const std::string& node);

// The health of nodes (node_health.h). Something failed there for its reasons; `culprit` as in
// note_failure().
void blame_node(Reaction& r, const std::string& node, JobId culprit, const std::string& why);
// Unless a person has, or for the same reason as already.
void drain_node(Reaction& r, const std::string& node, DrainedBy by, const std::string& reason,
                const std::string& actor);
// Marks silent nodes, ends what is lost with them, and asks for them to be fenced.
void watch_silent_nodes(Reaction& r);
// fence_program has ended.
void on_fence_ended(Reaction& r, const FenceEnded& ended);
// The caller confirms that nothing runs on the node: its jobs need not wait for its lease.
Acted::Outcome fence_node(Reaction& r, const Caller& caller, const Node& node);
// For the owner of a live job: which of its nodes are silent, until when that holds the job up, and
// what an operator can do. One line for each of them.
std::vector<std::string> silence_lines(const Cluster& cluster, const JobEntry& entry, Now now);
// What its worker says of itself.
void take_unfit(Reaction& r, const std::string& node, const std::optional<std::string>& unfit);
// After silence: by as many good heartbeats as are wanted.
void let_return(Reaction& r, const std::string& node);
// The prolog or the epilog of the node has failed there: the node is drained.
void take_site_error(Reaction& r, const std::string& node, const AttemptStatus& status);
// As their failures fade away, nodes are avoided no more.
void settle_avoided(Reaction& r);
// A job that cannot be launched anywhere is held, and the nodes are forgiven; false: it can.
bool hold_unlaunchable(Reaction& r, JobId id, const Attempt& attempt);
// Processes of the attempt outlive SIGKILL: the node is drained and its part of the attempt over in
// the books, if nothing of the user's can run any more or the job does not start again.
void take_kill_failure(Reaction& r, JobId id, const std::string& node, const AttemptStatus& status);

void on_tick(Reaction& r);

// The pass: World from the cluster, Plan from schedule/, then starts and preemptions made true.
// A part of one, so that no answer waits for long behind it. Whether the pass is over, and no other
// is due at once.
bool schedule_part(Reaction& r);
// Brings the verdicts of waiting jobs up to date, for somebody who looks: those in front, and the
// one asked for.
void tell_why_jobs_wait(Reaction& r, std::optional<JobId> focus);

// Writes why a job waits that never starts as it is: no pass will ever judge it. Once: what it
// waited for may be forgotten then.
void keep_wait_in_vain(Reaction& r, JobId id);
// Likewise when tasks of such a row have become a row of their own, `part`.
void split_wait_in_vain(Reaction& r, JobId row, JobId part);
// Writes the rows of why jobs wait that say something new; false: there are more than one turn may
// write.
bool keep_waits(Reaction& r);

// Answers.
JobView view_of(const Cluster& cluster, const JobEntry& entry, Now now);
JobDetail detail_of(const Cluster& cluster, const JobEntry& entry, Now now);
// answer_array.cpp: of an array that is meant as a whole. Its tasks by how they stand; `and_which`:
// by their numbers too.
bool is_whole_array(const Cluster& cluster, const Job& job, std::int64_t task);
JobDetail detail_of_array(const Cluster& cluster, const JobEntry& row, Now now, bool and_which);
std::vector<TaskGroup> standing_of_tasks(const Cluster& cluster, JobId array);
void tell_tasks(JobDetail& detail, std::vector<TaskGroup> tasks);
// The one to look at: a row that waits, before others.
JobId telling_row(const Cluster& cluster, JobId array);
// Several tasks are named, and they are not those of one row; one names its row.
Failure check_one_row(const Job& row, const std::string& tasks);
// Of what neither memory nor the database knows: a job, or (0 or more) a task.
Refusal never_was(const Cluster& cluster, JobId job, std::int64_t task);
// Each task of an array writes for itself; `like` is one of those that do.
Refusal which_log(JobId array, const std::vector<TaskGroup>& tasks, std::int64_t like);
// Of a job that only the store knows. REQUIRES: it was found.
decltype(Reply::body) answer_forgotten(const Cluster& cluster, const JobRead& read,
                                       const WantedRead& ask, Now now);
std::int64_t task_with_log(const Cluster& cluster, JobId array);
NodeList nodes_of(const Cluster& cluster, Now now);
LicenceList licences_of(const Cluster& cluster);
// The rows that a person means by a job's id, or by tasks of an array; those there are.
std::set<JobId> rows_meant(const Cluster& cluster, JobId id, const std::string& tasks);
JobList list_jobs(const Cluster& cluster, const ListJobs& ask, Now now);
decltype(Reply::body) log_place(const Cluster& cluster, const JobEntry& entry,
                                const LocateLog& ask);
std::string checkpoint_dir_of(const Cluster& cluster, JobId id, const std::string& identity);

}  // namespace cox
