package tenantsettings

import (
	"context"
	"fmt"
	"sync"
	"time"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
)

// rulesTTL is the maximum age of cached rules. It bounds the delay until a change by another
// process is effective.
const rulesTTL = time.Second

// rulesCache caches the rules of tenants by tenant id, for callers for which an age of rulesTTL is
// harmless. A change by this process removes its entry.
type rulesCache struct{ byTenant sync.Map }

type cachedRules struct {
	TenantRules
	read time.Time
}

// Rules returns the rules of the tenant of the context, at most rulesTTL old, usually without a
// statement. A unit that must have the current rules calls RulesIn.
func (s *Service) Rules(ctx context.Context) (TenantRules, error) {
	caller, _ := principal.From(ctx)
	if cached, ok := s.cached.byTenant.Load(caller.TenantID); ok && clock.Since(cached.(cachedRules).read) < rulesTTL {
		return cached.(cachedRules).TenantRules, nil
	}
	read := clock.Mark()
	rules, _, err := s.RulesIn(s.db.Read(ctx))
	if err != nil {
		return rules, fmt.Errorf("read the tenant's rules: %w", err)
	}
	s.cached.byTenant.Store(caller.TenantID, cachedRules{rules, read})
	return rules, nil
}

// Location returns the tenant's time zone.
func (s *Service) Location(ctx context.Context) (*time.Location, error) {
	rules, err := s.Rules(ctx)
	if err != nil {
		return nil, err
	}
	return rules.Location()
}

// SelfApproval returns the tenant's rule of this name.
func (s *Service) SelfApproval(ctx context.Context) (bool, error) {
	rules, err := s.Rules(ctx)
	return rules.SelfApproval, err
}

// UnpaidAfter returns the time after which the tenant's unpaid orders are cancelled; 0 for never.
func (s *Service) UnpaidAfter(ctx context.Context) (time.Duration, error) {
	rules, err := s.Rules(ctx)
	return time.Duration(rules.UnpaidOrderMinutes) * time.Minute, err
}
