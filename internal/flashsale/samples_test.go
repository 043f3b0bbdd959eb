package flashsale_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/flashsale"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
	"interlock/test/world"
)

// samplesOf returns the samples of a sale: seconds since its opening, and the confirmed units.
func (s *market) samplesOf(t *testing.T, sale, query string) (seconds, confirmed []float64) {
	t.Helper()
	body := s.must(t, 200, "GET", sale+"/samples"+query, nil).Body
	now, err := time.Parse(time.RFC3339Nano, body["time"].(string))
	require.NoError(t, err)
	require.True(t, s.Clock.Now().Equal(now))
	for _, item := range body["items"].([]any) {
		at, err := time.Parse(time.RFC3339Nano, item.(object)["time"].(string))
		require.NoError(t, err)
		seconds = append(seconds, at.Sub(world.Opening).Seconds())
		confirmed = append(confirmed, item.(object)["stats"].(object)["confirmed"].(float64))
	}
	return seconds, confirmed
}

func TestSamplesOfSaleAreStoredForCharts(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"endsTime": world.Opening.Add(24 * time.Hour)})
		first, second := s.sales.Rounds(), s.with(s.gate).Rounds()
		for at := range 31 {
			if at == 12 {
				require.Equal(t, 202, s.buy(t, sale, 7, 2).Status)
				s.consume(t, sale)
			}
			require.NoError(t, first(s.worker()))
			require.NoError(t, second(s.worker()), "two workers write one sample")
			s.Clock.Advance(time.Second)
		}
		seconds, confirmed := s.samplesOf(t, sale, "")
		require.Equal(t, []float64{0, 10, 15}, seconds[:3], "unchanged samples are stored every ten seconds, changed ones every five")
		require.Equal(t, []float64{0, 0, 2}, confirmed[:3])
		require.GreaterOrEqual(t, seconds[len(seconds)-1], 25.0)

		for range 70 {
			s.Clock.Advance(time.Minute)
			require.NoError(t, first(s.worker()))
		}
		var rows int64
		require.NoError(t, s.DB.Read(storage.AcrossTenants(s.Ctx)).Raw("SELECT COUNT(*) FROM flash_sale_samples WHERE sale_id = ?", idOf(sale)).Scan(&rows).Error)
		require.LessOrEqual(t, rows, int64(62), "samples older than an hour are removed")
		seconds, _ = s.samplesOf(t, sale, "?minutes=60")
		require.Greater(t, len(seconds), 50)
		seconds, _ = s.samplesOf(t, sale, "?minutes=2")
		require.LessOrEqual(t, len(seconds), 3)
		for _, wrong := range []string{"0", "61", "x"} {
			s.must(t, 400, "GET", sale+"/samples?minutes="+wrong, nil)
		}
	})
}

func TestNextSampleIncludesBurst(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		round := s.sales.Rounds()
		require.NoError(t, round(s.worker()))
		require.Equal(t, 202, s.buy(t, sale, 7, 2).Status)
		for range 5 {
			s.Clock.Advance(1200 * time.Millisecond) // the next sample is due after 6 s, and a rate covers the last 5
			require.NoError(t, round(s.worker()))
		}
		items := s.must(t, 200, "GET", sale+"/samples", nil).Body["items"].([]any)
		require.Len(t, items, 2)
		require.InDelta(t, 0.4, items[1].(object)["stats"].(object)["acceptedPerSecond"], 1e-9)
	})
}

func TestLastNumbersOfClosedSaleStayReadable(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		round := s.sales.Rounds()
		for range 30 {
			require.NoError(t, round(s.worker()))
			s.Clock.Advance(10 * time.Second)
		}
		s.must(t, 200, "POST", sale+"/close", nil)
		require.NoError(t, round(s.worker()))
		all, _ := s.samplesOf(t, sale, "?minutes=60")
		require.Greater(t, len(all), 25)

		s.Clock.Advance(26 * time.Hour)

		later, _ := s.samplesOf(t, sale, "?minutes=60")
		require.Equal(t, all, later)
		last, _ := s.samplesOf(t, sale, "?minutes=1")
		require.NotEmpty(t, last)
		require.GreaterOrEqual(t, last[0], all[len(all)-1]-65)
	})
}

func TestIdleSalePublishesNumbersEveryTenSeconds(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		s.open(t, nil)
		news, err := s.Bus.Subscribe(t.Context(), flashsale.Topic)
		require.NoError(t, err)
		defer news.Close()
		round := s.sales.Rounds()
		for range 30 {
			require.NoError(t, round(s.worker()))
			s.Clock.Advance(time.Second)
		}
		reported := 0
		for len(news.Deliveries()) > 0 {
			var what struct{ Action string }
			require.NoError(t, json.Unmarshal((<-news.Deliveries()).Event.Payload, &what))
			if what.Action == "stats" {
				reported++
			}
		}
		require.Equal(t, 3, reported)
	})
}

func TestSamplesUseTheServiceClock(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		now := clock.NewFake(world.Opening)
		queues := mq.NewSQL(db, now, mq.Options{})
		s := newMarket(ctx, t, db, now, queues, gate.NewSQL(db, queues, clock.NewFake(world.Opening.Add(20*time.Minute))))
		sale := s.open(t, nil)
		require.NoError(t, s.sales.Round(s.worker()))
		seconds, _ := s.samplesOf(t, sale, "")
		require.Equal(t, []float64{0}, seconds)
	})
}
