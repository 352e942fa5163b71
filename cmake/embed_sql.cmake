# cox_embed_sql(NAME): a library that holds the text of sql/migrations and sql/queries, so that a
# program carries the schema it was built for. See controller/io/sql_texts.h for the accessors.
function(cox_embed_sql name)
  file(GLOB sql_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sql/migrations/*.sql
       ${CMAKE_SOURCE_DIR}/sql/queries/*.sql)
  set(output ${CMAKE_BINARY_DIR}/generated/sql_texts.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DROOT=${CMAKE_SOURCE_DIR}
            -P ${CMAKE_SOURCE_DIR}/cmake/write_sql_texts.cmake
    DEPENDS ${sql_files} ${CMAKE_SOURCE_DIR}/cmake/write_sql_texts.cmake
    VERBATIM)
  add_library(${name} STATIC ${output})
  target_link_libraries(${name} PUBLIC cox_options)
endfunction()
