package users

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/input"
	"interlock/internal/access/secrets"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// MaxLinks is the maximum number of links per user.
const MaxLinks = 10

// Link maps an identity at a provider of single sign-on to a user. Adding or removing a link
// changes the user's version.
type Link struct {
	ID       int64 `gorm:"primaryKey"`
	TenantID int64
	UserID   int64
	// IdentityHash is the lookup key: a digest of issuer and subject. It compares them byte for
	// byte, independently of a database's collation.
	IdentityHash string
	// Issuer and Subject are for display.
	Issuer, Subject string
	LastUsedTime    *time.Time
	CreatedTime     time.Time
}

// TableName implements gorm's Tabler.
func (Link) TableName() string { return "user_links" }

// IdentityKey is the unique key that maps an identity to at most one user of a tenant.
const IdentityKey = "uq_user_links_identity"

// IdentityHash returns the digest of an identity. An issuer is a URL and contains no NUL.
func IdentityHash(issuer, subject string) string {
	sum := sha256.Sum256([]byte(issuer + "\x00" + subject))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// LinkTo finds the link of an identity, in the context's tenant. Errors: gorm.ErrRecordNotFound.
func LinkTo(db *gorm.DB, issuer, subject string) (Link, error) {
	var row Link
	err := db.Where("identity_hash = ?", IdentityHash(issuer, subject)).Take(&row).Error
	return row, err
}

// linksOf reads a user's links, oldest first.
func linksOf(db *gorm.DB, userID int64) ([]Link, error) {
	rows := []Link{}
	if err := db.Where("user_id = ?", userID).Order("id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the user's links: %w", err)
	}
	return rows, nil
}

// ErrNoLink reports that a link no longer exists.
var ErrNoLink = errors.New("access: the link was removed")

// Use records a sign-in by a link, in a unit that locks the user. Errors: ErrNoLink.
//
//	UPDATE user_links SET last_used_time = ? WHERE tenant_id = ? AND id = ? AND user_id = ?
func (l Link) Use(tx *gorm.DB, now time.Time) error {
	const statement = "UPDATE user_links SET last_used_time = ? WHERE tenant_id = ? AND id = ? AND user_id = ?"
	result := tx.Exec(statement, now, l.TenantID, l.ID, l.UserID)
	switch {
	case result.Error != nil:
		return fmt.Errorf("note the use of a link: %w", result.Error)
	case result.RowsAffected != 1:
		return ErrNoLink
	}
	return nil
}

// Links returns a user's links, oldest first.
func (s *Service) Links(ctx context.Context, user *User) ([]Link, error) {
	return linksOf(s.db.Read(ctx), user.ID)
}

// CheckLinkLimit returns ValidationFailed if a user has MaxLinks links.
func CheckLinkLimit(db *gorm.DB, userID int64) error {
	links, err := linksOf(db, userID)
	if err != nil {
		return err
	}
	if len(links) >= MaxLinks {
		return input.Invalid("/provider", "max", "must be of one of at most "+strconv.Itoa(MaxLinks)+" links; remove one first")
	}
	return nil
}

