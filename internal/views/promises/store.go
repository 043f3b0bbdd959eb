package promises

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/core/walk"
	"interlock/internal/events"
)

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
func (s *Service) report(ctx context.Context, st *walk.State, found []Found) error {
	for tenant, subjects := range tenantsOf(found) {
		ctx := principal.With(ctx, principal.System(tenant, "promises"))
		known, err := violationsOf(s.db.Read(ctx), st.Name)
		if err == nil {
			err = s.db.Write(ctx).Exec(markViolations, st.Passes, tenant, st.Name, subjects, st.Passes).Error
		}
		if err == nil {
			err = s.reportNew(ctx, st, tenant, fresh(subjects, known))
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

func (s *Service) reportNew(ctx context.Context, st *walk.State, tenant int64, subjects []string) error {
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
			if err := tx.Exec(insertViolation, tenant, st.Name, subject, st.Passes, u.Now(), st.Last.EndedTime).Error; err != nil {
				return err
			}
		}
		s.record(u, st.Name, "violate", subjects)
		return nil
	})
}

// Complete implements walk.Task: it deletes the violations that a pass did not find again, because
// they are repaired.
func (s *Service) Complete(ctx context.Context, st *walk.State) error {
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
					return walk.ErrOvertaken
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
