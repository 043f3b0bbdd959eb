package client

// MenuMove is the request body of [Menus.Move].
type MenuMove struct {
	// ParentID is the new parent; nil is the top level. It is always sent, because an absent parent
	// means the current one.
	ParentID *int64 `json:"parentId"`
	// Position is the new index among its siblings; nil is the current index below the current
	// parent, and the last index below another.
	Position *int64 `json:"position,omitzero"`
}
