package change

import (
	"context"
	"log/slog"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// RowChange describes the change of one row by a unit.
type RowChange struct {
	// Kind is the prefix of the audit action: "item" makes "item.update". Topic and Key are those
	// of the announced event; "<Topic>/<Key>" is the resource in the audit log.
	Kind, Topic, Key string
	// Change is the change to announce. Its Action is the verb of the audit action; "delete"
	// announces that the row no longer exists.
	Change events.Change
	// Detail and Note go to the audit log.
	Detail any
	Note   string
}

// AuditAndAnnounce adds the unit's audit entry and announces the change after commit.
func AuditAndAnnounce(u *uow.Unit, bus events.Bus, d RowChange) {
	u.Audit(uow.Entry{Action: d.Kind + "." + d.Change.Action, Resource: d.Topic + "/" + d.Key, Detail: d.Detail, Note: d.Note})
	what := d.Change
	if what.Action == "delete" {
		what = what.Deletion()
	}
	Announce(u, bus, d.Topic, d.Key, what)
}

// Announce adds the change of a row to the unit's audit row, and publishes it after the unit commits,
// with the unit's caller and time. A failed publication is logged only, because subscribers also find
// the change in SQL.
func Announce(u *uow.Unit, bus events.Bus, topic, key string, what events.Change) {
	u.Changed(uow.Change{Topic: topic, Key: key, Version: what.Version, ETag: what.ETag, Action: what.Action, Status: what.Status})
	u.AfterCommit(func(ctx context.Context) {
		caller, _ := principal.From(ctx)
		what.By, what.Time = caller.Person(), u.Now()
		event, err := what.Event(caller.TenantID, topic, key)
		if err == nil {
			err = bus.Publish(ctx, event)
		}
		if err != nil {
			slog.WarnContext(ctx, "events: announcement of a change failed", "topic", topic, "key", key, "error", err)
		}
	})
}
