package change

import (
	"context"
	"log/slog"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// RowChange is what a unit did to one row.
type RowChange struct {
	// Kind is what audit actions call such rows: "item" makes "item.update". Topic and Key
	// are where the row is announced and, as a path, what the audit log calls it.
	Kind, Topic, Key string
	// Change is what is announced. Its Action is the verb; one that deletes is announced
	// as Gone.
	Change events.Change
	// Detail and Note are for the audit log.
	Detail any
	Note   string
}

// AuditAndAnnounce leaves the unit's audit entry and announces the change after commit.
func AuditAndAnnounce(u *uow.Unit, bus events.Bus, d RowChange) {
	u.Audit(uow.Entry{Action: d.Kind + "." + d.Change.Action, Resource: d.Topic + "/" + d.Key, Detail: d.Detail, Note: d.Note})
	what := d.Change
	if what.Action == "delete" {
		what = what.Gone()
	}
	Announce(u, bus, d.Topic, d.Key, what)
}

// Announce publishes what became of a row once the unit is committed, as done by
// the unit's caller at the unit's time. An event that cannot be published is
// logged: who waits for it finds the change in SQL.
func Announce(u *uow.Unit, bus events.Bus, topic, key string, what events.Change) {
	u.AfterCommit(func(ctx context.Context) {
		caller, _ := principal.From(ctx)
		what.By, what.Time = caller.Person(), u.Now()
		event, err := what.Event(caller.TenantID, topic, key)
		if err == nil {
			err = bus.Publish(ctx, event)
		}
		if err != nil {
			slog.WarnContext(ctx, "a change was not announced", "topic", topic, "key", key, "error", err)
		}
	})
}
