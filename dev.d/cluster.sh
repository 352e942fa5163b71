# The commands `cluster`, `psql` and `demo`.

cox=build/default/bin/cox

cluster() {
  case ${1:-} in
    down) "$cox" down ;;
    [1-9] | [1-9][0-9])
      need $packages_cluster
      build_programs
      "$cox" up --nodes "$1"
      echo "try: $cox nodes; $cox submit -N2 -n4 -- hostname; ./dev psql; ./dev cluster down"
      ;;
    *)
      echo "./dev cluster: give the number of nodes (1 to 99), or down" >&2
      return 2
      ;;
  esac
}

# database_of CONFIG: prints PostgreSQL's connection string from this coxswain.toml.
database_of() {
  [ -r "$1" ] && /usr/bin/python3 - "$1" <<'END'
import sys, tomllib
with open(sys.argv[1], "rb") as file:
    print(tomllib.load(file)["controller"]["database"])
END
}

# Connects as the read-only role. Its timeouts keep a forgotten transaction from slowing down the
# controller.
open_psql() {
  local config=${COX_CONFIG:-$HOME/.local/state/coxswain/coxswain.toml} database
  if ! database=$(database_of "$config"); then
    echo "./dev psql: there is no cluster ($config is missing); ./dev cluster 4 starts one" >&2
    return 1
  fi
  psql -d "$database user=cox_reader" "$@"
}

demo() {
  need $packages_demo
  build_programs
  PATH=$PWD/build/default/bin:$PATH /usr/bin/python3 demo/demo.py "$@"
}
