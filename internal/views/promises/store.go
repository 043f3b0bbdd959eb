package promises

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// state is the progress of a promise's check, and the result of its last complete pass, for
// all tenants together.
type state struct {
	Name    string `gorm:"primaryKey"`
	Version int64
	// Place is the position of the current pass; "" at its start.
	Place string
	// Passes is the number of started passes, and therefore the number of the current pass.
	Passes    int64
	BegunTime *time.Time
	// Looked is the number of rows of the current pass so far, and BusyUS its database time
	// in µs.
	Looked int64
	BusyUS int64
	// Violated is the number of violations of the current pass so far.
	Violated int64

	// PassedTime is the end of the last complete pass, nil before the first; the following
	// fields describe that pass.
	PassedTime   *time.Time
	LastBegun    *time.Time
	LastLooked   int64
	LastBusyUS   int64
	LastViolated int64
	// KeptTime is the end of the last complete pass without violations.
	KeptTime *time.Time
}

// TableName implements gorm's Tabler.
func (state) TableName() string { return "promise_checks" }

// Global implements storage.Global.
func (state) Global() {}

// violation is a current violation of a promise.
type violation struct {
	ID       int64
	TenantID int64
	Name     string
	Subject  string
	// Pass is the number of the last pass that found it.
	Pass      int64
	FoundTime time.Time
	// KeptTime is the end of the last pass that did not find it; nil if every pass found
	// it.
	KeptTime *time.Time
}

// TableName implements gorm's Tabler.
func (violation) TableName() string { return "promise_violations" }

// maxStored bounds the stored violations per promise and tenant. Their number is counted
// without this bound.
const maxStored = 100

// states reads the states of all promises; a promise that has never been checked gets an
// empty one.
func (c checks) states(ctx context.Context) (map[string]*state, error) {
	var rows []state
	if err := c.db.Read(ctx).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the checks of promises: %w", err)
	}
	byName := make(map[string]*state, len(c.list))
	for i := range rows {
		byName[rows[i].Name] = &rows[i]
	}
	for _, p := range c.list {
		if byName[p.Name] == nil {
			byName[p.Name] = &state{Name: p.Name}
		}
	}
	return byName, nil
}

// errOvertaken means that another process has continued the checks.
var errOvertaken = errors.New("promises: another process checks them")

