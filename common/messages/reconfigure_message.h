// The request of `scontrol reconfigure`. client_messages.h has the other messages.
#pragma once

namespace cox {

// The leading controller reads its settings file again: it checks the file and starts anew with it.
// The reply is Acted. A file with a mistake is refused, and the controller keeps its settings.
struct Reconfigure {
  static constexpr int tag = 139;
  static constexpr int since_version = 2;
  template <class Self, class Visit>
  static void fields(Self&, Visit&& visit) {
    visit();
  }
};

}  // namespace cox
