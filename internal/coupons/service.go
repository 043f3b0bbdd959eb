package coupons

import (
	"context"
	"crypto/rand"
	"io"
	"strconv"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

const (
	// Topic announces changes of coupons, keyed by code; a change of many coupons has an empty key.
	Topic = "coupons"
	// CampaignTopic announces changes of coupon campaigns, keyed by id.
	CampaignTopic = "coupon-campaigns"
)

// OrderOwner returns the user of an order, as read by the unit; "" if the order does not exist.
// Package orders imports this package, so app provides the function.
type OrderOwner func(ctx context.Context, u *uow.Unit, id int64) (principal.CustomerID, error)

// Deps are the dependencies of a Service.
type Deps struct {
	DB         *storage.DB
	Runner     *uow.Runner
	Bus        events.Bus
	Clock      clock.Clock
	OrderOwner OrderOwner
	// Random is the source of codes; nil means crypto/rand.
	Random io.Reader
}

// Service implements the use cases of coupons. It is safe for concurrent use.
type Service struct {
	db     *storage.DB
	runner *uow.Runner
	bus    events.Bus
	clock  clock.Clock
	random io.Reader

	orderOwner OrderOwner
}

// New returns a Service.
func New(d Deps) *Service {
	if d.Random == nil {
		d.Random = rand.Reader
	}
	return &Service{db: d.DB, runner: d.Runner, bus: d.Bus, clock: d.Clock, random: d.Random, orderOwner: d.OrderOwner}
}

// Campaign returns a campaign. Errors: NotFound.
func (s *Service) Campaign(ctx context.Context, id int64) (*Campaign, error) {
	campaign, err := findCampaign(s.db.Read(ctx), id)
	return campaign, storage.Found(err, "coupon campaign", strconv.FormatInt(id, 10))
}

// Campaigns returns one page of campaigns with search in their name, ignoring case.
func (s *Service) Campaigns(ctx context.Context, search string, page storage.Page) (storage.Listing[Campaign], error) {
	return storage.List[Campaign](s.db.Read(ctx), page, campaignSorts, storage.Containing(search, "name"))
}

// CampaignHistory returns one page of a campaign's versions, newest first.
func (s *Service) CampaignHistory(ctx context.Context, campaign *Campaign, page storage.Page) (storage.Listing[CampaignRevision], error) {
	return storage.List[CampaignRevision](s.db.Read(ctx), page, change.HistorySorts, storage.OwnedBy("campaign_id", campaign.ID))
}

// Coupon returns the coupon with a code. Errors: NotFound.
func (s *Service) Coupon(ctx context.Context, code string) (*Coupon, error) {
	coupon, err := findCoupon(s.db.Read(ctx), "code = ?", canonical(code))
	return coupon, storage.Found(err, "coupon", code)
}

// Coupons returns one page of coupons with their campaigns.
func (s *Service) Coupons(ctx context.Context, f Filter, page storage.Page) (storage.Listing[Coupon], error) {
	caller, _ := principal.From(ctx)
	listing, err := storage.List[Coupon](s.db.Read(ctx), page, couponSorts, f.filters(caller.TenantID, s.clock.Now())...)
	if err != nil || len(listing.Rows) == 0 {
		return listing, err
	}
	coupons := make([]*Coupon, len(listing.Rows))
	for i := range listing.Rows {
		coupons[i] = &listing.Rows[i]
	}
	return listing, withCampaigns(s.db.Read(ctx), coupons)
}

// History returns one page of a coupon's events, newest first.
func (s *Service) History(ctx context.Context, coupon *Coupon, page storage.Page) (storage.Listing[Event], error) {
	return storage.List[Event](s.db.Read(ctx), page, change.HistorySorts, storage.OwnedBy("coupon_id", coupon.ID))
}

// announce publishes a change of a coupon after commit.
func (s *Service) announce(u *uow.Unit, action string, coupon *Coupon) {
	change.Announce(u, s.bus, Topic, coupon.Code, events.Change{
		Version: coupon.Version, ETag: coupon.Ref().ETag(), Action: action, Status: Machine.Of(coupon.Status).Name,
	})
}

// resource returns the path of a coupon in the audit log.
func resource(code string) string { return Topic + "/" + code }

// announceMany publishes after commit that one action changed many coupons.
func (s *Service) announceMany(u *uow.Unit, action string, to status.State) {
	change.Announce(u, s.bus, Topic, "", events.Change{Action: action, Status: to.Name})
}
