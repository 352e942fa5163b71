// The limit of open descriptors of this process. A daemon raises it to the maximum. A program that
// a daemon starts for a job gets the previous limit, because programs may rely on a usual one:
// select() breaks above 1024, and some programs close every descriptor up to the limit. It is a
// library of its own, so that the supervisor can link it without ZeroMQ.
#pragma once

namespace cox {

// Raises the soft limit to the hard one. Call it once, at the start of a daemon's main().
void raise_descriptor_limit();

// Restores the soft limit that the process had before raise_descriptor_limit(). Called in a child
// before exec. Returns false if the limit was not raised.
bool restore_descriptor_limit();

}  // namespace cox
