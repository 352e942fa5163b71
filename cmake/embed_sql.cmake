# cox_embed_sql(NAME [FOLDER...]): makes a library of the texts of sql/migrations, functions, views
# and queries, so that a program contains the schema that it was built for. Each FOLDER has further
# texts, in the same sub-folders. The accessors are in controller/io/postgres/sql_texts.h.
function(cox_embed_sql name)
  set(output ${CMAKE_BINARY_DIR}/generated/${name}/sql_texts.cpp)
  set(patterns "")
  foreach(folder ${CMAKE_SOURCE_DIR}/sql ${ARGN})
    foreach(kind migrations functions views queries)
      list(APPEND patterns ${folder}/${kind}/*.sql)
    endforeach()
  endforeach()
  file(GLOB_RECURSE sql_files CONFIGURE_DEPENDS ${patterns})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DFOLDERS=${CMAKE_SOURCE_DIR}/sql;${ARGN}"
            -P ${CMAKE_SOURCE_DIR}/cmake/write_sql_texts.cmake
    DEPENDS ${sql_files} ${CMAKE_SOURCE_DIR}/cmake/write_sql_texts.cmake
    VERBATIM)
  add_library(${name} STATIC ${output})
  target_link_libraries(${name} PUBLIC cox_options)
endfunction()