const (
	insertState = `INSERT INTO promise_checks (version, place, passes, begun_time, looked, busy_us, violated,
		passed_time, last_begun, last_looked, last_busy_us, last_violated, kept_time, name) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	updateState = `UPDATE promise_checks SET version = version + 1, place = ?, passes = ?, begun_time = ?, looked = ?, busy_us = ?, violated = ?,
		passed_time = ?, last_begun = ?, last_looked = ?, last_busy_us = ?, last_violated = ?, kept_time = ? WHERE name = ? AND version = ?`
)

// save stores a state under its version:
//
//	UPDATE promise_checks SET … WHERE name = ? AND version = ?
//
// Errors: errOvertaken if the version has changed.
func (c checks) save(ctx context.Context, s *state) error {
	values := []any{s.Place, s.Passes, s.BegunTime, s.Looked, s.BusyUS, s.Violated, s.PassedTime, s.LastBegun, s.LastLooked, s.LastBusyUS, s.LastViolated, s.KeptTime, s.Name}
	db := c.db.Write(storage.AcrossTenants(ctx))
	var result *gorm.DB
	if s.Version == 0 {
		result = db.Exec(insertState, values...)
	} else {
		result = db.Exec(updateState, append(values, s.Version)...)
	}
	switch {
	case storage.Is(result.Error, storage.DuplicateKey):
		return errOvertaken
	case result.Error != nil:
		return fmt.Errorf("save the check of %q: %w", s.Name, result.Error)
	case result.RowsAffected != 1:
		return errOvertaken
	}
	s.Version++
	return nil
}

// violationsOf reads the violations of a promise for all tenants.
func violationsOf(db *gorm.DB, name string) (list []violation, err error) {
	err = db.Where("name = ?", name).Order("id").Find(&list).Error
	return list, err
}

const (
	insertViolation = `INSERT INTO promise_violations (tenant_id, name, subject, pass, found_time, kept_time) VALUES (?, ?, ?, ?, ?, ?)`
	markViolations  = `UPDATE promise_violations SET pass = ? WHERE tenant_id = ? AND name = ? AND subject IN ? AND pass < ?`
)

// report stores the violations of a step. New ones are recorded in the audit log of their
// tenant, one row per step, and announced.
func (s *Service) report(ctx context.Context, st *state, found []Found) error {
	for tenant, subjects := range tenantsOf(found) {
		ctx := principal.With(ctx, principal.System(tenant, "promises"))
		known, err := violationsOf(s.db.Read(ctx), st.Name)
		if err == nil {
			err = s.db.Write(ctx).Exec(markViolations, st.Passes, tenant, st.Name, subjects, st.Passes).Error
		}
		if err == nil {
			err = s.reportFresh(ctx, st, tenant, fresh(subjects, known))
		}
		if err != nil {
			return fmt.Errorf("report that %q is violated: %w", st.Name, err)
		}
	}
	return nil
}

// fresh returns the subjects that are not in known, as many as can be stored.
func fresh(subjects []string, known []violation) []string {
	subjects = slices.DeleteFunc(slices.Clone(subjects), func(subject string) bool {
		return slices.ContainsFunc(known, func(v violation) bool { return v.Subject == subject })
	})
	return subjects[:max(0, min(len(subjects), maxStored-len(known)))]
}

func (s *Service) reportFresh(ctx context.Context, st *state, tenant int64, subjects []string) error {
	if len(subjects) == 0 {
		return nil
	}
	slog.ErrorContext(ctx, "promises: violation found", "promise", st.Name, "tenant", tenant, "subjects", subjects)
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		for _, subject := range subjects {
			if err := tx.Exec(insertViolation, tenant, st.Name, subject, st.Passes, u.Now(), st.PassedTime).Error; err != nil {
				return err
			}
		}
		s.record(u, st.Name, "violate", subjects)
		return nil
	})
}

// finishPass deletes the violations that a pass did not find again: they are repaired.
func (s *Service) finishPass(ctx context.Context, st *state) error {
	all, err := violationsOf(s.db.Read(storage.AcrossTenants(ctx)), st.Name)
	if err != nil {
		return fmt.Errorf("read the violations of %q: %w", st.Name, err)
	}
	gone := map[int64][]violation{}
	for _, v := range all {
		if v.Pass < st.Passes {
			gone[v.TenantID] = append(gone[v.TenantID], v)
		}
	}
	for tenant, violations := range gone {
		ctx := principal.With(ctx, principal.System(tenant, "promises"))
		err := s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			tx, err := u.Tx(ctx)
			if err != nil {
				return err
			}
			subjects := make([]string, len(violations))
			for i, v := range violations {
				subjects[i] = v.Subject
				result := tx.Exec("DELETE FROM promise_violations WHERE tenant_id = ? AND id = ? AND pass = ?", tenant, v.ID, v.Pass)
				switch {
				case result.Error != nil:
					return result.Error
				case result.RowsAffected != 1:
					return errOvertaken
				}
			}
			s.record(u, st.Name, "restore", subjects)
			return nil
		})
		if err != nil {
			return fmt.Errorf("record the repair of %q: %w", st.Name, err)
		}
	}
	return nil
}

// record adds the audit entry about some subjects and announces it.
func (s *Service) record(u *uow.Unit, name, verb string, subjects []string) {
	change.AuditAndAnnounce(u, s.bus, change.RowChange{
		Kind: "promise", Topic: Topic, Key: name, Change: events.Change{Action: verb}, Detail: map[string]any{"subjects": subjects},
	})
}
