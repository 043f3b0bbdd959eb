package shop

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/orders"
	"interlock/test/world"
)

// The row of the campaign is locked during an issue, so the number of statements must not grow with the
// number of coupons.
func TestManyCouponsAreIssuedInFewStatements(t *testing.T) {
	db, statements := storagetest.TappedMariaDB(t)
	s := Open(storagetest.Tenant(t), t, db)
	campaign := s.Campaign(t, object{"total": 1000})
	statements.Take()
	codes := s.Issue(t, campaign, object{"count": 450})
	inserts := map[string]int{}
	for _, statement := range statements.Take() {
		if strings.HasPrefix(statement, "INSERT") {
			inserts[statement]++
		}
	}
	require.Equal(t, map[string]int{
		"INSERT INTO coupons": 3, "INSERT INTO coupon_histories": 3, "INSERT INTO coupon_campaign_histories": 1, "INSERT INTO audit_entries": 1, "INSERT INTO audit_targets": 3,
	}, inserts)
	require.Len(t, codes, 450)
	require.EqualValues(t, 450, s.Count(t, &coupons.Coupon{}, "code IN ? AND status = 0 AND version = 1", codes))
	require.EqualValues(t, 450, s.Count(t, &coupons.Event{}, "action = 'issue' AND coupon_id IN (SELECT id FROM coupons WHERE code IN ?)", codes))
}

// issuing returns coupons with codes from random.
func (s *Shop) issuing(random io.Reader) *coupons.Service {
	return coupons.New(coupons.Deps{DB: s.DB, Runner: s.Runner, Bus: s.Bus, Clock: s.Clock, OrderOwner: orders.OwnerOf, Random: random})
}

// issueBy issues unbound coupons of a new campaign by a service.
func (s *Shop) issueBy(t *testing.T, service *coupons.Service, count int) (codes []string, err error) {
	t.Helper()
	id := world.ID(s.Campaign(t, nil))
	err = s.Runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) error {
		campaign, err := service.Campaign(ctx, id)
		require.NoError(t, err)
		codes, err = service.Issue(ctx, u, campaign, nil, count)
		return err
	})
	return codes, err
}

func TestUsedCodeIsDrawnAgain(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		same := bytes.Repeat([]byte{7}, 40)
		issued, err := s.issueBy(t, s.issuing(io.MultiReader(bytes.NewReader(append(same, same...)), rand.Reader)), 2)
		require.NoError(t, err)
		require.Len(t, issued, 2)
		require.NotEqual(t, issued[0], issued[1])
		require.EqualValues(t, 2, s.Count(t, &coupons.Coupon{}, "1 = 1"))
	})
}

func TestCodesUseUnambiguousCharactersUniformly(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	require.Regexp(t, `^[2-9A-HJKMNP-Z]{5}(-[2-9A-HJKMNP-Z]{5}){3}$`, s.Issue(t, s.Campaign(t, nil), object{"count": 1})[0])

	// Bytes from 248 would favour the first characters, so they are skipped.
	unfair := bytes.Repeat([]byte{255, 248}, 20)
	fair := append(bytes.Repeat([]byte{247}, 10), bytes.Repeat([]byte{31}, 30)...)
	codes, err := s.issueBy(t, s.issuing(bytes.NewReader(append(unfair, fair...))), 1)
	require.NoError(t, err)
	require.Equal(t, []string{"ZZZZZ-ZZZZZ-22222-22222"}, codes)

	_, err = s.issueBy(t, s.issuing(strings.NewReader("too little")), 1)
	require.Error(t, err)
}
