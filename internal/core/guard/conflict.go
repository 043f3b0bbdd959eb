package guard

import (
	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
)

// Conflict is a stale edit, with everything its author needs to go on.
type Conflict struct {
	// Resource names the row for people, such as `config "checkout.tax"`.
	Resource string
	// Expected is the version that the author saw; 0 when the tag was of another
	// row, such as one that was deleted and created again.
	Expected int64
	// Current is the row's stamp as it is now.
	Current Stamp
	// CurrentView and BaseView are the representations now and at Expected.
	// BaseView is nil when there is none: the tag was of another row, or the version that the
	// author saw was removed for its age.
	CurrentView any
	BaseView    any
	// Base, Yours and Theirs are the editable documents of a three-way
	// comparison. Yours is the document that the author wanted. They are nil when
	// there is no common base.
	Base, Yours, Theirs any
}

// Error returns the VersionConflict that the author is shown.
func (c Conflict) Error() *apperr.Error {
	e := apperr.New(apperr.VersionConflict, "%s was changed by %s since you read it; nothing of yours was applied.", c.Resource, c.Current.UpdatedBy.Name).
		With("currentVersion", c.Current.Version).
		With("currentEtag", c.Current.ETag).
		With("updatedBy", c.Current.UpdatedBy).
		With("updatedTime", c.Current.UpdatedTime).
		With("current", c.CurrentView)
	if c.Expected == 0 {
		e.Detail = c.Resource + " is not the one you read: it was deleted and created again, or your ETag belongs to another resource. Nothing of yours was applied."
		e.With("expectedVersion", nil)
	} else {
		e.With("expectedVersion", c.Expected)
	}
	if c.Expected == 0 || c.BaseView == nil {
		return e.With("base", nil).With("conflicts", []merge.Conflict{}).
			With("theirsOnly", []string{}).With("yoursOnly", []string{}).With("autoMergeable", false)
	}
	result := merge.ThreeWay(c.Base, c.Yours, c.Theirs)
	return e.With("base", c.BaseView).With("conflicts", result.Conflicts).
		With("theirsOnly", result.TheirsOnly).With("yoursOnly", result.YoursOnly).
		With("autoMergeable", result.AutoMergeable)
}
