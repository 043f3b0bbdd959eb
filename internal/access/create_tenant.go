package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"interlock/internal/access/input"
	"interlock/internal/access/passwords"
	"interlock/internal/access/secrets"
	"interlock/internal/access/tenants"
	"interlock/internal/access/tenantsettings"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/currency"
	"interlock/internal/core/uow"
)

// AdminRole is the role of the first user of each tenant; it has all permissions.
const AdminRole = "admin"

// adminUsername is the username of the first user.
const adminUsername = "admin"

// CreateTenant creates a tenant with the role admin, which has all permissions, the user admin, and
// the ready-made menus. Without a currency code, the tenant has the currency of the tenant
// "default" or, if that does not exist, currency.Default. Errors: ValidationFailed, AlreadyExists.
func (s *Service) CreateTenant(ctx context.Context, name, adminPassword, code string) (tenants.Tenant, error) {
	if err := input.CheckTenant(name); err != nil {
		return tenants.Tenant{}, err
	}
	if code == "" {
		first, err := s.Tenants.ByName(ctx, tenants.DefaultTenant)
		if err != nil && !apperr.Has(err, apperr.NotFound) {
			return tenants.Tenant{}, err
		}
		code = cmp.Or(first.Currency, currency.Default)
	}
	if _, ok := currency.MinorDigits(code); !ok {
		return tenants.Tenant{}, apperr.Invalid(apperr.Field{Pointer: "/currency", Code: "currency", Message: "must be a currency code of ISO 4217 in capital letters, such as CNY"})
	}
	hash, err := s.passwords.NewHash(ctx, passwords.Another, "/password", adminUsername, adminPassword)
	if err != nil {
		return tenants.Tenant{}, err
	}
	for {
		tenant, err := s.addTenant(ctx, tenants.Tenant{Name: name, Currency: code}, hash)
		if !errors.Is(err, tenants.ErrIDExists) {
			return tenant, err
		}
	}
}

// addTenant assigns the tenant's id before the unit, because the unit runs in that tenant and its
// audit row is the tenant's first.
func (s *Service) addTenant(ctx context.Context, tenant tenants.Tenant, passwordHash string) (tenants.Tenant, error) {
	id, err := s.Tenants.NextID(ctx)
	if err != nil {
		return tenants.Tenant{}, err
	}
	tenant.ID = id
	err = s.runner.Do(tenants.AsOperator(ctx, tenant), func(ctx context.Context, u *uow.Unit) error {
		tenant.CreatedTime = u.Now()
		if err := tenants.Insert(ctx, u, &tenant); err != nil {
			return err
		}
		role := users.Role{Name: AdminRole, Permissions: []string{"*"}}
		if err := users.InsertRole(ctx, u, &role); err != nil {
			return err
		}
		for _, ready := range s.readyRoles {
			if err := users.InsertRole(ctx, u, &ready); err != nil {
				return err
			}
		}
		admin := users.User{Username: adminUsername, DisplayName: adminUsername, PasswordHash: passwordHash, Roles: []string{role.Name}}
		if err := users.InsertUser(ctx, u, &admin); err != nil {
			return err
		}
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		if err := cmp.Or(users.GrantRoles(tx, admin.ID, []users.Role{role}), users.InsertUserVersion(ctx, u, &admin, "create"), tenantsettings.InsertDefault(ctx, u), s.Menus.InsertReady(ctx, u)); err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: "tenant.create", Resource: "tenants/" + tenant.Name, Detail: map[string]any{"adminId": admin.ID, "currency": tenant.Currency}})
		return nil
	})
	return tenant, err
}

// Bootstrap creates the tenant "default" with the user "admin" on the first start. Without a
// password it generates one and returns it; the password cannot be read again. On a later start,
// and in all except one of several replicas that start concurrently, it changes nothing and
// returns "". A configured currency must be that of the tenant; "" accepts any. Errors:
// ErrOtherCurrency.
func (s *Service) Bootstrap(ctx context.Context, adminPassword, configured string) (generated string, err error) {
	existing, err := s.Tenants.ByName(ctx, tenants.DefaultTenant)
	if err == nil {
		return "", requireCurrency(existing, configured)
	}
	if !apperr.Has(err, apperr.NotFound) {
		return "", err
	}
	if adminPassword == "" {
		generated = secrets.New()
		adminPassword = generated
	}
	_, err = s.CreateTenant(ctx, tenants.DefaultTenant, adminPassword, configured)
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

func requireCurrency(t tenants.Tenant, configured string) error {
	if configured == "" || configured == t.Currency {
		return nil
	}
	return fmt.Errorf("%w: --currency (INTERLOCK_CURRENCY) is %s, and the amounts of the tenant %s are in %s. Set it to %s or unset it; for amounts in %s, start on a new database",
		ErrOtherCurrency, configured, t.Name, t.Currency, t.Currency, configured)
}
