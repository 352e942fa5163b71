# Compiles several source files as one. Most of the time goes into templates that the headers
# instantiate, messages above all, and they are then instantiated once for all files of a unit.
# Measured with sanitizers: 32 files of controller/ take 121 s as four units of eight, 77 s as one.
# A compiler needs up to 3 GB for a unit of 32 tests.
set(COX_UNITY 0 CACHE STRING "how many source files to compile as one; 0: each is compiled alone")

# Names in anonymous namespaces must differ within a folder and its rooms. A table of columns, which
# needs many short names, keeps them in a namespace of its own (client/slurm/list/job_fields.cpp).
# The files of each list here use names that other files of their folder use too, but none that
# another file of the same list uses. So those of one list and folder are compiled together.
set(cox_apart_1
    client/io/logs.cpp client/io/private/doctor.cpp client/io/private/files.cpp
    client/io/private/private_cluster_down.cpp client/io/step/sattach.cpp
    client/io/step/sbcast.cpp client/io/step/srun_components.cpp client/io/step/step_loop.cpp
    client/io/submit.cpp client/options/given_options.cpp client/show/json_reports.cpp
    client/show/show_partitions.cpp client/show/show_queue.cpp client/step/step_plan.cpp
    client/step/step_session_signals.cpp client/submit/submit.cpp client/text/moment_format.cpp
    client/text/node_state.cpp common/base/hostlist.cpp common/messages/codec.cpp
    common/resources/tres_weights.cpp common/syntax/cpu_bind.cpp controller/attempt/attempt.cpp
    controller/io/records/postgres_store.cpp controller/job/dependants.cpp
    controller/ledger/checkpoints.cpp controller/limits/qos_limits.cpp controller/operate/act.cpp
    schedule/explain/blocking_reservations.cpp schedule/pass/preempt.cpp
    schedule/place/matcher.cpp schedule/queue/order.cpp schedule/queue/quota.cpp
    simulate/report/report_json.cpp simulate/run/replay.cpp simulate/run/weights.cpp
    simulate/trace/cluster.cpp simulate/trace/slurm_sim.cpp tests/client/io/step/sbcast_test.cpp
    tests/client/io/strigger_test.cpp tests/client/options/getopt_test.cpp
    tests/client/options/options_in_effect_test.cpp tests/client/options/submit_options_test.cpp
    tests/client/slurm/control/scontrol_test.cpp tests/client/slurm/records/sacctmgr_show_test.cpp
    tests/client/slurm_figures_test.cpp tests/client/text/moment_format_test.cpp
    tests/common/cluster/gpu_islands_test.cpp tests/common/cluster/partition_test.cpp
    tests/schedule/explain/blocking_reservations_test.cpp tests/schedule/model/limit_test.cpp
    tests/schedule/pass/timeline_test.cpp tests/schedule/top/topology_test.cpp
    tests/sim/dependency_judge.cpp tests/simulate/report/report_test.cpp
    tests/worker/stepd/pmi_server_test.cpp tests/worker/stepd/step_binding_test.cpp
    tests/worker/stepd/step_environment_test.cpp worker/io/usage_reader.cpp
    worker/stepd/io/stepd.cpp worker/stepd/step_run.cpp worker/supervisor/io/files/seal.cpp
    worker/supervisor/io/files/status_journal.cpp)
set(cox_apart_2
    client/io/private/private_cluster_up.cpp client/io/step/salloc.cpp
    client/setup/slurm_import_nodes.cpp client/setup/slurm_import_partitions.cpp
    client/setup/slurm_import_words.cpp client/step/task_ends.cpp client/text/moments.cpp
    common/base/log_line.cpp common/syntax/cron_schedule.cpp common/syntax/gpu_bind.cpp
    common/syntax/week_hours.cpp controller/operate/act_on_array.cpp
    controller/operate/reservation_access.cpp controller/scheduling/waits.cpp
    schedule/explain/why_never_fits.cpp schedule/queue/fair_tree.cpp simulate/trace/slurm_conf.cpp
    tests/client/slurm/list/scancel_test.cpp tests/client/slurm/list/sinfo_test.cpp
    tests/client/step/step_plan_test.cpp tests/schedule/explain/explain_test.cpp
    tests/worker/stepd/step_run_test.cpp tests/worker/supervisor/task_prolog_lines_test.cpp)
set(cox_apart_3
    client/io/private/private_postgres.cpp client/setup/slurm_import_accounts.cpp
    client/setup/slurm_import_settings.cpp controller/operate/signal_jobs.cpp
    tests/worker/supervisor/supervision_steps_test.cpp
    tests/worker/supervisor/supervision_test.cpp)

# cox_unity(SOURCES_VARIABLE NAME FOLDER): replaces the list of a target's sources by generated
# files. Each of them includes up to COX_UNITY sources, in the order of their names. The includes
# are relative to the root, unlike those of CMake's UNITY_BUILD, so that clones share ccache's
# objects.
function(cox_unity sources_variable name folder)
  # The files of client/manual use the same names on purpose: each writes the same parts of the
  # completions of one shell.
  if(NOT COX_UNITY OR folder MATCHES "client/manual")
    return()
  endif()
  set(compiled "")
  list(SORT ${sources_variable} COMPARE FILE_BASENAME)
  foreach(source ${${sources_variable}})
    file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR} ${source})
    set(unit ${name})
    foreach(list 1 2 3)
      if(relative IN_LIST cox_apart_${list})
        set(unit ${name}_apart_${list})
      endif()
    endforeach()
    list(LENGTH held_${unit} held)
    math(EXPR number "${held} / ${COX_UNITY}")
    list(APPEND held_${unit} ${relative})
    set(file ${CMAKE_BINARY_DIR}/unity/${unit}_${number}.cpp)
    list(APPEND compiled ${file})
    string(APPEND content_${unit}_${number} "#include \"${relative}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES compiled)
  foreach(file ${compiled})
    cmake_path(GET file STEM unit)
    file(GENERATE OUTPUT ${file} CONTENT "${content_${unit}}")
  endforeach()
  set(${sources_variable} ${compiled} PARENT_SCOPE)
endfunction()
