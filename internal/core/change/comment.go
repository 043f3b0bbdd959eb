package change

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// MaxTextLength is how long a comment can be, in characters.
const MaxTextLength = 5_000

// CheckText asks for a text that is there and not too long.
func CheckText(pointer, text string) (broken apperr.Fields) {
	broken.Check(text != "", pointer, "required", "is required")
	broken.Check(utf8.RuneCountInString(text) <= MaxTextLength, pointer, "max", fmt.Sprintf("must have at most %d characters", MaxTextLength))
	return broken
}

// Comment is what somebody said of a row. Models embed it beside the id of that row.
type Comment struct {
	ID            int64
	TenantID      int64
	Text          string
	CreatedBy     int64
	CreatedByName string
	CreatedTime   time.Time
}

// CommentOf is what the context's caller says now.
func CommentOf(ctx context.Context, u *uow.Unit, text string) Comment {
	caller, _ := principal.From(ctx)
	return Comment{Text: text, CreatedBy: caller.UserID, CreatedByName: caller.Name, CreatedTime: u.Now()}
}

// CommentSorts is how every list of comments can be sorted.
var CommentSorts = storage.Sorts{Columns: map[string]string{"id": "id"}, Default: "id"}

// CommentView is a comment as the API shows it.
type CommentView struct {
	ID          int64            `json:"id"`
	Text        string           `json:"text"`
	CreatedBy   principal.Person `json:"createdBy"`
	CreatedTime time.Time        `json:"createdTime"`
}

// View shows a comment.
func (c Comment) View() CommentView {
	return CommentView{ID: c.ID, Text: c.Text, CreatedBy: principal.Person{ID: c.CreatedBy, Name: c.CreatedByName}, CreatedTime: c.CreatedTime}
}

// Comment inserts a comment, which is a model that embeds Comment, as the next version of a row
// that has the status with a code. It returns the row as it is then; its history is for the
// caller. Comments of others, and steps that leave the status, do not get in its way:
//
//	UPDATE t SET comments = comments + 1, version = version + 1 WHERE tenant_id = ? AND id = ? AND status = ?
//
// When the status is another one by now, the unit is run again.
func (l Lifecycle[T, M]) Comment(ctx context.Context, u *uow.Unit, row M, status int, comment any) (M, error) {
	err := guard.Adjust[T](ctx, u, row.Ref().ID, guard.Set{"comments": guard.Add("comments", 1)}, "status = ?", status)
	if errors.Is(err, guard.ErrRefused) {
		return row, uow.Overtaken(l.Machine.Name)
	}
	if err != nil {
		return row, notFoundIfGone(err, l.Label(row))
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return row, err
	}
	if err := tx.Create(comment).Error; err != nil {
		return row, fmt.Errorf("insert a comment on %s: %w", l.Label(row), err)
	}
	after, err := l.find(tx, row.Ref().ID)
	if err != nil {
		return row, fmt.Errorf("read %s after its comment: %w", l.Label(row), err)
	}
	return after, nil
}
