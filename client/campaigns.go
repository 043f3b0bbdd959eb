package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Campaigns are what coupons are issued under.
type Campaigns struct{ client *Client }

// CampaignKind is what a campaign's value means.
type CampaignKind string

// The kinds: minor units, or a part of the sum in percent.
const (
	AmountOff  CampaignKind = "amount"
	PercentOff CampaignKind = "percent"
)

// CampaignTerms are what a campaign promises.
type CampaignTerms struct {
	Name  string       `json:"name"`
	Kind  CampaignKind `json:"kind"`
	Value int64        `json:"value"`
	// MinimumAmount is what an order must come to, in minor units.
	MinimumAmount int64 `json:"minimumAmount"`
	// Total bounds the coupons, PerUser those of one customer.
	Total     int64     `json:"total"`
	PerUser   int64     `json:"perUser"`
	ValidFrom time.Time `json:"validFrom"`
	ValidTo   time.Time `json:"validTo"`
}

// Campaign is one campaign. Read it, change its terms, and save it.
type Campaign struct {
	Stamp
	originState
	CampaignTerms
	ID int64 `json:"id"`
	// Currency is of all amounts (ISO 4217).
	Currency string  `json:"currency"`
	Issued   int64   `json:"issued"`
	Merged   *Merged `json:"merged,omitempty"`
}

func (c *Campaign) editable() []string {
	return []string{"name", "kind", "value", "minimumAmount", "total", "perUser", "validFrom", "validTo"}
}

// UnmarshalJSON reads a campaign and remembers how it was read.
func (c *Campaign) UnmarshalJSON(text []byte) error {
	type members Campaign
	var fresh members
	if err := json.Unmarshal(text, &fresh); err != nil {
		return err
	}
	*c = Campaign(fresh)
	return setOrigin(c)
}

// CampaignFilter narrows a list of campaigns.
type CampaignFilter struct {
	Paging
	Text string
}

// CampaignRevision is one version of a campaign.
type CampaignRevision struct {
	CampaignTerms
	Version     int64     `json:"version"`
	Action      string    `json:"action"`
	Currency    string    `json:"currency"`
	Issued      int64     `json:"issued"`
	ChangedBy   Person    `json:"changedBy"`
	ChangedTime time.Time `json:"changedTime"`
}

func campaignPath(id int64) string { return "/coupon-campaigns/" + strconv.FormatInt(id, 10) }

// List lists campaigns, newest first, or as the filter's Sort says.
func (s *Campaigns) List(f CampaignFilter) List[Campaign] {
	return List[Campaign]{s.client, "/coupon-campaigns", f.parameters().text("q", f.Text)}
}

// Get reads a campaign.
func (s *Campaigns) Get(ctx context.Context, id int64, options ...CallOption) (Campaign, error) {
	return get[Campaign](ctx, s.client, campaignPath(id), options)
}

// Create creates a campaign.
func (s *Campaigns) Create(ctx context.Context, t CampaignTerms, options ...CallOption) (Campaign, error) {
	t.ValidFrom, t.ValidTo = t.ValidFrom.UTC(), t.ValidTo.UTC()
	return call[Campaign](ctx, s.client, request{method: http.MethodPost, path: "/coupon-campaigns", body: t}, options)
}

// Save sends what was changed in c since it was read and makes c the saved campaign. A
// [Conflict] when somebody else saved, or issued coupons, meanwhile.
func (s *Campaigns) Save(ctx context.Context, c *Campaign, options ...CallOption) error {
	c.ValidFrom, c.ValidTo = c.ValidFrom.UTC(), c.ValidTo.UTC()
	return save(ctx, s.client, campaignPath(c.ID), c, options)
}

// Delete deletes the campaign as it was read. A [Conflict] when it was changed since.
func (s *Campaigns) Delete(ctx context.Context, c Campaign, options ...CallOption) error {
	return remove(ctx, s.client, campaignPath(c.ID), c.ETag, options)
}

// History lists a campaign's versions, newest first.
func (s *Campaigns) History(id int64, p Paging) List[CampaignRevision] {
	return List[CampaignRevision]{s.client, campaignPath(id) + "/history", p.parameters()}
}

// IssueTo issues a coupon to each customer and returns the codes.
func (s *Campaigns) IssueTo(ctx context.Context, id int64, userIDs []string, options ...CallOption) ([]string, error) {
	return s.issue(ctx, id, map[string]any{"userIds": userIDs}, options)
}

// Issue issues coupons that belong to nobody and returns the codes.
func (s *Campaigns) Issue(ctx context.Context, id int64, count int, options ...CallOption) ([]string, error) {
	return s.issue(ctx, id, map[string]any{"count": count}, options)
}

func (s *Campaigns) issue(ctx context.Context, id int64, body map[string]any, options []CallOption) ([]string, error) {
	issued, err := call[struct {
		Codes []string `json:"codes"`
	}](ctx, s.client, request{method: http.MethodPost, path: campaignPath(id) + "/coupons", body: body}, options)
	return issued.Codes, err
}
