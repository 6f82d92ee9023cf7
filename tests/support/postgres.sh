# postgres.sh - a PostgreSQL of our own in a temporary folder, for tests of the fleet;
# sourced behind e2e.sh. As root it runs as nobody, which it insists on.
#   postgres_begin [SETTING=VALUE...]   starts it: $db is its conninfo, $pg its folder
#   postgres_stop [fast|immediate], postgres_start, postgres_end
#   sql TEXT...                         what psql says, bare
pg_bin=$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | sort -V | tail -1)
command -v initdb > /dev/null && pg_bin=$(dirname "$(realpath "$(command -v initdb)")")
as_postgres() {
    if [ "$(id -u)" = 0 ]; then (cd / && setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"); else "$@"; fi
}
postgres_start() {
    local settings="-c listen_addresses=${pg_listen:-} -c port=${pg_port:-5432} -c unix_socket_directories=$pg -c fsync=${pg_fsync:-off}" s
    for s in "${pg_settings[@]}"; do settings+=" -c $s"; done
    as_postgres env ${pg_preload:+LD_PRELOAD=$pg_preload} "$pg_bin/pg_ctl" -D "$pg/data" -s -w -t 60 -l "$pg/log" -o "$settings" start > /dev/null
}
postgres_stop() { as_postgres "$pg_bin/pg_ctl" -D "$pg/data" -s -w -m "${1:-fast}" stop > /dev/null 2>&1; }
postgres_begin() {
    pg_settings=("$@")
    pg=$(mktemp -d "${TMPDIR:-/tmp}/platen-pg.XXXXXX")
    [ "$(id -u)" != 0 ] || chown nobody "$pg"
    as_postgres "$pg_bin/initdb" -D "$pg/data" -U platen -A trust -E UTF8 --locale=C --no-sync > "$pg.init" 2>&1 &&
        postgres_start && "$pg_bin/psql" -h "$pg" -U platen -d postgres -qc 'CREATE DATABASE fleet' || {
        cat "$pg.init" "$pg/log" 2> /dev/null; return 1; }
    db="host=$pg user=platen dbname=fleet"
}
postgres_end() {
    [ -n "${pg:-}" ] || return
    postgres_stop immediate
    rm -rf "$pg" "$pg.init"
}
sql() { "$pg_bin/psql" "$db" -qAtX -v ON_ERROR_STOP=1 -c "$*"; }
