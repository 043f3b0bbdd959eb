package claim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"interlock/internal/base/storage"
)

// Times of a claim. A holder says that it lives several times a lease, so that a reply
// that is lost or late costs it nothing.
const (
	defaultLease     = 10 * time.Second
	beatsPerLease    = 3
	askEvery         = 250 * time.Millisecond
	statementTimeout = 3 * time.Second
)

// Options say who claims a database server's database.
type Options struct {
	DB *storage.DB
	// Shared is true for a server that has a Redis. Servers that have one are taken to
	// have the same.
	Shared bool
	// Role is that of the server, for the refused to read.
	Role string
	// Lease is how long a claim outlives a holder that is not heard of: 10 s if not given.
	Lease time.Duration
	// Self is where this program runs, found out if not given.
	Self   Process
	Logger *slog.Logger
}

// Acquire claims the database and extends the claim until it is released or lost. It returns a
// *HeldError at once when the holder is known to live, and waits for as long as a lease
// when that cannot be known, which it logs.
func Acquire(ctx context.Context, o Options) (*Claim, error) {
	r := newRow(o)
	if err := r.acquire(ctx); err != nil {
		return nil, err
	}
	c := &Claim{lost: make(chan struct{})}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		if reason := r.extendUntil(stop); reason != nil {
			c.reason = reason
			close(c.lost)
		}
	}()
	c.release = sync.OnceFunc(func() {
		close(stop)
		<-stopped
		r.end()
	})
	return c, nil
}

// row is the claim's row as one server sees it.
type row struct {
	db     *storage.DB
	group  string
	run    string
	role   string
	self   Process
	lease  time.Duration
	since  time.Time
	logger *slog.Logger
}

func newRow(o Options) *row {
	r := &row{db: o.DB, run: uuid.NewString(), role: o.Role, self: o.Self, lease: o.Lease, logger: o.Logger}
	r.group = r.run
	if o.Shared {
		r.group = Shared
	}
	if r.lease == 0 {
		r.lease = defaultLease
	}
	if r.self == (Process{}) {
		r.self = Self()
	}
	if r.logger == nil {
		r.logger = slog.Default()
	}
	return r
}

// acquire tries until the row is this server's, another holder is known to live, or ctx ends.
func (r *row) acquire(ctx context.Context) error {
	again := time.NewTicker(askEvery)
	defer again.Stop()
	var first Holder
	for {
		taken, holder, err := r.attempt(ctx, first)
		var held *HeldError
		switch {
		case errors.As(err, &held):
			return held
		case err != nil && !storage.IsConflict(err):
			return fmt.Errorf("claim the database: %w", err)
		case taken:
			return nil
		}
		if first.Run == "" && holder.Live() {
			first = holder
			r.logger.WarnContext(ctx, "waiting to see whether the server that claimed this database still lives",
				"holder", holder.String(), "atMost", holder.Ends.Sub(holder.Now).Round(time.Millisecond).String())
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("claim the database: %w", context.Cause(ctx))
		}
	}
}

// attempt claims the row if nobody else can have it. A *HeldError says that its holder is
// known to live: its process runs here, or it was heard of since first was read.
func (r *row) attempt(ctx context.Context, first Holder) (taken bool, holder Holder, err error) {
	if holder, err = Read(ctx, r.db); err != nil {
		return false, holder, err
	}
	if holder.Run == "" {
		if err := r.create(ctx); err != nil {
			return false, holder, err
		}
		if holder, err = Read(ctx, r.db); err != nil {
			return false, holder, err
		}
	}
	r.since = holder.Now
	if !holder.Live() || holder.Group == r.group {
		taken, err = r.claim(ctx, "")
		return taken, holder, err
	}
	runs, gone := r.self.sees(holder.Process)
	// Of a group, others may live.
	if gone && holder.Alone() {
		taken, err = r.claim(ctx, holder.Run)
		return taken, holder, err
	}
	if runs || first.Run != "" && (holder.Run != first.Run || holder.Heartbeat.After(first.Heartbeat)) {
		return false, holder, &HeldError{Holder: holder, group: r.group}
	}
	return false, holder, nil
}

const columns = "group_name, run_id, role, host, machine, pid, process_start, since_time, heartbeat_time, lease_ends_time"

// holding are the values that this server gives the row.
const holding = "group_name = ?, run_id = ?, role = ?, host = ?, machine = ?, pid = ?, process_start = ?, since_time = ?, " +
	"heartbeat_time = UTC_TIMESTAMP(6), lease_ends_time = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND"

func (r *row) holding() []any {
	return []any{r.group, r.run, r.role, r.self.Host, r.self.Machine, r.self.PID, r.self.Start, r.since, r.lease.Microseconds()}
}

