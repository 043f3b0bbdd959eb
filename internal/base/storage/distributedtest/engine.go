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

// Environment variables. A seed fixes the share of faults but not the run, because the
// scheduling of goroutines varies.
const (
	SeedVariable  = "INTERLOCK_FAULT_SEED"
	LocksVariable = "INTERLOCK_TEST_LOCKS"
)

// Per 1000 COMMITs that write: the number that conflict and are rolled back, and the number
// without a reported outcome.
const (
	conflicting = 30
	untold      = 10
)

// engine is the state shared by all connections of a process.
type engine struct {
	locks Locks

	mu     sync.Mutex
	random *rand.Rand
}

// theEngine is created with the first connection and then prints how to reproduce it. The
// go command shows this if a package fails.
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

// fate is the outcome of a COMMIT.
type fate struct {
	// number is the error number of the reply; 0 for success.
	number uint16
	// done is set if the transaction was committed.
	done bool
}

// The errors of COMMIT: TiDB's for a transaction rolled back because of a conflict or a
// schema change, and errors that leave the outcome open.
var (
	conflicts = []uint16{8002, 8022, 8028, 9007}
	unknowns  = []uint16{8501, 1105, 1180}
)

// fate draws the outcome of a COMMIT. mayBeUntold is set if its caller can resolve an
// unknown outcome, or repeats the transaction.
func (e *engine) fate(mayBeUntold bool) fate {
	switch drawn := e.below(1000); {
	case drawn < conflicting:
		return fate{number: conflicts[e.below(len(conflicts))]}
	case drawn < conflicting+untold && mayBeUntold:
		return fate{number: unknowns[e.below(len(unknowns))], done: e.below(2) == 0}
	}
	return fate{done: true}
}

// err returns the error with a text that no server uses.
func (f fate) err() error {
	if f.number == 0 {
		return nil
	}
	return &gomysql.MySQLError{Number: f.number, SQLState: [5]byte{'H', 'Y', '0', '0', '0'}, Message: "as a distributed engine might answer"}
}

// Wrap makes a connection to MariaDB behave like one to a distributed engine:
//
//   - it drops locking clauses, see Locks, and rejects named locks, like Galera;
//   - it ignores CHECK constraints;
//   - ids increase in steps, with a different remainder per connection;
//   - it reports a multi-writer group, to which the service sends no packets, and rejects
//     multi-statements;
//   - it rolls back some COMMITs that write and reports a conflict, and hides the outcome
//     of some others if their callers can resolve or repeat them. Callers that can do neither
//     return an unknown outcome, which the tests of storage and mq cover.
func Wrap(ctx context.Context, made Conn) (Conn, error) {
	e, err := theEngine()
	if err == nil {
		settings := fmt.Sprintf("SET SESSION check_constraint_checks = 0, auto_increment_increment = 7, auto_increment_offset = %d", 1+e.below(7))
		_, err = made.ExecContext(ctx, settings, nil)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make the server behave like a distributed engine: %w", err), made.Close())
	}
	return &connection{Conn: made, engine: e}, nil
}

// Conn is the interface of the driver's connections.
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
