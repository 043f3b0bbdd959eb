//go:build distributed

package distributedtest

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"

	gomysql "github.com/go-sql-driver/mysql"
)

// The settings, by environment variables. A seed gives the same share of faults and not the same
// run: which goroutine is next is not decided here.
const (
	SeedVariable  = "INTERLOCK_FAULT_SEED"
	LocksVariable = "INTERLOCK_TEST_LOCKS"
)

// Of 1000 COMMITs that write, so many conflict and are undone, and so many end such that nobody is
// told how.
const (
	conflicting = 30
	untold      = 10
)

// engine is what all connections of a process have in common.
type engine struct {
	locks Locks

	mu     sync.Mutex
	random *rand.Rand
}

// theEngine is made with the first connection, and says then how to come by it again. The go command
// shows that when a package fails.
var theEngine = sync.OnceValues(func() (*engine, error) {
	seed := rand.Uint64()
	if text := os.Getenv(SeedVariable); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", SeedVariable, err)
		}
		seed = given
	}
	e := &engine{random: rand.New(rand.NewPCG(seed, seed))}
	switch text := os.Getenv(LocksVariable); text {
	case "", "none":
		e.locks = NoLocks
	case "update":
		e.locks = NoShare
	default:
		return nil, fmt.Errorf("%s is %q; want none, or update for those of FOR UPDATE", LocksVariable, text)
	}
	fmt.Fprintf(os.Stderr, "MariaDB behaves as a distributed engine: %s=%d %s=%s\n", SeedVariable, seed, LocksVariable, os.Getenv(LocksVariable))
	return e, nil
})

func (e *engine) below(n int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.random.IntN(n)
}

// fate is what becomes of a COMMIT.
type fate struct {
	// number is that of the error that it is answered with; 0 for none.
	number uint16
	// done is whether it took place.
	done bool
}

// The errors of COMMIT: TiDB's for a transaction that another one, or a change of the schema, has
// undone, and those that say nothing of what became of it.
var (
	conflicts = []uint16{8002, 8022, 8028, 9007}
	unknowns  = []uint16{8501, 1105, 1180}
)

// fate decides what becomes of a COMMIT. mayBeUntold is whether its caller can find out, or repeat
// it.
func (e *engine) fate(mayBeUntold bool) fate {
	switch drawn := e.below(1000); {
	case drawn < conflicting:
		return fate{number: conflicts[e.below(len(conflicts))]}
	case drawn < conflicting+untold && mayBeUntold:
		return fate{number: unknowns[e.below(len(unknowns))], done: e.below(2) == 0}
	}
	return fate{done: true}
}

// err is the answer, in words that no server uses.
func (f fate) err() error {
	if f.number == 0 {
		return nil
	}
	return &gomysql.MySQLError{Number: f.number, SQLState: [5]byte{'H', 'Y', '0', '0', '0'}, Message: "as a distributed engine might answer"}
}

// Wrap has a connection to MariaDB behave as one to a distributed engine:
//
//   - locking clauses are dropped, see Locks, and named locks refused, as Galera refuses them;
//   - CHECK constraints are not looked at;
//   - ids are given in steps, each connection's with another remainder;
//   - it is said to be one of several servers that write, to which the service sends no packets,
//     and several statements at once are refused;
//   - of the COMMITs that write some are undone and answered as a conflict, and some of those whose
//     authors find out, or repeat them, are answered such that nobody can tell. Code that can do
//     neither tells its caller that the outcome is unknown, for which storage and mq have tests.
func Wrap(ctx context.Context, made Conn) (Conn, error) {
	e, err := theEngine()
	if err == nil {
		settings := fmt.Sprintf("SET SESSION check_constraint_checks = 0, auto_increment_increment = 7, auto_increment_offset = %d", 1+e.below(7))
		_, err = made.ExecContext(ctx, settings, nil)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("have the server behave as a distributed engine: %w", err), made.Close())
	}
	return &connection{Conn: made, engine: e}, nil
}

// Conn is what the driver's connections have.
type Conn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}
