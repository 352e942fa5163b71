// Tests how a controller brings a database to its schema: by migrations, then functions and views.
#include "controller/io/postgres/schema.h"

#include "tests/store/store_bench.h"

namespace cox::test {
namespace {

struct SchemaTest : OnPostgres {
  SchemaTest() : OnPostgres(PrivatePostgres::shared().new_database()) {}

  // Returns the SQL texts of this program's schema, with `from` replaced by `to` in the view
  // `name`.
  static SchemaTexts with_view(const std::string& name, const std::string& from,
                               const std::string& to) {
    SchemaTexts texts;
    for (SqlText& view : texts.views) {
      if (view.name != name) continue;
      const std::size_t found = view.text.find(from);
      EXPECT_NE(found, std::string::npos) << from;
      view.text.replace(found, from.size(), to);
    }
    return texts;
  }
  std::string columns_of(const std::string& view) {
    return sql(
        "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute\n"
        "  WHERE attrelid = 'cox." +
        view + "'::regclass AND attnum > 0");
  }
};

const std::string events_end = "e.why, e.actor\n";

TEST_F(SchemaTest, ANewerDatabaseIsRefused) {
  ASSERT_FALSE(migrate_schema(servers));
  ASSERT_FALSE(migrate_schema(servers)) << "a second migration changes nothing";
  SchemaTexts future;
  future.migrations.push_back({"999_future", "CREATE TABLE cox.future (id bigint)"});
  ASSERT_FALSE(migrate_schema(servers, future));
  const Failure refused = migrate_schema(servers);
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->fact.find("version 999"), std::string::npos) << refused->fact;
}

TEST_F(SchemaTest, AChangedMigrationIsRefused) {
  ASSERT_FALSE(migrate_schema(servers));
  SchemaTexts changed;
  changed.migrations[0].text += "-- an afterthought\n";
  const Failure refused = migrate_schema(servers, changed);
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->fact.find("100_baseline"), std::string::npos) << refused->fact;
}

TEST_F(SchemaTest, AFailedMigrationLeavesNothing) {
  SchemaTexts broken;
  broken.migrations.push_back({"999_broken", "CREATE TABLE cox.half (id bigint); SELECT 1 / 0"});
  EXPECT_TRUE(migrate_schema(servers, broken));
  EXPECT_EQ(sql("SELECT to_regclass('cox.half') IS NULL"), "t");
  EXPECT_FALSE(migrate_schema(servers));
}

TEST_F(SchemaTest, ADatabaseFromBeforeTheFirstReleaseIsRefused) {
  sql("CREATE SCHEMA cox; CREATE TABLE cox.schema_version (version integer, checksum text);\n"
      "INSERT INTO cox.schema_version VALUES (1, 'x'), (62, 'y')");
  const Failure refused = migrate_schema(servers);
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->fact.find("before the first release"), std::string::npos) << refused->fact;
  EXPECT_EQ(sql("SELECT to_regclass('cox.job') IS NULL"), "t");
}

// The program finds the views and functions that it must drop by the names of their files.
TEST_F(SchemaTest, EachViewAndFunctionHasAFileOfItsName) {
  ASSERT_FALSE(migrate_schema(servers));
  const auto names_of = [](const std::vector<SqlText>& texts) {
    std::string names;
    for (const SqlText& text : texts) names += (names.empty() ? "" : "\n") + text.name;
    return names;
  };
  EXPECT_EQ(sql("SELECT relname FROM pg_class WHERE relnamespace = 'cox'::regnamespace\n"
                "  AND relkind = 'v' ORDER BY relname COLLATE \"C\""),
            names_of(sql_views()));
  EXPECT_EQ(sql("SELECT proname FROM pg_proc WHERE pronamespace = 'cox'::regnamespace\n"
                "  AND proname NOT IN ('is_tres', 'is_tres_by_hours')  -- of the baseline\n"
                "  ORDER BY proname COLLATE \"C\""),
            names_of(sql_functions()));
}

TEST_F(SchemaTest, ViewsAndFunctionsAreAppliedOnlyWhenATextHasChanged) {
  ASSERT_FALSE(migrate_schema(servers));
  sql("COMMENT ON VIEW cox.events IS 'mine'; COMMENT ON FUNCTION cox.timeline() IS 'mine'");
  const std::string comments =
      "SELECT obj_description('cox.events'::regclass, 'pg_class'),\n"
      "       obj_description('cox.timeline'::regproc, 'pg_proc')";
  ASSERT_FALSE(migrate_schema(servers));
  EXPECT_EQ(sql(comments), "mine|mine");
  ASSERT_FALSE(migrate_schema(servers, with_view("nodes", "CREATE", "-- changed\nCREATE")));
  EXPECT_EQ(sql(comments).find("mine"), std::string::npos) << sql(comments);
}