// create makes the row where it is missing, held by nobody. Of several that make it the
// primary key lets one.
func (r *row) create(ctx context.Context) error {
	ctx, cancel := statement(ctx)
	defer cancel()
	past := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	err := r.db.Write(ctx).Exec("INSERT INTO server_claims (id, "+columns+") VALUES (1, '', 'nobody', '', '', '', 0, 0, ?, ?, ?)", past, past, past).Error
	if storage.Is(err, storage.DuplicateKey) {
		return nil
	}
	return err
}

// claim makes the row this server's if it is its group's, or nobody's any more. gone is the
// run of a holder that has ended, or "":
//
//	UPDATE server_claims SET … WHERE id = 1 AND (group_name = ? OR run_id = ? OR lease_ends_time <= UTC_TIMESTAMP(6))
func (r *row) claim(ctx context.Context, gone string) (taken bool, err error) {
	return r.update(ctx, "(group_name = ? OR run_id = ? OR lease_ends_time <= UTC_TIMESTAMP(6))", r.group, gone)
}

// extend makes the lease last from now. It reports false when the row is not this server's:
//
//	UPDATE server_claims SET … WHERE id = 1 AND group_name = ?
func (r *row) extend(ctx context.Context) (held bool, err error) {
	return r.update(ctx, "group_name = ?", r.group)
}

func (r *row) update(ctx context.Context, condition string, values ...any) (hit bool, err error) {
	ctx, cancel := statement(ctx)
	defer cancel()
	result := r.db.Write(ctx).Exec("UPDATE server_claims SET "+holding+" WHERE id = 1 AND "+condition, append(r.holding(), values...)...)
	return result.RowsAffected == 1, result.Error
}

// extendUntil extends the lease until stop is closed, and returns the lossError when the claim was
// lost. A database that cannot be reached takes no writes of anybody, so it is no reason to end.
func (r *row) extendUntil(stop <-chan struct{}) error {
	beat := time.NewTicker(r.lease / beatsPerLease)
	defer beat.Stop()
	failing := false
	for {
		select {
		case <-stop:
			return nil
		case <-beat.C:
		}
		held, err := r.extend(context.Background())
		if err == nil && !held {
			return r.lossError()
		}
		if err != nil && !failing {
			r.logger.Warn("the claim on the database cannot be extended; it is tried again", "error", err)
		}
		failing = err != nil
	}
}

// lossError says who has the claim now, and why this server must end.
func (r *row) lossError() error {
	const now = "this server has lost its claim on the database and ends, so that two do not serve it at once"
	holder, err := Read(context.Background(), r.db)
	switch {
	case err != nil:
		return fmt.Errorf("%s (who has it cannot be read: %w)", now, err)
	case holder.Run == "":
		return errors.New(now + ": nobody has it, so the database was emptied or is another one")
	}
	return fmt.Errorf("%s: %s has it", now, holder)
}

// end ends the lease of a server that is alone; one of a group leaves it to the others. A
// database that is away is not waited for: the lease ends by itself.
func (r *row) end() {
	if r.group == Shared {
		return
	}
	ctx, cancel := statement(context.Background())
	defer cancel()
	err := r.db.Write(ctx).Exec("UPDATE server_claims SET lease_ends_time = UTC_TIMESTAMP(6) WHERE id = 1 AND group_name = ?", r.group).Error
	if err != nil {
		r.logger.Warn("the claim on the database could not be given up; the next server may have to wait until its lease ends",
			"lease", r.lease.String(), "error", err)
	}
}

// Read returns who has claimed the database. A Holder without a Run means nobody.
func Read(ctx context.Context, db *storage.DB) (Holder, error) {
	ctx, cancel := statement(ctx)
	defer cancel()
	var rows []struct {
		GroupName, RunID, Role, Host, Machine string
		PID                                   int `gorm:"column:pid"`
		ProcessStart                          int64
		SinceTime                             time.Time
		HeartbeatTime, LeaseEndsTime, NowTime time.Time
	}
	err := db.Write(ctx).Raw("SELECT " + columns + ", UTC_TIMESTAMP(6) AS now_time FROM server_claims WHERE id = 1").Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return Holder{}, err
	}
	c := rows[0]
	return Holder{
		Group: c.GroupName, Run: c.RunID, Role: c.Role,
		Process: Process{Host: c.Host, Machine: c.Machine, PID: c.PID, Start: c.ProcessStart},
		Since:   c.SinceTime, Heartbeat: c.HeartbeatTime, Ends: c.LeaseEndsTime, Now: c.NowTime,
	}, nil
}

// statement bounds one statement. The row belongs to no tenant.
func statement(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(storage.AcrossTenants(ctx), statementTimeout)
}
