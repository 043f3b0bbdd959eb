package users

import (
	"context"
	"fmt"
	"slices"
	"time"

	"interlock/internal/access/callers"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// DisabledAmong returns the disabled users among some users of the context's tenant:
//
//	SELECT id FROM users WHERE tenant_id = ? AND id IN (…) AND disabled = 1
func (s *Service) DisabledAmong(ctx context.Context, users []int64) ([]int64, error) {
	if len(users) == 0 {
		return nil, nil
	}
	var ids []int64
	if err := s.db.Read(ctx).Model(&User{}).Where("id IN ? AND disabled = ?", users, true).Order("id").Pluck("id", &ids).Error; err != nil {
		return nil, fmt.Errorf("read which users are disabled: %w", err)
	}
	return ids, nil
}

// UnableAmong returns those users of the context's tenant that are disabled, lack the permission
// or do not exist.
func (s *Service) UnableAmong(ctx context.Context, permission string, users ...int64) ([]int64, error) {
	disabled, err := s.DisabledAmong(ctx, users)
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	owners := make([]callers.Owner, len(users))
	for i, id := range users {
		owners[i] = callers.Owner{TenantID: caller.TenantID, UserID: id}
	}
	held, err := s.callers.RightsOf(ctx, owners)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(users), func(id int64) bool {
		return !slices.Contains(disabled, id) && principal.Covers(held[callers.Owner{TenantID: caller.TenantID, UserID: id}].Permissions, permission)
	}), nil
}

// Disabled returns at most limit disabled users of the context's tenant, newest first.
func (s *Service) Disabled(ctx context.Context, limit int) ([]int64, error) {
	var ids []int64
	if err := s.db.Read(ctx).Model(&User{}).Where("disabled = ?", true).Order("id DESC").Limit(limit).Pluck("id", &ids).Error; err != nil {
		return nil, fmt.Errorf("read the disabled users: %w", err)
	}
	return ids, nil
}

// reset are the actions by which another user changed a user's credentials.
var reset = []string{"create", "password", "reset-factors", "invite"}

// Resets returns the changes of the users' credentials by other users since a time, in the order of
// their times. If another user made such a change, the result also contains the changes of that
// user's credentials, and so on recursively:
//
//	SELECT … FROM user_histories WHERE tenant_id = ? AND user_id IN (…) AND action IN (…) AND changed_time >= ?
func (s *Service) Resets(ctx context.Context, u *uow.Unit, users []int64, since time.Time) ([]principal.Reset, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	var resets []principal.Reset
	searched := map[int64]bool{}
	for len(users) > 0 {
		var versions []UserVersion
		err := tx.Select("user_id", "changed_by", "creator_id", "changed_time").
			Where("user_id IN ? AND action IN ? AND changed_time >= ?", users, reset, since).Find(&versions).Error
		if err != nil {
			return nil, fmt.Errorf("read the resets of accounts: %w", err)
		}
		for _, user := range users {
			searched[user] = true
		}
		users = nil
		for _, v := range versions {
			resets = append(resets, principal.Reset{UserID: v.UserID, By: []int64{v.ChangedBy, v.CreatorID}, Time: v.ChangedTime})
			users = append(users, v.ChangedBy, v.CreatorID)
		}
		users = slices.DeleteFunc(users, func(user int64) bool { return searched[user] })
	}
	slices.SortStableFunc(resets, func(a, b principal.Reset) int { return a.Time.Compare(b.Time) })
	return resets, nil
}

// Person returns a user of the context's tenant as a reference, and false if the user does not
// exist or is disabled.
func (s *Service) Person(ctx context.Context, id int64) (principal.Person, bool, error) {
	user, err := FindUser(s.db.Read(ctx), id)
	if storage.IsNotFound(err) {
		return principal.Person{}, false, nil
	}
	if err != nil {
		return principal.Person{}, false, fmt.Errorf("read a user: %w", err)
	}
	return principal.Person{ID: user.ID, Name: user.DisplayName}, !user.Disabled, nil
}

// StillMay returns the users that are enabled and have a permission. It increments the tenant's
// revision, like each change of permissions: of two concurrent units the second waits or is
// retried. On a cluster of servers a row lock would not have this effect.
func (s *Service) StillMay(ctx context.Context, u *uow.Unit, users []int64, permission string) (map[int64]bool, error) {
	tx, err := s.tenants.BumpRevision(ctx, u)
	if err != nil {
		return nil, err
	}
	const query = `SELECT u.id, p.permission FROM users u
		JOIN user_roles h ON h.user_id = u.id AND h.tenant_id = u.tenant_id
		JOIN role_permissions p ON p.role_id = h.role_id AND p.tenant_id = h.tenant_id
		WHERE u.tenant_id = ? AND u.id IN ? AND u.disabled = ?`
	caller, _ := principal.From(ctx)
	var held []struct {
		ID         int64
		Permission string
	}
	if err := tx.Raw(query, caller.TenantID, users, false).Scan(&held).Error; err != nil {
		return nil, fmt.Errorf("read the permissions of users: %w", err)
	}
	may := make(map[int64]bool, len(users))
	for _, grant := range held {
		if principal.Covers([]string{grant.Permission}, permission) {
			may[grant.ID] = true
		}
	}
	return may, nil
}

// Reader returns a user of the context's tenant as a caller with one permission, for reading records
// outside of a request, and false if the user is disabled or lacks the permission.
func (s *Service) Reader(ctx context.Context, id int64, permission string) (principal.Principal, bool, error) {
	unable, err := s.UnableAmong(ctx, permission, id)
	if err != nil || len(unable) > 0 {
		return principal.Principal{}, false, err
	}
	caller, _ := principal.From(ctx)
	var found []struct{ DisplayName, Currency string }
	err = s.db.Read(storage.AcrossTenants(ctx)).Raw(`SELECT u.display_name, t.currency FROM users u JOIN tenants t ON t.id = u.tenant_id
		WHERE u.tenant_id = ? AND u.id = ?`, caller.TenantID, id).Scan(&found).Error
	if err != nil || len(found) == 0 {
		return principal.Principal{}, false, err
	}
	return principal.Principal{
		Kind: principal.Admin, TenantID: caller.TenantID, Currency: found[0].Currency, UserID: id, Name: found[0].DisplayName, Permissions: []string{permission},
	}, true, nil
}
