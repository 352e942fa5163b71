// The defaults of AddressSanitizer in all programs that are built with it. ASAN_OPTIONS overrides
// them. CMakeLists.txt links this file into each of these programs.

// A report shows five calls of each allocation's stack, not thirty. AddressSanitizer watches the
// last 16 MB of freed memory, not 256: the first use of each page is a page fault. On a virtual
// machine with slow page faults these took 40 % of the simulator's time. If you need more, run a
// single test again with ASAN_OPTIONS.
//
// By the exit code ./dev test distinguishes an error that a sanitizer found from a failed test (1).
//
// It is weak, since sanitizer_brief.cpp has other defaults for some programs.
extern "C" __attribute__((weak)) const char* __asan_default_options() {
  return "malloc_context_size=5:quarantine_size_mb=16:exitcode=23";
}
