# The Debian packages: cmake --build build/default --target package. `./dev packages` makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME coxswain)
set(CPACK_PACKAGE_CONTACT "Coxswain's makers <coxswain@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL client controller worker)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_COMPONENT_CLIENT_DESCRIPTION "batch job queue for gangs of ranks: client
 The cox command, which also answers as sbatch, srun, squeue, scancel and sinfo; its manual,
 completions and the example of the configuration; the Python module coxswain.")
set(CPACK_COMPONENT_CONTROLLER_DESCRIPTION "batch job queue for gangs of ranks: controller
 The program that owns a cluster's state, in PostgreSQL, and decides what runs where.")
set(CPACK_COMPONENT_WORKER_DESCRIPTION "batch job queue for gangs of ranks: worker
 The program that runs on each node and starts the ranks it is given. Jobs that run outlive a
 restart or an upgrade of it.")
set(CPACK_COMPONENT_CONTROLLER_DEPENDS client)
set(CPACK_COMPONENT_WORKER_DEPENDS client)

# Debian's slurm-client contains /usr/bin/sbatch too.
set(CPACK_DEBIAN_CLIENT_PACKAGE_CONFLICTS slurm-client)
set(CPACK_DEBIAN_CLIENT_PACKAGE_SUGGESTS
    "coxswain-controller, coxswain-worker, python3-torch, python3-numpy")
set(CPACK_DEBIAN_CONTROLLER_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_CONTROLLER_PACKAGE_RECOMMENDS postgresql)
foreach(component client controller worker)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME coxswain-${component})
  file(GLOB scripts ${CMAKE_SOURCE_DIR}/etc/debian/${component}/*)
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${scripts})
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_STRICT_PERMISSION ON)
endforeach()
include(CPack)