TEST_F(SchemaTest, AddingAColumnToAViewKeepsGrantsAndDependentViews) {
  ASSERT_FALSE(migrate_schema(servers));
  sql("CREATE VIEW public.mine AS SELECT * FROM cox.events; GRANT SELECT ON cox.events TO PUBLIC");
  ASSERT_FALSE(
      migrate_schema(servers, with_view("events", events_end, "e.why, e.actor, 1 AS more\n")));
  EXPECT_EQ(columns_of("events"), "sequence state at job_id attempt what why actor more");
  EXPECT_EQ(sql("SELECT count(*) FROM public.mine"), "0");
  EXPECT_EQ(sql("SELECT relacl::text LIKE '%,=r/%' FROM pg_class\n"
                "  WHERE oid = 'cox.events'::regclass"),
            "t");
}

TEST_F(SchemaTest, RemovingAColumnIsRefusedIfAForeignViewDependsOnTheView) {
  ASSERT_FALSE(migrate_schema(servers));
  SchemaTexts texts = with_view("events", events_end, "e.why\n");
  for (SqlText& view : texts.views)
    if (view.name == "events") view.text.resize(view.text.find("COMMENT ON"));
  sql("CREATE VIEW public.mine AS SELECT * FROM cox.nodes");
  const Failure refused = migrate_schema(servers, texts);
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->fact.find("view public.mine depends on view cox.nodes"), std::string::npos)
      << refused->fact;
  EXPECT_EQ(columns_of("events"), "sequence state at job_id attempt what why actor");
  sql("DROP VIEW public.mine");
  ASSERT_FALSE(migrate_schema(servers, texts));
  EXPECT_EQ(columns_of("events"), "sequence state at job_id attempt what why");
  EXPECT_EQ(sql("SELECT has_table_privilege('cox_reader', 'cox.queue', 'SELECT')"), "t");
  ASSERT_FALSE(migrate_schema(servers)) << "the text has changed back";
  EXPECT_EQ(columns_of("events"), "sequence state at job_id attempt what why actor");
}

TEST_F(SchemaTest, AColumnOfAViewMayGetAnotherType) {
  ASSERT_FALSE(migrate_schema(servers));
  const std::string type =
      "SELECT format_type(atttypid, atttypmod) FROM pg_attribute\n"
      "  WHERE attrelid = 'cox.events'::regclass AND attname = 'why'";
  ASSERT_EQ(sql(type), "text");
  ASSERT_FALSE(migrate_schema(
      servers, with_view("events", events_end, "e.why::varchar(9) AS why, e.actor\n")));
  EXPECT_EQ(sql(type), "character varying(9)");
  EXPECT_EQ(sql("SELECT has_table_privilege('cox_reader', 'cox.events', 'SELECT')"), "t");
}

// While it waits for the lock, every later reader of the view waits too.
TEST_F(SchemaTest, AViewInUseIsNotWaitedForWithoutABound) {
  ASSERT_FALSE(migrate_schema(servers));
  SqlSession reader(conninfo);
  reader.run("BEGIN; SELECT count(*) FROM cox.events");
  const SchemaTexts texts = with_view("events", events_end, "e.why, e.actor, 1 AS more\n");
  const Failure refused = migrate_schema(servers, texts);
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->fact.find("lock timeout"), std::string::npos) << refused->fact;
  EXPECT_NE(refused->hint.find("pg_stat_activity"), std::string::npos);
  reader.run("COMMIT");
  EXPECT_FALSE(migrate_schema(servers, texts));
}

TEST_F(SchemaTest, AnObjectThatAMigrationDroppedIsAppliedAgainWithTheSameText) {
  ASSERT_FALSE(migrate_schema(servers));
  SchemaTexts texts;
  texts.migrations.push_back({"999_wider",
                              "DROP VIEW cox.reservations; DROP FUNCTION cox.keep_qos() CASCADE;\n"
                              "ALTER TABLE cox.reservation ALTER changed_by TYPE varchar"});
  ASSERT_FALSE(migrate_schema(servers, texts));
  EXPECT_EQ(sql("SELECT count(*) FROM cox.reservations"), "0");
  EXPECT_TRUE(sql("DELETE FROM cox.qos").starts_with("ERROR 23001"))
      << "the triggers are there again";
}

TEST_F(SchemaTest, AViewThatFailsLeavesTheViewsAndFunctionsAsTheyWere) {
  ASSERT_FALSE(migrate_schema(servers));
  SchemaTexts texts = with_view("events", "cox.job_event", "cox.no_such_table");
  texts.functions.push_back({"half", "CREATE FUNCTION cox.half() RETURNS void LANGUAGE sql AS ''"});
  const Failure refused = migrate_schema(servers, texts);
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->fact.find("cox.no_such_table"), std::string::npos) << refused->fact;
  EXPECT_EQ(sql("SELECT to_regproc('cox.half') IS NULL"), "t");
  ASSERT_FALSE(migrate_schema(servers));
}

}  // namespace
}  // namespace cox::test
