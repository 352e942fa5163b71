# Writes OUTPUT: a C++ table of every .sql file below migrations, functions, views and queries in
# each of FOLDERS, by the file's name. No two files of a kind have the same name. The tables are
# plain arrays: as an initialised vector they would take ten times as long to compile.
cmake_policy(SET CMP0057 NEW)  # IN_LIST
set(text "#include \"controller/io/postgres/sql_texts.h\"\n\nnamespace cox {\nnamespace {\n")
string(APPEND text "
template <std::size_t count>
std::vector<SqlText> texts_of(const char* const (&rows)[count][2]) {
  std::vector<SqlText> texts;
  for (const auto& row : rows) texts.push_back({row[0], row[1]});
  return texts;
}
")
set(accessors "")
foreach(kind migrations functions views queries)
  string(APPEND text "\nconstexpr const char* ${kind}[][2] = {\n")
  set(stems "")
  foreach(folder ${FOLDERS})
    file(GLOB_RECURSE files ${folder}/${kind}/*.sql)
    list(SORT files)
    foreach(path ${files})
      get_filename_component(stem ${path} NAME_WE)
      if(stem IN_LIST stems)
        message(FATAL_ERROR "two files in sql/${kind} have the name ${stem}.sql")
      endif()
      list(APPEND stems ${stem})
      file(READ ${path} sql)
      string(APPEND text "    {\"${stem}\", R\"sql(${sql})sql\"},\n")
    endforeach()
  endforeach()
  string(APPEND text "};\n")
  string(APPEND accessors "
const std::vector<SqlText>& sql_${kind}() {
  static const std::vector<SqlText> texts = texts_of(${kind});
  return texts;
}
")
endforeach()
file(WRITE ${OUTPUT} "${text}\n}  // namespace\n${accessors}\n}  // namespace cox\n")
