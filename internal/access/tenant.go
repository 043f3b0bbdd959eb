package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/input"
	"interlock/internal/access/tenantsettings"
	"interlock/internal/base/apperr"
	"interlock/internal/base/currency"
	"interlock/internal/core/uow"
)

// DefaultTenant is the tenant of installations that need only one.
const DefaultTenant = "default"

// AdminRole is the role of the first user of each tenant; it has all permissions.
const AdminRole = "admin"

// adminUsername is the username of the first user.
const adminUsername = "admin"

// Tenant is an organisation with a separate set of all records.
type Tenant struct {
	ID   int64 `gorm:"primaryKey"`
	Name string
	// Currency is the currency of all amounts (ISO 4217). It never changes: the amounts are in its
	// minor units.
	Currency    string
	CreatedTime time.Time
	// DisabledTime is the time at which the tenant was disabled; nil for an enabled tenant.
	DisabledTime *time.Time
}

// TableName implements gorm's Tabler.
func (Tenant) TableName() string { return "tenants" }

// Global implements storage.Global.
func (Tenant) Global() {}

// CreateTenant creates a tenant with the role admin, which has all permissions, the user admin, and
// the ready-made menus. Without a currency code, the tenant has the currency of the tenant
// "default" or, if that does not exist, currency.Default. Errors: ValidationFailed, AlreadyExists.
func (s *Service) CreateTenant(ctx context.Context, name, adminPassword, code string) (Tenant, error) {
	if err := input.CheckTenant(name); err != nil {
		return Tenant{}, err
	}
	if code == "" {
		first, err := s.store.tenantByName(ctx, DefaultTenant)
		if err != nil && !apperr.Has(err, apperr.NotFound) {
			return Tenant{}, err
		}
		code = cmp.Or(first.Currency, currency.Default)
	}
	if _, ok := currency.MinorDigits(code); !ok {
		return Tenant{}, apperr.Invalid(apperr.Field{Pointer: "/currency", Code: "currency", Message: "must be a currency code of ISO 4217 in capital letters, such as CNY"})
	}
	hash, err := s.passwords.newHash(ctx, another, "/password", adminUsername, adminPassword)
	if err != nil {
		return Tenant{}, err
	}
	for {
		tenant, err := s.addTenant(ctx, Tenant{Name: name, Currency: code}, hash)
		if !errors.Is(err, errTenantIDTaken) {
			return tenant, err
		}
	}
}

// addTenant assigns the tenant's id before the unit, because the unit runs in that tenant and its
// audit row is the tenant's first.
func (s *Service) addTenant(ctx context.Context, tenant Tenant, passwordHash string) (Tenant, error) {
	id, err := s.store.nextTenantID(ctx)
	if err != nil {
		return Tenant{}, err
	}
	tenant.ID = id
	err = s.runner.Do(AsOperator(ctx, tenant), func(ctx context.Context, u *uow.Unit) error {
		tenant.CreatedTime = u.Now()
		if err := insertTenant(ctx, u, &tenant); err != nil {
			return err
		}
		role := Role{Name: AdminRole, Permissions: []string{"*"}}
		if err := insertRole(ctx, u, &role); err != nil {
			return err
		}
		for _, ready := range s.readyRoles {
			if err := insertRole(ctx, u, &ready); err != nil {
				return err
			}
		}
		admin := User{Username: adminUsername, DisplayName: adminUsername, PasswordHash: passwordHash, Roles: []string{role.Name}}
		if err := insertUser(ctx, u, &admin); err != nil {
			return err
		}
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		if err := cmp.Or(grantRoles(tx, admin.ID, []Role{role}), insertUserVersion(ctx, u, &admin, "create"), tenantsettings.InsertDefault(ctx, u), s.Menus.InsertReady(ctx, u)); err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: "tenant.create", Resource: "tenants/" + tenant.Name, Detail: map[string]any{"adminId": admin.ID, "currency": tenant.Currency}})
		return nil
	})
	return tenant, err
}

// InTenant returns a context in which a command acts on the named tenant.
func (s *Service) InTenant(ctx context.Context, name string) (context.Context, error) {
	tenant, err := s.store.tenantByName(ctx, name)
	if err != nil {
		return nil, err
	}
	return AsOperator(ctx, tenant), nil
}

// command runs a command's change of the named tenant in a unit. Errors: NotFound (tenant).
func (s *Service) command(ctx context.Context, tenant string, fn func(ctx context.Context, u *uow.Unit, tx *gorm.DB) error) error {
	ctx, err := s.InTenant(ctx, tenant)
	if err != nil {
		return err
	}
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		return fn(ctx, u, tx)
	})
}

// Bootstrap creates the tenant "default" with the user "admin" on the first start. Without a
// password it generates one and returns it; the password cannot be read again. On a later start,
// and in all except one of several replicas that start concurrently, it changes nothing and
// returns "". A configured currency must be that of the tenant; "" accepts any. Errors:
// ErrOtherCurrency.
func (s *Service) Bootstrap(ctx context.Context, adminPassword, configured string) (generated string, err error) {
	existing, err := s.store.tenantByName(ctx, DefaultTenant)
	if err == nil {
		return "", existing.requireCurrency(configured)
	}
	if !apperr.Has(err, apperr.NotFound) {
		return "", err
	}
	if adminPassword == "" {
		generated = newSecret()
		adminPassword = generated
	}
	_, err = s.CreateTenant(ctx, DefaultTenant, adminPassword, configured)
	switch {
	case apperr.Has(err, apperr.AlreadyExists):
		return s.Bootstrap(ctx, adminPassword, configured)
	case err != nil:
		return "", err
	}
	return generated, nil
}

// ErrOtherCurrency reports that the configured currency is not the currency of the stored amounts.
var ErrOtherCurrency = errors.New("the configured currency differs from the stored one")

func (t Tenant) requireCurrency(configured string) error {
	if configured == "" || configured == t.Currency {
		return nil
	}
	return fmt.Errorf("%w: --currency (INTERLOCK_CURRENCY) is %s, and the amounts of the tenant %s are in %s. Set it to %s or unset it; for amounts in %s, start on a new database",
		ErrOtherCurrency, configured, t.Name, t.Currency, t.Currency, configured)
}