// RemoveLink deletes a link of a user who was just read, and the roles that the link granted. The
// user's sessions end, except the one with this token; "" ends all. Errors: NotFound; Forbidden if
// the user has a permission that the caller lacks; InUse if the user has no password and could not
// sign in without the link, or if no user who can sign in would have access:*.
func (s *Service) RemoveLink(ctx context.Context, u *uow.Unit, user *User, id int64, session string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	links, err := linksOf(tx, user.ID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(links, func(l Link) bool { return l.ID == id })
	if at < 0 {
		return apperr.MissingRow("link", strconv.FormatInt(id, 10))
	}
	var kept secrets.Digest
	if session != "" {
		kept = secrets.DigestOf(session)
	}
	gave, err := RolesBy(tx, links[at])
	if err != nil {
		return err
	}
	// The user's version is guarded, so no link is added or removed concurrently.
	_, err = s.ChangeUser(ctx, u, user, nil, Change{
		Action: "unlink", KeptSession: kept, Set: guard.Set{}, Apply: func(*User) {},
		Detail: map[string]any{"issuer": links[at].Issuer, "taken": RoleNames(gave)},
		Also: func(ctx context.Context, tx *gorm.DB) error {
			if err := removeLinks(tx, user, links[at]); err != nil {
				return err
			}
			left := slices.Concat(links[:at], links[at+1:])
			if err := s.requireWayIn(ctx, user, left, u.Now()); err != nil {
				return err
			}
			taken, err := grantsOf(tx, user.held())
			if err != nil {
				return err
			}
			return s.requireManager(ctx, tx, taken)
		},
	})
	return err
}

// removeLinks deletes links of a user and the roles that they granted, in a unit that locks the
// user.
func removeLinks(tx *gorm.DB, user *User, links ...Link) error {
	if len(links) == 0 {
		return nil
	}
	ids := make([]int64, len(links))
	for i, link := range links {
		ids[i] = link.ID
	}
	for _, statement := range []string{
		"DELETE FROM user_links WHERE tenant_id = ? AND user_id = ? AND id IN ?",
		"DELETE FROM user_roles WHERE tenant_id = ? AND user_id = ? AND link_id IN ?",
	} {
		if err := tx.Exec(statement, user.TenantID, user.ID, ids).Error; err != nil {
			return fmt.Errorf("remove the user's links: %w", err)
		}
	}
	return nil
}

// requireWayIn returns InUse for a user who could not sign in with the remaining links.
func (s *Service) requireWayIn(ctx context.Context, user *User, left []Link, now time.Time) error {
	isInvited := user.InvitationExpiresTime != nil && now.Before(*user.InvitationExpiresTime)
	if user.PasswordHash != "" || isInvited {
		return nil
	}
	issuers, err := s.IssuersFor(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(left, func(l Link) bool { return slices.Contains(issuers, l.Issuer) }) {
		return apperr.New(apperr.InUse, "User %q has no password, and this is the only way in. Invite the user to choose a password first; nothing was changed.", user.Username)
	}
	return nil
}

// IssuersFor returns the issuers whose links permit a sign-in, in the caller's tenant.
func (s *Service) IssuersFor(ctx context.Context) ([]string, error) {
	caller, _ := principal.From(ctx)
	tenant, err := s.tenants.NameOf(ctx, caller.TenantID)
	if err != nil {
		return nil, err
	}
	return s.issuers(tenant), nil
}

// RolesBy returns the roles that a link granted.
func RolesBy(tx *gorm.DB, link Link) ([]Role, error) {
	var roles []Role
	const among = "id IN (SELECT role_id FROM user_roles WHERE tenant_id = ? AND user_id = ? AND link_id = ?)"
	if err := tx.Where(among, link.TenantID, link.UserID, link.ID).Order("name").Find(&roles).Error; err != nil {
		return nil, fmt.Errorf("read the roles of a link: %w", err)
	}
	return roles, nil
}

// GrantByLink grants roles to the user of a link, and records the link as their origin.
func GrantByLink(tx *gorm.DB, link Link, roles []Role) error {
	if len(roles) == 0 {
		return nil
	}
	rows := make([]userRole, len(roles))
	for i, role := range roles {
		rows[i] = userRole{UserID: link.UserID, RoleID: role.ID, LinkID: link.ID}
	}
	if err := tx.Create(&rows).Error; err != nil {
		return fmt.Errorf("grant the roles of groups: %w", err)
	}
	return nil
}

// RevokeByLink revokes roles that a link granted. It does not revoke a role without which no user
// would have access:*; kept contains these roles.
func (s *Service) RevokeByLink(ctx context.Context, tx *gorm.DB, link Link, roles []Role) (kept []Role, err error) {
	if len(roles) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(roles))
	for i, role := range roles {
		ids[i] = role.ID
	}
	const statement = "DELETE FROM user_roles WHERE tenant_id = ? AND user_id = ? AND link_id = ? AND role_id IN ?"
	if err := tx.Exec(statement, link.TenantID, link.UserID, link.ID, ids).Error; err != nil {
		return nil, fmt.Errorf("remove the roles of groups: %w", err)
	}
	lost, err := permissionsOf(tx, roles)
	if err != nil {
		return nil, err
	}
	for _, role := range roles {
		if principal.Covers(lost[role.ID], manageAll) {
			kept = append(kept, role)
		}
	}
	if len(kept) == 0 {
		return nil, nil
	}
	err = s.requireManager(ctx, tx, []string{manageAll})
	if !apperr.Has(err, apperr.InUse) {
		return nil, err
	}
	slog.WarnContext(ctx, "single sign-on: role of a lost group retained; no other user has "+manageAll, "user", link.UserID)
	return kept, GrantByLink(tx, link, kept)
}

// RoleNames returns the names of roles.
func RoleNames(roles []Role) []string {
	names := make([]string, len(roles))
	for i, role := range roles {
		names[i] = role.Name
	}
	return names
}
