package change

import (
	"context"
	"log/slog"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

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
