package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Roles are named sets of permissions, which users hold.
type Roles struct{ client *Client }

// Role is one role. Read it, change Name or Permissions, and save it.
type Role struct {
	Stamp
	originState
	ID          int64    `json:"id"`
	Name        string   `json:"name"`
	Permissions []string `json:"permissions"`
	Merged      *Merged  `json:"merged,omitempty"`
}

func (r *Role) editable() []string { return []string{"name", "permissions"} }

// UnmarshalJSON reads a role and remembers how it was read.
func (r *Role) UnmarshalJSON(text []byte) error {
	type members Role
	var fresh members
	if err := json.Unmarshal(text, &fresh); err != nil {
		return err
	}
	*r = Role(fresh)
	return setOrigin(r)
}

// NewRole is a role to create.
type NewRole struct {
	Name string `json:"name"`
	// Permissions are among those that [Client.Permissions] lists, "<resource>:*" or "*".
	Permissions []string `json:"permissions,omitempty"`
}

// RoleFilter narrows a list of roles.
type RoleFilter struct {
	Paging
	// Text is looked for in the name.
	Text string
}

// RoleRevision is one version of a role.
type RoleRevision struct {
	Version     int64     `json:"version"`
	Action      string    `json:"action"`
	Name        string    `json:"name"`
	Permissions []string  `json:"permissions"`
	ChangedBy   Person    `json:"changedBy"`
	ChangedTime time.Time `json:"changedTime"`
}

func rolePath(id int64) string { return "/roles/" + strconv.FormatInt(id, 10) }

// List lists roles by name, or as the filter's Sort says.
func (s *Roles) List(f RoleFilter) List[Role] {
	return List[Role]{s.client, "/roles", f.parameters().text("q", f.Text)}
}

// Get reads a role.
func (s *Roles) Get(ctx context.Context, id int64, options ...CallOption) (Role, error) {
	return get[Role](ctx, s.client, rolePath(id), options)
}

// Create creates a role.
func (s *Roles) Create(ctx context.Context, r NewRole, options ...CallOption) (Role, error) {
	return call[Role](ctx, s.client, request{method: http.MethodPost, path: "/roles", body: r}, options)
}

// Save sends what was changed in r since it was read and makes r the saved role. With
// [MergeDisjoint] edits that give and take different permissions both succeed.
func (s *Roles) Save(ctx context.Context, r *Role, options ...CallOption) error {
	return save(ctx, s.client, rolePath(r.ID), r, options)
}

// Delete deletes the role as it was read, if nobody holds it.
func (s *Roles) Delete(ctx context.Context, r Role, options ...CallOption) error {
	return remove(ctx, s.client, rolePath(r.ID), r.ETag, options)
}

// History lists a role's versions, newest first.
func (s *Roles) History(id int64, p Paging) List[RoleRevision] {
	return List[RoleRevision]{s.client, rolePath(id) + "/history", p.parameters()}
}
