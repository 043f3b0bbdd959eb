package coupons

import (
	"context"
	"strconv"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "coupons", Machine: Machine,
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See coupon campaigns, coupons and their history."},
		{Name: writePermission, Meaning: "Run coupon campaigns, and issue, redeem and void coupons."},
	},
	Roles: map[module.Role][]string{
		module.Support:  {ReadPermission},
		module.Operator: {"coupons:*"},
	},
	Pages: []module.Page{
		{Group: module.Sell, Path: "/coupons", Permission: ReadPermission},
		{Group: module.Sell, Path: "/coupon-campaigns", Permission: ReadPermission},
	},
	Resources: []module.Resource{
		{Name: Topic, Read: ReadPermission, Live: true},
		{Name: CampaignTopic, Read: ReadPermission, Live: true},
	},
	Tables:  tables,
	Imports: imports,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
		Kinds: []module.Kind{
			{Name: "coupon", Permission: ReadPermission, Find: s.find},
			{Name: "coupon-campaign", Permission: ReadPermission, Find: s.findCampaigns},
		},
	}
}

func (s *Service) find(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := s.ByCode(ctx, text, limit)
	return module.Hits(found, err, func(c Found) module.Hit {
		return module.Hit{ID: c.Code, Title: c.Code, Subtitle: c.Status, Path: module.Path("coupons", c.Code)}
	})
}

func (s *Service) findCampaigns(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := s.CampaignsByName(ctx, text, limit)
	return module.Hits(found, err, func(c Campaign) module.Hit {
		id := strconv.FormatInt(c.ID, 10)
		period := c.ValidFrom.Format(time.DateOnly) + " – " + c.ValidTo.Format(time.DateOnly)
		return module.Hit{ID: id, Title: c.Name, Subtitle: period, Path: module.Path("coupon-campaigns", id)}
	})
}
