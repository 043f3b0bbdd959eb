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

// MaxTextLength is the maximum length of a comment, in characters.
const MaxTextLength = 5_000

// CheckText reports a violation if text is empty or too long.
func CheckText(pointer, text string) (broken apperr.Fields) {
	broken.Check(text != "", pointer, "required", "is required")
	broken.Check(utf8.RuneCountInString(text) <= MaxTextLength, pointer, "max", fmt.Sprintf("must have at most %d characters", MaxTextLength))
	return broken
}

// Comment is a user's comment on a row. Models embed it and add the id of that row.
type Comment struct {
	ID            int64
	TenantID      int64
	Text          string
	CreatedBy     int64
	CreatedByName string
	CreatedTime   time.Time
}

// Posted returns the comment in a model that embeds it.
func (c *Comment) Posted() *Comment { return c }

// CommentOf returns a comment by the context's caller at the unit's time.
func CommentOf(ctx context.Context, u *uow.Unit, text string) Comment {
	caller, _ := principal.From(ctx)
	return Comment{Text: text, CreatedBy: caller.UserID, CreatedByName: caller.Name, CreatedTime: u.Now()}
}

// CommentSorts are the sort orders of every list of comments.
var CommentSorts = storage.Sorts{Columns: map[string]string{"id": "id"}, Default: "id"}

// CommentView is the API representation of a comment.
type CommentView struct {
	ID          int64            `json:"id"`
	Text        string           `json:"text"`
	CreatedBy   principal.Person `json:"createdBy"`
	CreatedTime time.Time        `json:"createdTime"`
}

// View returns the representation of the comment.
func (c Comment) View() CommentView {
	return CommentView{ID: c.ID, Text: c.Text, CreatedBy: principal.Person{ID: c.CreatedBy, Name: c.CreatedByName}, CreatedTime: c.CreatedTime}
}

// Comment inserts comment, a model that embeds Comment, and makes it the next version of the row,
// if the row has the status passed as status. It returns the updated row; the caller records the
// history. It does not conflict with concurrent changes that leave the status unchanged:
//
//	UPDATE t SET comments = comments + 1, version = version + 1 WHERE tenant_id = ? AND id = ? AND status = ?
//
// If the status has changed since, the unit is run again.
func (l Lifecycle[T, M]) Comment(ctx context.Context, u *uow.Unit, row M, status int, comment any) (M, error) {
	err := guard.Adjust[T](ctx, u, row.Ref().ID, guard.Set{"comments": guard.Add("comments", 1)}, "status = ?", status)
	if errors.Is(err, guard.ErrRefused) {
		return row, uow.Overtaken(l.Machine.Name)
	}
	if err != nil {
		return row, notFoundIfDeleted(err, l.Label(row))
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
