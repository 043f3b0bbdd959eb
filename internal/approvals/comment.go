package approvals

import (
	"context"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
)

// Comments returns one page of what was said of an approval, oldest first.
func (s *Service) Comments(ctx context.Context, a *Approval, page storage.Page) (storage.Listing[Comment], error) {
	return storage.List[Comment](s.db.Read(ctx).Where("approval_id = ?", a.ID), page, change.CommentSorts)
}

// Comment adds what the caller says of an approval, whatever its status. It is a version of the
// approval, so that who votes for one that he read before is asked to read what was said; the
// votes stand, and who comments has written nothing of what is proposed. See
// change.Lifecycle.Comment. Errors: ValidationFailed; Forbidden for who may neither decide nor
// propose such changes.
func (s *Service) Comment(ctx context.Context, u *uow.Unit, a *Approval, text string) (*Comment, error) {
	if err := s.mayComment(ctx, a); err != nil {
		return nil, err
	}
	if broken := change.CheckText("/text", text); len(broken) > 0 {
		return nil, apperr.Invalid(broken...)
	}
	comment := &Comment{ApprovalID: a.ID, Comment: change.CommentOf(ctx, u, text)}
	after, err := s.lifecycle(ctx).Comment(ctx, u, a, a.Status, comment)
	if err != nil {
		return nil, err
	}
	detail := map[string]any{"commentId": comment.ID, "text": text}
	if err := insertEvent(ctx, u, after, "comment", &after.Status, detail); err != nil {
		return nil, err
	}
	u.Audit(entry("comment", after, detail, ""))
	s.announce(u, "comment", after)
	return comment, nil
}

// mayComment refuses who only reads approvals: those comment who take part in them.
func (s *Service) mayComment(ctx context.Context, a *Approval) error {
	if may(ctx, decidePermission) {
		return nil
	}
	return s.mayPropose(ctx, a)
}
