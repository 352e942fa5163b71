// A controller's connection to the database in virtual time: the real MemoryStore, with delays,
// outages, lost and ambiguous commits, and commits that take effect after the controller has died.
#pragma once

#include <memory>
#include <optional>

#include "tests/sim/judge.h"
#include "tests/sim/scene.h"
#include "tests/support/memory_store.h"

namespace cox::sim {

class SimStore final : public Store {
 public:
  // known: the newest state that the controller knows of. wake: called when there is something to
  // poll.
  SimStore(Scene& scene, Judge& judge, std::shared_ptr<MemoryDatabase> database,
           LastKnownState known, std::function<void()> wake);

  void load(bool take_term, Wall ended_since) override;
  void commit(Turn turn) override;
  void read_history(std::int64_t ticket, JobId job, std::int64_t after_sequence) override;
  void read_array_history(std::int64_t ticket, JobId array, std::int64_t after_sequence) override;
  void read_job(std::int64_t ticket, JobId job, bool and_rows) override;
  void read_task(std::int64_t ticket, JobId array, std::int64_t task) override;
  void read_request(std::int64_t ticket, const std::string& request_id) override;
  void read_accounting(std::int64_t ticket, const ListAccounting& ask) override;
  void read_qos(std::int64_t ticket) override;
  void read_requests(std::int64_t ticket) override;
  std::vector<StoreEvent> poll() override;

  // Returns whether the controller dies at this turn, before or after the turn is handed to the
  // database.
  bool kills_its_controller() const { return kills_; }
  bool at_rest() const { return !load_requested_ && !turn_; }
  void go_away(Milliseconds time);
  void come_back() { inner_.away_polls = 0; }

  // Called when the controller has died. A turn that it had sent may still be committed, if the
  // database accepts it.
  void outlive();
  void finish_late();

 private:
  void end_connection(Fault fault, MemoryStore::Fate fate);
  void hand_over();
  void look();
  void look_again();
  void commit_unsurely(Turn turn);
  void pretend_committed();
  bool writes_as_if_it_led();
  void plant_in(Turn& turn) const;
  void plant_in(StoreEvent& event);

  Scene& scene_;
  Judge& judge_;
  MemoryStore inner_;
  std::function<void()> wake_;
  std::shared_ptr<char> life_ = std::make_shared<char>();
  bool kills_ = false;
  bool writes_twice_ = false;  // a planted bug
  bool load_requested_ = false;
  bool away_ = false;
  std::optional<Turn> turn_;  // in flight
  bool handed_over_ = false;  // the turn is with the database
  bool checked_ = false;      // the judge has seen the committed turn
  // A planted bug: the turn that was reported as committed and is not yet stored.
  std::optional<Turn> unsaved_;
  std::vector<StoreEvent> events_;
};

}  // namespace cox::sim
