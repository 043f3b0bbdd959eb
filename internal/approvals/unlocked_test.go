package approvals_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/storagetest"
)

// A row lock does not block other servers of a cluster.
// Proves G8.14.
func TestConfigChangeRetriesConcurrentVoteWithoutLocks(t *testing.T) {
	db, tap := storagetest.WithoutLocks(t)
	o := open(t, storagetest.Tenant(t), db)
	o.need(2)
	li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", bypasser...)
	etag := li.protect("tax", 1)
	proposed := li.propose("tax", etag, `{"value":2}`)
	tap.Before("UPDATE approvals", func() { wu.act(200, proposed, "approve", nil) })
	mo.do(200, "PATCH", "/configs/tax?bypass=now", `{"value":3}`, "If-Match", etag)
	require.Equal(t, []string{"outdate", "vote", "propose"}, actions(li, proposed))
	require.Equal(t, 3.0, li.config("tax")["value"])
}
