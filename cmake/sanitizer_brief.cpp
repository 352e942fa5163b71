// The defaults of AddressSanitizer in the programs that the tests start by the thousand: the
// commands, the supervisors and cox-stepd. They replace those of sanitizer_defaults.cpp.

// The search for leaks and the watch on global variables take three quarters of the time of a
// program that runs briefly (cox --version 34 ms instead of 136). Its leaks end with it, and the
// unit tests of the same code and the daemons have both checks.
extern "C" const char* __asan_default_options() {
  return "malloc_context_size=1:quarantine_size_mb=16:detect_leaks=0:report_globals=0";
}
