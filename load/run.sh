#!/usr/bin/env bash
# Drives the service on MariaDB with racing admins, transitions, debits and orders, and writes load/report/.
#
#   make load            (or load/run.sh)
#
# Ends with a code other than 0 when a threshold was crossed or the store breaks an invariant. Every
# process that it starts is ended by its id, also after Ctrl-C. Settings: load/README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

report=load/report
steps=${INTERLOCK_LOAD_STEPS:-1,2,4,8,16,32}
step_seconds=${INTERLOCK_LOAD_STEP_SECONDS:-5}
open_seconds=${INTERLOCK_LOAD_OPEN_SECONDS:-30}
scripts=${INTERLOCK_LOAD_SCRIPTS:-all}
buyers_rate=${INTERLOCK_LOAD_BUYERS_RATE:-500}
taps_rate=${INTERLOCK_LOAD_TAPS_RATE:-1000}

if [[ -z ${INTERLOCK_TEST_MYSQL_URL:-} ]]; then
  go build -o bin/services ./test/services
  # -durable: commits survive the loss of power.
  exec bin/services -durable -- "${BASH_SOURCE[0]}" "$@"
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/interlock-load.XXXXXX")
service_pid='' k6_pid=''

end() {
  local code=$?
  trap - EXIT INT TERM HUP
  for pid in $k6_pid $service_pid; do
    kill "$pid" 2>/dev/null || continue
    wait "$pid" 2>/dev/null || true
  done
  if ((code != 0)) && [[ -s $work/service.log ]]; then
    mkdir -p "$report" && cp "$work/service.log" "$report/service.log"
    echo "load: the service's log is $report/service.log" >&2
  fi
  rm -rf "$work"
  exit "$code"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

build() {
  echo 'load: building bin/admin and bin/k6 (k6 takes about two minutes the first time)'
  make --no-print-directory build
  go build -C load/k6 -trimpath -ldflags '-s -w' -o ../../bin/k6 go.k6.io/k6
}

# The runner's URL is mysql://root@HOST:PORT/, without a password.
sql() {
  local address=${INTERLOCK_TEST_MYSQL_URL#mysql://*@}
  address=${address%/}
  mariadb --protocol=tcp --host="${address%:*}" --port="${address##*:}" --user=root \
    --batch --skip-column-names "$@"
}

database=interlock_load_$$

random() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

prepare() {
  sql --execute "CREATE DATABASE $database CHARACTER SET utf8mb4"
  export INTERLOCK_DATABASE_URL="${INTERLOCK_TEST_MYSQL_URL%/}/$database"
  export INTERLOCK_DATA_DIR=$work/data
  INTERLOCK_ADMIN_PASSWORD=$(random)
  INTERLOCK_CUSTOMER_JWT_SECRET=$(random)
  export INTERLOCK_ADMIN_PASSWORD INTERLOCK_CUSTOMER_JWT_SECRET
  # One token sends all requests, up to the capacity of the machine.
  export INTERLOCK_RATE_LIMIT=0 INTERLOCK_TENANT_RATE_LIMIT=0
  bin/admin migrate up >"$work/migrate.log" 2>&1 || { cat "$work/migrate.log" >&2; return 1; }
}

answers_ready() {
  (
    exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
    printf 'GET /readyz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' >&3
    read -r -t 2 _ status _ <&3 && [[ $status == 200 ]]
  ) 2>/dev/null
}

# If another program uses the port by the time of the start, the next port is tried.
start_service() {
  local attempt port
  for attempt in 1 2 3; do
    port=$((20000 + RANDOM % 10000))
    bin/admin serve --addr "127.0.0.1:$port" >"$work/service.log" 2>&1 &
    service_pid=$!
    for _ in {1..150}; do
      kill -0 "$service_pid" 2>/dev/null || continue 2
      if answers_ready "$port"; then
        export INTERLOCK_LOAD_URL=http://127.0.0.1:$port
        return
      fi
      sleep 0.2
    done
    kill "$service_pid"
  done
  cat "$work/service.log" >&2
  echo 'load: the service did not become ready' >&2
  return 1
}

stop_service() {
  kill "$service_pid"
  wait "$service_pid" || { echo "load: the service ended with code $?" >&2; return 1; }
  service_pid=''
}

# wants SCRIPT: reports whether the script is selected.
wants() { [[ $scripts == all || " $scripts " == *" $1 "* ]]; }

# run SCRIPT PHASE: one run of k6; its verdict is its exit code. flash_sale and taps run without
# k6's dashboard, because it uses CPU that the crowd needs.
run() {
  local stem=$report/$1-$2 dashboard=true
  wants "${INTERLOCK_LOAD_NAME:-$1}" || return 0
  [[ $1 != flash_sale && $1 != taps ]] || dashboard=false
  echo "load: ${INTERLOCK_LOAD_NAME:-$1}, $2 loop"
  INTERLOCK_LOAD_PHASE=$2 INTERLOCK_LOAD_REPORT=$report \
    INTERLOCK_LOAD_STEPS=$steps INTERLOCK_LOAD_STEP_SECONDS=$step_seconds \
    INTERLOCK_LOAD_OPEN_SECONDS=$open_seconds INTERLOCK_LOAD_JWT_SECRET=$INTERLOCK_CUSTOMER_JWT_SECRET \
    K6_WEB_DASHBOARD=$dashboard K6_WEB_DASHBOARD_PORT=-1 K6_WEB_DASHBOARD_PERIOD=1s \
    K6_WEB_DASHBOARD_EXPORT=$stem.html K6_NO_USAGE_REPORT=true \
    bin/k6 run --quiet "load/$1.js" &
  k6_pid=$!
  local code=0
  wait "$k6_pid" || code=$?
  k6_pid=''
  return "$code"
}

# Queries the stores for violations that no reply shows. Each line of the result is "violations<TAB>what".
check_stores() {
  local failed=0 count what sold
  local -x INTERLOCK_REDIS_URL=''
  ! wants flash_sale || INTERLOCK_REDIS_URL=$INTERLOCK_TEST_REDIS_URL
  bin/admin promises check >"$work/promises.tsv" || failed=1
  cut -f1,4 "$work/promises.tsv" >"$report/invariants.tsv"
  sql "$database" <load/invariants.sql >>"$report/invariants.tsv"
  if wants flash_sale; then
    sold=$(sql "$database" --execute "SELECT COALESCE(SUM(l.quantity), 0) FROM orders o
      JOIN order_lines l ON l.tenant_id = o.tenant_id AND l.order_id = o.id WHERE o.sale_id IS NOT NULL AND o.status <> 4")
    redis-cli -u "$INTERLOCK_TEST_REDIS_URL" --eval load/invariants.lua , "$sold" >>"$report/invariants.tsv"
  fi
  while IFS=$'\t' read -r count what; do
    [[ $count == 0 ]] || { failed=1; echo "load: the store holds $count $what" >&2; }
  done <"$report/invariants.tsv"
  [[ -s $report/invariants.tsv ]] && ((failed == 0))
}

# is_busy: prints whether other processes use a fifth of the processors for a second, while k6 does not run.
is_busy() {
  local i idle total=0 before after
  read -ra before </proc/stat
  sleep 1
  read -ra after </proc/stat
  idle=$((after[4] + after[5] - before[4] - before[5]))
  for i in {1..8}; do total=$((total + after[i] - before[i])); done
  ((5 * idle < 4 * total)) && echo true || echo false
}

# open_loop SCRIPT RATE: latency, quoted only from a run without dropped arrivals. Other load on the
# machine can cause drops; the run is then repeated at half the rate, at most twice.
open_loop() {
  local rate=$2 next=$report/${INTERLOCK_LOAD_NAME:-$1}-open.rate
  wants "${INTERLOCK_LOAD_NAME:-$1}" || return 0
  for _ in 1 2 3; do
    rm -f "$next"
    INTERLOCK_LOAD_BUSY=$(is_busy) INTERLOCK_LOAD_RATE=$rate INTERLOCK_LOAD_BUYERS_RATE=$rate run "$1" open && return
    [[ -s $next ]] || return 1
    rate=$(<"$next")
    echo "load: void, arrivals were dropped; next at $rate/s"
  done
  return 1
}

machine() {
  local flush binlog
  flush=$(sql --execute 'SELECT @@innodb_flush_log_at_trx_commit')
  binlog=$(sql --execute 'SELECT @@log_bin')
  echo "MariaDB $(sql --execute 'SELECT VERSION()'), innodb_flush_log_at_trx_commit=$flush, log_bin=$binlog;" \
    "$(nproc) CPUs shared by MariaDB, the service and k6; $(uname -sr)."
}

write_index() {
  {
    cat load/report.head.html
    echo "<p class=\"$([[ $1 == passed ]] && echo good || echo bad)\">This run $1.</p>"
    echo "<p>$(machine) Written $(date -u '+%Y-%m-%d %H:%M UTC').</p>"
    echo '<section><h2>The store afterwards</h2><table><caption>Must be 0</caption>'
    while IFS=$'\t' read -r count what; do
      echo "<tr class=\"$([[ $count == 0 ]] && echo good || echo bad)\"><td>$what</td><td>$count</td></tr>"
    done <"$report/invariants.tsv"
    echo '</table></section>'
    cat "$report"/*.part.html
    echo '</main>'
  } >"$report/index.html"
  rm -f "$report"/*.part.html "$report"/*.rate "$report/invariants.tsv"
}

# crowd SUFFIX: the crowds on the service that runs: 1,000 taps a second, and then the purchases.
crowd() {
  local code=0
  INTERLOCK_LOAD_NAME=taps$1 INTERLOCK_LOAD_OPEN_VUS=${INTERLOCK_LOAD_OPEN_VUS:-500} open_loop taps "$taps_rate" || code=1
  INTERLOCK_LOAD_NAME=flash_sale$1 open_loop flash_sale "$buyers_rate" || code=1
  return "$code"
}

# The crowds on the embedded default. The service checks SQLite itself: its reconciliation compares the
# gate, the stock and the orders.
embedded_crowd() {
  local -x INTERLOCK_DATA_DIR=$work/embedded INTERLOCK_LOAD_STORE=SQLite
  local -x INTERLOCK_LOAD_TOKEN
  unset INTERLOCK_DATABASE_URL # it is the last one; nothing needs it after this
  start_service || return
  INTERLOCK_LOAD_TOKEN=$(bin/admin token create --user admin --name load)
  local code=0
  crowd _embedded || code=1
  stop_service || code=1
  return "$code"
}

main() {
  local verdict=passed script rate
  build
  rm -rf "$report" && mkdir -p "$report"
  prepare
  start_service
  INTERLOCK_LOAD_TOKEN=$(bin/admin token create --user admin --name load)
  export INTERLOCK_LOAD_TOKEN
  for script in configs approvals orders payments shipments returns refunds work_orders wallets inventory actions idempotency; do
    run "$script" closed || verdict=failed
    rate=$report/$script-closed.rate
    [[ -s $rate ]] || continue # the closed run did not get that far, and has failed
    open_loop "$script" "$(<"$rate")" || verdict=failed
  done
  stop_service || verdict=failed
  # A crowd arrives once, without waiting for replies; the gate in Redis is made for it. The program without
  # any settings must serve it too.
  if wants flash_sale || wants taps; then
    INTERLOCK_REDIS_URL=$INTERLOCK_TEST_REDIS_URL start_service
    INTERLOCK_LOAD_STORE='MariaDB and Redis' crowd '' || verdict=failed
    stop_service || verdict=failed
  fi
  check_stores || verdict=failed
  if wants flash_sale_embedded || wants taps_embedded; then
    embedded_crowd || verdict=failed
  fi
  write_index "$verdict"
  echo "load: $verdict; see $report/index.html"
  [[ $verdict == passed ]]
}

main
