package returns

import (
	"context"
	"fmt"

	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Comment is a comment on a return.
type Comment struct {
	ReturnID int64
	change.Comment
}

// TableName implements gorm's Tabler.
func (Comment) TableName() string { return "return_comments" }

type commentView struct {
	ReturnID int64 `json:"returnId"`
	change.CommentView
}

func commentViewOf(c Comment) commentView { return commentView{c.ReturnID, c.View()} }

func (s *Service) comments(ctx context.Context, row *Return, in httpapi.Page) (httpapi.List[commentView], error) {
	listing, err := storage.List[Comment](s.flow.DB.Read(ctx), in.Page(), change.CommentSorts, storage.OwnedBy("return_id", row.ID))
	return httpapi.ListOf(listing, commentViewOf), err
}

type commentRequest struct{ Body commentCreate }

type commentCreate struct {
	Text string `json:"text" validate:"required,max=5000"`
}

// comment adds a comment of the caller to a return, whatever its status.
func (s *Service) comment(ctx context.Context, u *uow.Unit, row *Return, in commentRequest) (httpapi.Created[commentView], error) {
	comment := &Comment{ReturnID: row.ID, Comment: change.CommentOf(ctx, u, in.Body.Text)}
	if err := s.flow.Comment(ctx, u, row, row, comment); err != nil {
		return httpapi.Created[commentView]{}, err
	}
	return httpapi.Created[commentView]{Location: fmt.Sprintf("/returns/%d/comments", row.ID), Body: commentViewOf(*comment)}, nil
}
