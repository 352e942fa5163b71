# Several source files compiled as one (option COX_UNITY, on in the presets): most of the
# time goes into what the headers instantiate, messages above all, which is then made once for
# eight files (sixteen of tests) instead of once each. Measured: four test files 104 s instead of
# 290 s.
option(COX_UNITY "compile several source files as one" OFF)

# Names that only one file uses must differ within a folder. A table of columns, which needs many
# short names, keeps them in a namespace of its own (client/slurm/job_fields.cpp). The files here
# have names that a neighbour in their folder has, too.
set(cox_alone
    client/container_options.cpp client/control_options.cpp client/given_options.cpp
    client/io/doctor.cpp client/io/files.cpp client/io/logs.cpp client/io/private_postgres.cpp
    client/io/salloc.cpp client/io/sattach.cpp client/io/sbcast.cpp
    client/io/srun_components.cpp client/io/step_loop.cpp client/io/submit.cpp
    client/json_reports.cpp client/moment_format.cpp client/moments.cpp client/multi_prog.cpp
    client/node_state.cpp client/resource_options.cpp client/show_partitions.cpp
    client/show_queue.cpp client/slurm_import_accounts.cpp client/slurm_import_nodes.cpp
    client/slurm_import_partitions.cpp client/slurm_import_settings.cpp
    client/slurm_import_words.cpp client/step_option_table.cpp client/step_plan.cpp
    client/step_session_signals.cpp client/stored_options.cpp client/submit.cpp
    client/submit_option_table.cpp client/task_ends.cpp common/codec.cpp common/cpu_bind.cpp
    common/gpu_bind.cpp common/hostlist.cpp common/log_line.cpp common/tres_weights.cpp
    common/week_hours.cpp controller/act_on_array.cpp controller/dependants.cpp
    controller/io/postgres_store.cpp controller/qos_limits.cpp controller/reserve_whom.cpp
    controller/signal_jobs.cpp controller/waits.cpp schedule/fair_tree.cpp
    schedule/impossible.cpp schedule/in_the_way.cpp schedule/need.cpp schedule/order.cpp
    schedule/preempt.cpp schedule/quota.cpp simulate/cluster.cpp simulate/replay.cpp
    simulate/report_json.cpp simulate/slurm_conf.cpp simulate/slurm_sim.cpp
    tests/client/getopt_test.cpp tests/client/moment_format_test.cpp
    tests/client/options_in_effect_test.cpp tests/client/sacctmgr_show_test.cpp
    tests/client/sbcast_test.cpp tests/client/scancel_test.cpp tests/client/scontrol_test.cpp
    tests/client/sinfo_test.cpp tests/client/slurm_figures_test.cpp
    tests/client/step_plan_test.cpp tests/client/submit_options_test.cpp
    tests/common/gpu_islands_test.cpp tests/common/partition_test.cpp
    tests/schedule/explain_test.cpp tests/schedule/in_the_way_test.cpp
    tests/schedule/limit_test.cpp tests/schedule/timeline_test.cpp
    tests/schedule/topology_test.cpp tests/sim/dependency_judge.cpp
    tests/simulate/report_test.cpp tests/worker/pmi_server_test.cpp
    tests/worker/step_environment_test.cpp tests/worker/step_run_test.cpp
    tests/worker/supervision_steps_test.cpp tests/worker/supervision_test.cpp
    worker/io/usage_reader.cpp worker/stepd/io/stepd.cpp worker/stepd/step_run.cpp
    worker/supervisor/io/seal.cpp worker/supervisor/io/status_journal.cpp)

# cox_unity(SOURCES_VARIABLE NAME FOLDER): the list of a target's sources becomes one of files that
# include eight of them each, or sixteen of tests. By paths relative to the root, unlike CMake's own
# UNITY_BUILD, so that ccache knows them again in another clone.
function(cox_unity sources_variable name folder)
  # The shells' files are alike by design: each writes the same parts of its completions.
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
