// How many descriptors this process may have open. A daemon takes all it may; what a job starts
// gets what was usual before, since a program may take the limit for what it should use (select()
// breaks above 1024, and some close every descriptor up to it). Alone in its library, so that the
// supervisor can link it.
#pragma once

namespace cox {

// Once, at the start of a daemon's main(): from the soft limit to the hard one.
void raise_descriptor_limit();

// Back to the soft limit there was before: for a child before its exec. False: it was not raised.
bool restore_descriptor_limit();

}  // namespace cox
