# Compiles several source files as one (option COX_UNITY, on in the presets). Most of the time goes
# into templates that the headers instantiate, messages above all. They are then instantiated once
# for eight files (sixteen of tests). Measured: four test files take 104 s instead of 290 s.
option(COX_UNITY "compile several source files as one" OFF)

# Names in anonymous namespaces must differ within a folder and its rooms. A table of columns, which
# needs many short names, keeps them in a namespace of its own (client/slurm/list/job_fields.cpp).
# The files here are compiled alone, because another file of their folder uses the same names.
set(cox_alone
    client/io/logs.cpp client/io/private/doctor.cpp
    client/io/private/files.cpp client/io/private/private_postgres.cpp client/io/step/salloc.cpp
    client/io/step/sattach.cpp client/io/step/sbcast.cpp client/io/step/srun_components.cpp
    client/io/step/step_loop.cpp client/io/submit.cpp client/options/container_options.cpp
    client/options/given_options.cpp client/options/resource_options.cpp
    client/options/step_option_table.cpp client/options/stored_options.cpp
    client/options/submit_option_table.cpp
    client/setup/slurm_import_accounts.cpp client/setup/slurm_import_nodes.cpp
    client/setup/slurm_import_partitions.cpp client/setup/slurm_import_settings.cpp
    client/setup/slurm_import_words.cpp client/show/json_reports.cpp client/show/show_partitions.cpp
    client/show/show_queue.cpp client/step/multi_prog.cpp client/step/step_plan.cpp
    client/step/step_session_signals.cpp client/step/task_ends.cpp client/submit/submit.cpp
    client/text/moment_format.cpp client/text/moments.cpp client/text/node_state.cpp
    common/base/hostlist.cpp common/base/log_line.cpp common/messages/codec.cpp
    common/resources/tres_weights.cpp common/syntax/cpu_bind.cpp common/syntax/gpu_bind.cpp
    common/syntax/week_hours.cpp controller/io/records/postgres_store.cpp
    controller/limits/qos_limits.cpp controller/operate/act_on_array.cpp
    controller/operate/reservation_access.cpp controller/operate/signal_jobs.cpp
    controller/scheduling/waits.cpp controller/job/dependants.cpp
    schedule/explain/blocking_reservations.cpp schedule/explain/why_never_fits.cpp
    schedule/pass/preempt.cpp schedule/place/matcher.cpp schedule/queue/fair_tree.cpp
    schedule/queue/order.cpp schedule/queue/quota.cpp simulate/report/report_json.cpp
    simulate/run/replay.cpp simulate/trace/cluster.cpp simulate/trace/slurm_conf.cpp
    simulate/trace/slurm_sim.cpp tests/client/io/step/sbcast_test.cpp
    tests/client/options/getopt_test.cpp tests/client/options/options_in_effect_test.cpp
    tests/client/options/submit_options_test.cpp tests/client/slurm/control/scontrol_test.cpp
    tests/client/slurm/list/scancel_test.cpp tests/client/slurm/list/sinfo_test.cpp
    tests/client/slurm/records/sacctmgr_show_test.cpp tests/client/slurm_figures_test.cpp
    tests/client/step/step_plan_test.cpp tests/client/text/moment_format_test.cpp
    tests/common/cluster/gpu_islands_test.cpp tests/common/cluster/partition_test.cpp
    tests/schedule/explain/blocking_reservations_test.cpp
    tests/schedule/explain/explain_test.cpp tests/schedule/model/limit_test.cpp
    tests/schedule/pass/timeline_test.cpp tests/schedule/top/topology_test.cpp
    tests/sim/dependency_judge.cpp tests/simulate/report/report_test.cpp
    tests/worker/stepd/pmi_server_test.cpp tests/worker/stepd/step_environment_test.cpp
    tests/worker/stepd/step_run_test.cpp tests/worker/supervisor/supervision_steps_test.cpp
    tests/worker/supervisor/supervision_test.cpp worker/io/usage_reader.cpp
    worker/stepd/io/stepd.cpp worker/stepd/step_run.cpp worker/supervisor/io/files/seal.cpp
    worker/supervisor/io/files/status_journal.cpp)

# cox_unity(SOURCES_VARIABLE NAME FOLDER): replaces the list of a target's sources by generated
# files. Each of them includes eight sources, or sixteen of tests, in the order of their names. The
# includes are relative to the root, unlike those of CMake's UNITY_BUILD, so that clones share
# ccache's objects.
function(cox_unity sources_variable name folder)
  # The files of client/manual use the same names on purpose: each writes the same parts of the
  # completions of one shell.
  if(NOT COX_UNITY OR folder MATCHES "client/manual")
    return()
  endif()
  set(together 8)
  if(folder MATCHES "^tests/")
    set(together 16)
  endif()
  set(compiled "")
  set(content "")
  set(held 0)
  set(count 0)
  list(SORT ${sources_variable} COMPARE FILE_BASENAME)
  foreach(source ${${sources_variable}})
    file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR} ${source})
    if(relative IN_LIST cox_alone)
      list(APPEND compiled ${source})
      continue()
    endif()
    string(APPEND content "#include \"${relative}\"\n")
    math(EXPR held "${held} + 1")
    if(held EQUAL together)
      list(APPEND compiled ${CMAKE_BINARY_DIR}/unity/${name}_${count}.cpp)
      file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/unity/${name}_${count}.cpp CONTENT "${content}")
      math(EXPR count "${count} + 1")
      set(held 0)
      set(content "")
    endif()
  endforeach()
  if(held GREATER 0)
    list(APPEND compiled ${CMAKE_BINARY_DIR}/unity/${name}_${count}.cpp)
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/unity/${name}_${count}.cpp CONTENT "${content}")
  endif()
  set(${sources_variable} ${compiled} PARENT_SCOPE)
endfunction()
