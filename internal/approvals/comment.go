package approvals

import (
	"context"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
)

// Comments returns one page of an approval's comments, oldest first.
func (s *Service) Comments(ctx context.Context, a *Approval, page storage.Page) (storage.Listing[Comment], error) {
	return storage.List[Comment](s.db.Read(ctx), page, change.CommentSorts, storage.OwnedBy("approval_id", a.ID))
}

// Comment adds a comment of the caller to an approval, whatever its status. It increments the
// version, so that a vote for the version before is rejected until the voter has read the comment.
// Votes remain valid, and the commenter does not count as a writer of the content. See
// change.Lifecycle.Comment. Errors: ValidationFailed; Forbidden for callers who may neither decide
// on nor propose such changes.
func (s *Service) Comment(ctx context.Context, u *uow.Unit, a *Approval, text string) (*Comment, error) {
	if err := s.mayComment(ctx, a); err != nil {
		return nil, err
	}
	if violations := change.CheckText("/text", text); len(violations) > 0 {
		return nil, apperr.Invalid(violations...)
	}
	comment := &Comment{ApprovalID: a.ID, Comment: change.CommentOf(ctx, u, text)}
	after, err := s.lifecycle().Comment(ctx, u, a, a.Status, comment)
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

// mayComment rejects callers who may only read approvals. Errors: Forbidden.
func (s *Service) mayComment(ctx context.Context, a *Approval) error {
	if may(ctx, decidePermission) {
		return nil
	}
	return s.mayPropose(ctx, a)
}
