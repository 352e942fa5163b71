# What is installed, and where below the prefix. The prefix may be moved as a whole, because
# programs find each other relative to their own place. Each component is a package: client,
# controller, worker.
include(GNUInstallDirs)

install(TARGETS cox cox-simulate DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT client)
install(TARGETS cox-controller DESTINATION ${CMAKE_INSTALL_SBINDIR} COMPONENT controller)
install(TARGETS cox-worker DESTINATION ${CMAKE_INSTALL_SBINDIR} COMPONENT worker)
install(TARGETS cox-supervisor cox-stepd DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/coxswain
        COMPONENT worker)

# Slurm's commands, as links to cox.
set(slurm_names sbatch srun salloc sbcast sattach squeue scancel sinfo sacct seff sstat sacctmgr
    scontrol sprio sshare sdiag sreport scrontab strigger)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/links/completions)
foreach(name ${slurm_names})
  file(CREATE_LINK cox ${CMAKE_BINARY_DIR}/links/${name} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/links/${name} DESTINATION ${CMAKE_INSTALL_BINDIR}
          COMPONENT client)
endforeach()

# Tools call these with -V to get Slurm's version.
foreach(name slurmctld slurmd)
  file(CREATE_LINK cox ${CMAKE_BINARY_DIR}/links/${name} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/links/${name} DESTINATION ${CMAKE_INSTALL_BINDIR}
          COMPONENT client)
endforeach()

# Man pages and completions, made from the tables of --help. Other files below manual/man are
# installed too.
set(manual ${CMAKE_BINARY_DIR}/manual)
add_custom_command(
  OUTPUT ${manual}/man/man1/cox.1
  COMMAND cox-manual ${manual} $<TARGET_FILE:cox-controller> $<TARGET_FILE:cox-worker>
  DEPENDS cox-manual cox-controller cox-worker
  COMMENT "writing man pages and completions")
# The reference of the configuration, made from the file that explains every key.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(configuration_page ${manual}/man/man5/coxswain.toml.5)
add_custom_command(
  OUTPUT ${configuration_page}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}/man/man5
  COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/docs/make_configuration.py
          --man ${configuration_page}
  DEPENDS docs/make_configuration.py etc/coxswain.toml)
add_custom_target(manual ALL DEPENDS ${manual}/man/man1/cox.1 ${configuration_page})

set(share ${CMAKE_INSTALL_DATAROOTDIR})
install(DIRECTORY ${manual}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT client
        PATTERN "man8" EXCLUDE)
foreach(daemon controller worker)
  install(FILES ${manual}/man/man8/cox-${daemon}.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8
          COMPONENT ${daemon})
endforeach()
install(DIRECTORY ${manual}/bash-completion ${manual}/zsh ${manual}/fish DESTINATION ${share}
        COMPONENT client)
# bash loads the file that has the command's name.
foreach(name ${slurm_names})
  file(CREATE_LINK cox ${CMAKE_BINARY_DIR}/links/completions/${name} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/links/completions/${name}
          DESTINATION ${share}/bash-completion/completions COMPONENT client)
endforeach()

# The programs contain the SQL; these copies are for administrators to read.
install(DIRECTORY sql DESTINATION ${share}/coxswain COMPONENT controller PATTERN "tests" EXCLUDE)
install(FILES etc/coxswain.toml DESTINATION ${share}/coxswain COMPONENT client)
install(DIRECTORY etc/containers DESTINATION ${share}/coxswain COMPONENT client)
install(DIRECTORY demo examples DESTINATION ${share}/coxswain COMPONENT client
        PATTERN "__pycache__" EXCLUDE)
# Debian's Python looks here; below another prefix users set PYTHONPATH.
install(DIRECTORY python/coxswain DESTINATION lib/python3/dist-packages COMPONENT client
        PATTERN "__pycache__" EXCLUDE PATTERN "README.md" EXCLUDE)
install(FILES README.md ARCHITECTURE.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT client)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT client)

# A systemd unit has the absolute path of its program, which is known only at installation. CPack
# installs into a folder of its own what will be below /usr.
foreach(daemon controller worker)
  set(unit coxswain-${daemon}.service)
  install(CODE "
    set(CMAKE_INSTALL_FULL_SBINDIR \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_SBINDIR})
    if(CMAKE_INSTALL_PREFIX MATCHES \"/_CPack_Packages/\")
      set(CMAKE_INSTALL_FULL_SBINDIR /usr/${CMAKE_INSTALL_SBINDIR})
    endif()
    configure_file(${CMAKE_SOURCE_DIR}/etc/systemd/${unit}.in ${CMAKE_BINARY_DIR}/${unit} @ONLY)"
    COMPONENT ${daemon})
  install(FILES ${CMAKE_BINARY_DIR}/${unit} DESTINATION lib/systemd/system COMPONENT ${daemon})
endforeach()
