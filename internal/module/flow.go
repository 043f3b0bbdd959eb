package module

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/events"
)

// Record is the pointer to the model T of a record with a status.
type Record[T any] interface {
	change.Model[T]
	// Label is the record's name in messages: `return 12`.
	Label() string
	// ShortName is the record's name in announcements.
	ShortName() string
	// StatusCode points to the code of the status.
	StatusCode() *int
}

// Event is a history row of a record.
type Event interface{ Recorded() change.Event }

// Flow changes records with a status. Each change is a guarded write, and is recorded in the
// history, in the audit log, and as an announcement after commit. T is the model, and E the model of
// its history.
type Flow[T status.Stateful, M Record[T], E Event] struct {
	DB  *storage.DB
	Bus events.Bus
	// Topic is the first segment of the records' paths, and Kind the prefix of their audit actions.
	Topic, Kind string
	// View returns the representation of a record.
	View func(ctx context.Context, row M) any
	// Find reads a record with its parts. Errors: gorm.ErrRecordNotFound.
	Find func(db *gorm.DB, id int64) (M, error)
	// Owner is the column of E with the id of the record.
	Owner string
	// Event returns a history row of the record with an id.
	Event func(id int64, e change.Event) E
}

// Action is a transition with its fields, which the request body contains.
type Action interface {
	// Action returns the name of the action in the machine.
	Action() string
}

// Step is an Action that changes only the record.
type Step[M any] interface {
	Action
	// Fill sets the step's fields of the record, and returns the columns to write.
	Fill(after M) guard.Set
}

func machineOf[T status.Stateful]() *status.Machine {
	var model T
	return model.States()
}

// State returns the status of a record.
func (f Flow[T, M, E]) State(row M) status.State { return machineOf[T]().Of(*row.StatusCode()) }

// One returns a record with its parts. Errors: NotFound.
func (f Flow[T, M, E]) One(ctx context.Context, id int64) (M, error) {
	row, err := f.Find(f.DB.Read(ctx), id)
	return row, storage.Found(err, machineOf[T]().Name, strconv.FormatInt(id, 10))
}

// History returns one page of the events of a record, newest first.
func (f Flow[T, M, E]) History(ctx context.Context, row M, in httpapi.Page) (httpapi.List[change.EventView[T]], error) {
	listing, err := storage.List[E](f.DB.Read(ctx), in.Page(), change.HistorySorts, storage.OwnedBy(f.Owner, row.Ref().ID))
	return httpapi.ListOf(listing, func(e E) change.EventView[T] { return change.EventViewOf[T](e.Recorded()) }), err
}

// CountByStatus returns the number of records per status, zeros included; see storage.Count.
func (f Flow[T, M, E]) CountByStatus(ctx context.Context) (map[string]storage.Count, error) {
	return change.CountByStatus[T](f.DB.Read(ctx), machineOf[T]())
}

// Lifecycle declares the records to package change. A domain may restrict it before a Move.
func (f Flow[T, M, E]) Lifecycle() change.Lifecycle[T, M] {
	return change.Lifecycle[T, M]{
		Rows:    change.Rows[T, M]{DB: f.DB, Label: M.Label, View: f.View, Find: f.Find},
		Machine: machineOf[T](), State: f.State,
	}
}

// Create inserts a record at version 1 and records it. The caller then inserts the record's parts.
func (f Flow[T, M, E]) Create(ctx context.Context, u *uow.Unit, row M, detail any) error {
	if err := guard.Insert(ctx, u, row); err != nil {
		return fmt.Errorf("insert %s: %w", machineOf[T]().Name, err)
	}
	if err := f.AddHistory(ctx, u, row, "create", nil, detail); err != nil {
		return err
	}
	f.Record(u, "create", row, map[string]any{"version": row.Ref().Version, "detail": detail})
	return nil
}

// Take makes a step of a record that was just read, and records it. Errors: ValidationFailed, and
// those of change.Lifecycle.Transition.
func (f Flow[T, M, E]) Take(ctx context.Context, u *uow.Unit, row M, step Step[M], ifMatch *guard.Precondition) (M, error) {
	lifecycle := f.Lifecycle()
	if err := lifecycle.CheckPrecondition(row, ifMatch); err != nil {
		return nil, err
	}
	if err := httpapi.Validate(step); err != nil {
		return nil, err
	}
	after, err := f.Move(ctx, u, lifecycle, row, step.Action(), ifMatch, step, step.Fill)
	if err != nil {
		return nil, err
	}
	f.Record(u, step.Action(), after, f.Detail(row, after, step))
	return after, nil
}

// Move changes the status of a record, and inserts the version into the history; see
// change.Lifecycle.Transition for its errors. fill sets fields of the record, and returns their
// columns. A unit calls Record once for each record.
func (f Flow[T, M, E]) Move(
	ctx context.Context, u *uow.Unit, lifecycle change.Lifecycle[T, M], row M, action string, ifMatch *guard.Precondition, detail any, fill func(after M) guard.Set,
) (M, error) {
	return lifecycle.Transition(ctx, u, row, action, ifMatch, func(status.State) (M, error) {
		return f.Write(ctx, u, row, action, detail, fill)
	})
}

