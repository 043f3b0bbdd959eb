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

// Times of a claim. A holder sends several heartbeats per lease, so that one lost or late
// reply has no effect.
const (
	defaultLease       = 10 * time.Second
	heartbeatsPerLease = 3
	askEvery           = 250 * time.Millisecond
	statementTimeout   = 3 * time.Second
)

// Options describe the claiming server and its database.
type Options struct {
	DB *storage.DB
	// Shared is true for a server with Redis. All servers with Redis are assumed to use the
	// same.
	Shared bool
	// Role is the server's role, for error messages of other servers.
	Role string
	// Lease is the time after which the claim of a silent holder expires: 10 s by default.
	Lease time.Duration
	// Self identifies this process; by default the result of the function Self.
	Self   Process
	Logger *slog.Logger
}

// Acquire claims the database and extends the claim until it is released or lost. It
// returns a *HeldError immediately if the holder is known to be alive. If that is unknown,
// it waits for at most one lease, and logs this.
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

// row is one server's access to the row of the claim.
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

// acquire retries until this server has the row, another holder is known to be alive, or
// ctx ends.
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
			r.logger.WarnContext(ctx, "claim: another server claims this database; waiting for its next heartbeat",
				"holder", holder.String(), "atMost", holder.Ends.Sub(holder.Now).Round(time.Millisecond).String())
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("claim the database: %w", context.Cause(ctx))
		}
	}
}

// attempt claims the row if it is free. A *HeldError means that the holder is known to be
// alive: its process runs here, or it has sent a heartbeat since first was read.
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
	// Other servers of a group may be alive.
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

// holding sets the columns of the row for this server.
const holding = "group_name = ?, run_id = ?, role = ?, host = ?, machine = ?, pid = ?, process_start = ?, since_time = ?, " +
	"heartbeat_time = UTC_TIMESTAMP(6), lease_ends_time = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND"

func (r *row) holding() []any {
	return []any{r.group, r.run, r.role, r.self.Host, r.self.Machine, r.self.PID, r.self.Start, r.since, r.lease.Microseconds()}
}

// create inserts the missing row, without a holder. If several servers do so, the primary
// key admits one.
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

// claim assigns the row to this server if it belongs to its group or its lease has expired.
// ended is the run of a holder that has ended, or "":
//
//	UPDATE server_claims SET … WHERE id = 1 AND (group_name = ? OR run_id = ? OR lease_ends_time <= UTC_TIMESTAMP(6))
func (r *row) claim(ctx context.Context, ended string) (claimed bool, err error) {
	return r.update(ctx, "(group_name = ? OR run_id = ? OR lease_ends_time <= UTC_TIMESTAMP(6))", r.group, ended)
}

// extend renews the lease. It returns false if the row belongs to another group:
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

// extendUntil extends the lease until stop is closed, and returns the lossError if the claim was
// lost. An unreachable database does not end it, because then no server can write.
func (r *row) extendUntil(stop <-chan struct{}) error {
	beat := time.NewTicker(r.lease / heartbeatsPerLease)
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
			r.logger.Warn("claim: extension failed; will retry", "error", err)
		}
		failing = err != nil
	}
}

// lossError names the current holder, and the reason why this server must end.
func (r *row) lossError() error {
	const now = "this server has lost its claim on the database and ends, so that two servers do not serve it concurrently"
	holder, err := Read(context.Background(), r.db)
	switch {
	case err != nil:
		return fmt.Errorf("%s (its holder cannot be read: %w)", now, err)
	case holder.Run == "":
		return errors.New(now + ": it has no holder, so the database was emptied or replaced")
	}
	return fmt.Errorf("%s: %s has it", now, holder)
}

// end ends the lease of a server without Redis. A server of the group Shared does not end the
// lease, because the other servers of the group use it. end does not retry if the database cannot
// be reached, because the lease then expires.
func (r *row) end() {
	if r.group == Shared {
		return
	}
	ctx, cancel := statement(context.Background())
	defer cancel()
	err := r.db.Write(ctx).Exec("UPDATE server_claims SET lease_ends_time = UTC_TIMESTAMP(6) WHERE id = 1 AND group_name = ?", r.group).Error
	if err != nil {
		r.logger.Warn("claim: release failed; the next server may wait until the lease expires",
			"lease", r.lease.String(), "error", err)
	}
}

// Read returns the holder of the database's claim. A Holder without a Run means no holder.
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
