package guard

import (
	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
)

// Conflict describes a stale edit and contains the data that its author needs to resolve it.
type Conflict struct {
	// Resource names the row in messages, such as `config "checkout.tax"`.
	Resource string
	// Expected is the version that the author read; 0 if the tag belonged to another row,
	// such as one that was deleted and created again.
	Expected int64
	// Current is the row's current stamp.
	Current Stamp
	// CurrentView and BaseView are the representations of the current version and of
	// Expected. BaseView is nil without a base: the tag belonged to another row, or
	// retention deleted the version that the author read.
	CurrentView any
	BaseView    any
	// Base, Yours and Theirs are the editable documents of a three-way comparison. Yours is
	// the document after the author's edit. They are nil without a common base.
	Base, Yours, Theirs any
}

// Error returns the VersionConflict response.
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