// Write is Move without the checks of the lifecycle:
//
//	UPDATE t SET status = ?, …, version = version + 1 WHERE tenant_id = ? AND id = ? AND status = ? AND version = ?
//
// Errors: guard.ErrStale, guard.ErrDeleted.
func (f Flow[T, M, E]) Write(ctx context.Context, u *uow.Unit, row M, action string, detail any, fill func(after M) guard.Set) (M, error) {
	from := f.State(row)
	to, _ := machineOf[T]().Next(action, from)
	after := copyOf[T](row)
	*after.StatusCode() = to.Code
	if err := guard.Transition[T](ctx, guard.Deferred(u), row.Ref(), from, to, fill(after)); err != nil {
		return nil, err
	}
	if err := guard.Advance(ctx, u, after); err != nil {
		return nil, err
	}
	return after, f.AddHistory(ctx, u, after, action, &from.Code, detail)
}

// Edit changes fields of a record but not its status, and inserts the version into the history under
// a verb of the machine:
//
//	UPDATE t SET …, version = version + 1 WHERE tenant_id = ? AND id = ? AND version = ?
//
// If another unit has changed the record since it was read, the unit is run again. The caller calls
// Record, or Announce if the audit entry of another resource covers the change.
func (f Flow[T, M, E]) Edit(ctx context.Context, u *uow.Unit, row M, verb string, detail any, fill func(after M) guard.Set) (M, error) {
	after := copyOf[T](row)
	err := guard.Update[T](ctx, guard.Deferred(u), row.Ref(), fill(after))
	if errors.Is(err, guard.ErrStale) {
		return nil, uow.Overtaken(machineOf[T]().Name)
	}
	if err != nil {
		return nil, fmt.Errorf("change %s: %w", row.Label(), err)
	}
	if err := guard.Advance(ctx, u, after); err != nil {
		return nil, err
	}
	return after, f.AddHistory(ctx, u, after, verb, row.StatusCode(), detail)
}

// Comment adds a comment to a record and records it. The comment is a model that embeds
// change.Comment; before is the record at the start of the unit. Errors: ValidationFailed at /text;
// those of change.Lifecycle.Comment.
func (f Flow[T, M, E]) Comment(ctx context.Context, u *uow.Unit, before, row M, comment interface{ Posted() *change.Comment }) error {
	posted := comment.Posted()
	if violations := change.CheckText("/text", posted.Text); len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	after, err := f.Lifecycle().Comment(ctx, u, row, *row.StatusCode(), comment)
	if err != nil {
		return err
	}
	detail := map[string]any{"commentId": posted.ID, "text": posted.Text}
	if err := f.AddHistory(ctx, u, after, "comment", after.StatusCode(), detail); err != nil {
		return err
	}
	f.Record(u, "comment", after, f.Detail(before, after, detail))
	return nil
}

func copyOf[T any, M change.Model[T]](row M) M {
	copied := *row
	return &copied
}

// AddHistory inserts the record's current version into its history. from is nil for a new one.
func (f Flow[T, M, E]) AddHistory(ctx context.Context, u *uow.Unit, row M, action string, from *int, detail any) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	event, err := change.EncodeEvent(row, action, from, *row.StatusCode(), detail)
	if err != nil {
		return err
	}
	if err := storage.InsertDeferred(tx, f.Event(row.Ref().ID, event)); err != nil {
		return fmt.Errorf("insert %s event: %w", machineOf[T]().Name, err)
	}
	return nil
}

// Detail returns the detail of the audit entry for a change of a record.
func (f Flow[T, M, E]) Detail(before, after M, detail any) map[string]any {
	return map[string]any{"version": after.Ref().Version, "from": f.State(before).Name, "to": f.State(after).Name, "detail": detail}
}

// Record writes the unit's audit entry, and announces the change after commit.
func (f Flow[T, M, E]) Record(u *uow.Unit, action string, row M, detail any) {
	change.AuditAndAnnounce(u, f.Bus, change.RowChange{Kind: f.Kind, Topic: f.Topic, Key: keyOf(row), Detail: detail, Change: f.changeOf(action, row)})
}

// Announce announces a change after commit that the audit entry of another resource covers.
func (f Flow[T, M, E]) Announce(u *uow.Unit, action string, row M) {
	change.Announce(u, f.Bus, f.Topic, keyOf(row), f.changeOf(action, row))
}

func keyOf(row guard.Versioned) string { return strconv.FormatInt(row.Ref().ID, 10) }

func (f Flow[T, M, E]) changeOf(action string, row M) events.Change {
	ref := row.Ref()
	return events.Change{Version: ref.Version, ETag: ref.ETag(), Action: action, Status: f.State(row).Name, Label: row.ShortName()}
}

// StepRequest is the request of a transition.
type StepRequest[S any] struct {
	Body    httpapi.StepBody[S]
	IfMatch *guard.Precondition
}

// Transition registers POST …/{id}/{action} for an action. apply makes it.
func Transition[S Action, M, V any](
	r *httpapi.Router, path, permission string, find httpapi.Find[M], apply func(ctx context.Context, u *uow.Unit, row M, step S, ifMatch *guard.Precondition) (V, error),
) *httpapi.Route {
	var step S
	return httpapi.Transition(r, path, step.Action(), permission, find, func(ctx context.Context, u *uow.Unit, row M, in StepRequest[S]) (V, error) {
		return apply(ctx, u, row, in.Body.Step, in.IfMatch)
	})
}
