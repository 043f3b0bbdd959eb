package flashsale

import (
	"context"
	"strconv"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
)

const (
	// snapshotTTL bounds the cache time of a sale if the event of a change is lost, and closedTTL
	// bounds the cache time of a sale that is not open. The gate has the final decision except on
	// the sale's existence and its end.
	snapshotTTL = 5 * time.Second
	closedTTL   = time.Second
	// loadTimeout bounds one database read for all callers that wait for it.
	loadTimeout = 5 * time.Second
)

// snapshot contains the data of a sale that purchases need.
type snapshot struct {
	sale   *Sale
	stock  *Stock // nil before it was opened
	loaded time.Time
}

// snapshotOf returns a recent state of a sale of the caller's tenant. Errors: NotFound.
func (s *core) snapshotOf(ctx context.Context, id int64) (*snapshot, error) {
	p, _ := principal.From(ctx)
	if found, ok := s.snapshots.Load(id); ok {
		snap := found.(*snapshot)
		if s.clock.Now().Sub(snap.loaded) < snap.life() {
			return snap.of(p.TenantID, id)
		}
	}
	loaded, err, _ := s.loading.Do(strconv.FormatInt(id, 10), func() (any, error) {
		ctx, end := context.WithTimeout(storage.AcrossTenants(context.WithoutCancel(ctx)), loadTimeout)
		defer end()
		return s.load(ctx, id)
	})
	if err != nil {
		return nil, err
	}
	return loaded.(*snapshot).of(p.TenantID, id)
}

func (s *core) load(ctx context.Context, id int64) (*snapshot, error) {
	now := s.clock.Now()
	sale, err := s.Sale(ctx, id)
	if err != nil {
		return nil, err
	}
	stock, err := stockOf(s.db.Read(ctx), id)
	if err != nil {
		return nil, err
	}
	snap := &snapshot{sale, stock, now}
	s.snapshots.Store(id, snap)
	return snap, nil
}

func (snap *snapshot) of(tenant, id int64) (*snapshot, error) {
	if snap.sale.TenantID != tenant {
		return nil, missing(id)
	}
	return snap, nil
}

func (snap *snapshot) life() time.Duration {
	if snap.sale.Status == open.Code {
		return snapshotTTL
	}
	return closedTTL
}

// forget makes the next request read the sale again.
func (s *core) forget(sale int64) {
	s.snapshots.Delete(sale)
	s.exhausted.Delete(sale)
}
