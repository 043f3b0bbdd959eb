package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// guardedUpdate is the product's optimistic guard as bare SQL.
const guardedUpdate = "UPDATE configs SET value = ?, updated_by = ?, updated_by_name = ?, updated_time = ?," +
	" version = version + 1 WHERE tenant_id = ? AND id = ? AND version = ?"

// guarded is one worker's config row and its connection, with the guard prepared on it.
type guarded struct {
	connection *sql.Conn
	update     *sql.Stmt
	tenant     int64
	id         int64
	version    int64
}

func newGuarded(ctx context.Context, e *engine, key string) (*guarded, error) {
	g := &guarded{}
	var err error
	if g.connection, err = e.Conn(ctx); err != nil {
		return nil, err
	}
	// The product's isolation level.
	if _, err := g.connection.ExecContext(ctx, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"); err != nil {
		return nil, err
	}
	if g.update, err = g.connection.PrepareContext(ctx, guardedUpdate); err != nil {
		return nil, err
	}
	err = g.connection.QueryRowContext(ctx, "SELECT tenant_id, id, version FROM configs WHERE `key` = ?", key).
		Scan(&g.tenant, &g.id, &g.version)
	if err != nil {
		return nil, fmt.Errorf("find config %s: %w", key, err)
	}
	return g, nil
}

// advance issues the guarded UPDATE; anything but one changed row is an error.
func (g *guarded) advance(ctx context.Context) error {
	value := `"` + valueOf(int(g.version)) + `"` // the column contains JSON text
	result, err := g.update.ExecContext(ctx, value, 1, "admin", time.Now().UTC(), g.tenant, g.id, g.version)
	if err != nil {
		return err
	}
	changed, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if changed != 1 {
		return fmt.Errorf("the guarded UPDATE of config %d at version %d changed %d rows", g.id, g.version, changed)
	}
	g.version++
	return nil
}

// bareUpdates is subject A: only the guard, each in a separate transaction.
type bareUpdates []*guarded

func newBareUpdates(ctx context.Context, e *engine, workers int) (bareUpdates, error) {
	var updates bareUpdates
	for worker := range workers {
		g, err := newGuarded(ctx, e, configKey("a", worker))
		if err != nil {
			return nil, err
		}
		updates = append(updates, g)
	}
	return updates, nil
}

func (b bareUpdates) close() {
	for _, g := range b {
		_ = g.connection.Close()
	}
}

func (b bareUpdates) step(ctx context.Context, worker int) error { return b[worker].advance(ctx) }

// rawUnits is subject B: only the statements of one edit by the product.
type rawUnits []*rawUnit

type rawUnit struct {
	*guarded
	history, audit             row
	insertHistory, insertAudit *sql.Stmt
}

// newRawUnits edits each worker's config once through the product and uses the resulting
// history and audit rows as templates.
func newRawUnits(ctx context.Context, e *engine, edits senders) (rawUnits, error) {
	var units rawUnits
	for worker := range edits {
		if err := edits.step(ctx, worker); err != nil {
			return nil, err
		}
		unit, err := newRawUnit(ctx, e, configKey("b", worker))
		if err != nil {
			return nil, err
		}
		units = append(units, unit)
	}
	return units, nil
}

func newRawUnit(ctx context.Context, e *engine, key string) (*rawUnit, error) {
	g, err := newGuarded(ctx, e, key)
	if err != nil {
		return nil, err
	}
	u := &rawUnit{guarded: g}
	if u.history, err = e.newest(ctx, "config_histories", "TRUE"); err != nil {
		return nil, err
	}
	if u.audit, err = e.newest(ctx, "audit_entries", "TRUE"); err != nil {
		return nil, err
	}
	if u.insertHistory, err = g.connection.PrepareContext(ctx, u.history.insert(1)); err != nil {
		return nil, err
	}
	u.insertAudit, err = g.connection.PrepareContext(ctx, u.audit.insert(1))
	return u, err
}

func (r rawUnits) close() {
	for _, unit := range r {
		_ = unit.connection.Close()
	}
}

func (r rawUnits) step(ctx context.Context, worker int) error { return r[worker].commit(ctx) }

func (u *rawUnit) commit(ctx context.Context) error {
	if _, err := u.connection.ExecContext(ctx, "START TRANSACTION"); err != nil {
		return err
	}
	if err := u.advance(ctx); err != nil {
		return err
	}
	if err := u.history.set("version", u.version); err != nil {
		return err
	}
	if _, err := u.insertHistory.ExecContext(ctx, u.history.cells...); err != nil {
		return fmt.Errorf("insert history: %w", err)
	}
	if err := u.audit.set("unit_id", newUnitID()); err != nil {
		return err
	}
	if _, err := u.insertAudit.ExecContext(ctx, u.audit.cells...); err != nil {
		return fmt.Errorf("insert audit: %w", err)
	}
	_, err := u.connection.ExecContext(ctx, "COMMIT")
	return err
}

// newUnitID has the length of a UUID and, like the product's version 7, starts with the
// time, so that the unique index grows at its right edge.
func newUnitID() string {
	return fmt.Sprintf("%018x-%s", time.Now().UnixNano(), randomHex(8)+"0")
}
