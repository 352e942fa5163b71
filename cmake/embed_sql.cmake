# cox_embed_sql(NAME): a library that holds the text of sql/migrations and sql/queries, so that a
# program carries the schema it was built for. See controller/io/postgres/sql_texts.h for the
# accessors. A FOLDER behind it has migrations that come after those.
function(cox_embed_sql name)
  file(GLOB sql_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sql/migrations/*.sql
       ${CMAKE_SOURCE_DIR}/sql/queries/*.sql)
  foreach(folder ${ARGN})
    file(GLOB later CONFIGURE_DEPENDS ${folder}/*.sql)
    list(APPEND sql_files ${later})
  endforeach()
  set(output ${CMAKE_BINARY_DIR}/generated/${name}/sql_texts.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DROOT=${CMAKE_SOURCE_DIR} -DLATER=${ARGN}
            -P ${CMAKE_SOURCE_DIR}/cmake/write_sql_texts.cmake
    DEPENDS ${sql_files} ${CMAKE_SOURCE_DIR}/cmake/write_sql_texts.cmake
    VERBATIM)
  add_library(${name} STATIC ${output})
  target_link_libraries(${name} PUBLIC cox_options)
endfunction()
