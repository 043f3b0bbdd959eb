package storage_test

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// relay passes bytes between clients and a server. After it is silenced, its existing links pass
// nothing and neither end is notified; later links work.
type relay struct {
	mu    sync.Mutex
	quiet []chan struct{}
}

// newRelay returns a relay to the server of a URL, and the URL through it.
func newRelay(t *testing.T, address string) (r *relay, through string) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	server := u.Host
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r = &relay{}
	ctx, end := context.WithCancel(context.Background())
	t.Cleanup(func() {
		end()
		_ = listener.Close()
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			link, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()
				continue
			}
			quiet := make(chan struct{})
			r.mu.Lock()
			r.quiet = append(r.quiet, quiet)
			r.mu.Unlock()
			go pass(ctx, quiet, client, link)
			go pass(ctx, quiet, link, client)
		}
	}()
	u.Host = listener.Addr().String()
	return r, u.String()
}

func pass(ctx context.Context, quiet chan struct{}, from, to net.Conn) {
	some := make([]byte, 32<<10)
	for {
		n, err := from.Read(some)
		select {
		case <-quiet:
			// Both ends stay open until the test is over.
			<-ctx.Done()
			_, _ = from.Close(), to.Close()
			return
		default:
		}
		if _, failed := to.Write(some[:n]); err != nil || failed != nil {
			_, _ = from.Close(), to.Close()
			return
		}
	}
}

func (r *relay) silence() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, quiet := range r.quiet {
		close(quiet)
	}
	r.quiet = nil
}

// settled is by when others proceed: the server's bound, and the wait for a lock.
const settled = storage.VanishedAfter + 6*time.Second

// A machine that loses its power, or its network, closes no connection.
func TestRowLocksOfAVanishedProcessExpireWithinSeconds(t *testing.T) {
	address := storagetest.NewMariaDBURL(t)
	require.NoError(t, storagetest.Migrate(address))
	between, through := newRelay(t, address)
	vanishing, err := storage.Open(t.Context(), storage.Options{URL: through, MaxConnections: 4, StatementTimeout: storage.RequestStatementTimeout})
	require.NoError(t, err)
	defer vanishing.Close()
	ctx := storage.AcrossTenants(t.Context())
	tx, err := vanishing.Begin(ctx, context.Background())
	require.NoError(t, err)
	const statement = "UPDATE installation SET reason = ? WHERE id = 1"
	require.NoError(t, tx.Exec(statement, "vanished").Error)
	between.silence()

	other := storagetest.Open(t, address)
	start := time.Now()
	require.Eventually(t, func() bool {
		err := other.Write(ctx).Exec(statement, "other").Error
		return err == nil
	}, settled, 10*time.Millisecond, "the row is locked")
	require.Less(t, time.Since(start), settled)
	var reason string
	require.NoError(t, other.Read(ctx).Raw("SELECT reason FROM installation WHERE id = 1").Scan(&reason).Error)
	require.Equal(t, "other", reason)
}

func TestLostConnectionsAreReplacedBeforeUse(t *testing.T) {
	between, through := newRelay(t, storagetest.NewMariaDBURL(t))
	db, err := storage.Open(t.Context(), storage.Options{URL: through, MaxConnections: 12, StatementTimeout: storage.RequestStatementTimeout})
	require.NoError(t, err)
	defer db.Close()
	ctx, end := context.WithCancel(storage.AcrossTenants(t.Context()))
	defer end()
	var opening sync.WaitGroup
	for range 8 {
		opening.Go(func() { _ = db.Write(ctx).Exec("DO SLEEP(0.2)").Error })
	}
	opening.Wait()
	require.Greater(t, db.Pools()["write"].Stats().Idle, 4)
	services := background.NewGroup(clock.System{})
	require.NoError(t, services.Start(ctx, db.Background()))
	defer services.Stop(t.Context())
	between.silence()
	lost := time.Now()
	require.NoError(t, services.RunNow(ctx, "ping database connections"))
	for range 8 {
		start := time.Now()
		require.NoError(t, db.Write(ctx).Exec("DO 1").Error)
		require.Less(t, time.Since(start), 2*time.Second, "%s after the connections were lost", time.Since(lost))
	}
}

func TestRequestOnALostConnectionTimesOut(t *testing.T) {
	between, through := newRelay(t, storagetest.NewMariaDBURL(t))
	db, err := storage.Open(t.Context(), storage.Options{URL: through, MaxConnections: 2, StatementTimeout: 2 * time.Second})
	require.NoError(t, err)
	defer db.Close()
	ctx := storage.AcrossTenants(t.Context())
	require.NoError(t, db.Write(ctx).Exec("DO 1").Error)
	between.silence()
	start := time.Now()
	err = db.Write(ctx).Exec("DO 1").Error
	require.True(t, storage.Is(err, storage.ConnectionLost), "%v", err)
	require.Less(t, time.Since(start), 4*time.Second)
	require.NoError(t, db.Write(ctx).Exec("DO 1").Error)
}

// A planned switchover leaves the old primary running, read-only, with its connections open.
func TestConnectionsToAReadOnlyServerAreReplaced(t *testing.T) {
	address := storagetest.NewMariaDBURL(t)
	require.NoError(t, storagetest.Migrate(address))
	db, err := storage.Open(t.Context(), storage.Options{URL: address, MaxConnections: 12})
	require.NoError(t, err)
	defer db.Close()
	ctx := storage.AcrossTenants(t.Context())
	const statement = "UPDATE installation SET reason = ? WHERE id = 1"
	require.NoError(t, db.CheckWrites(ctx))
	connection := func() (id int64) {
		require.NoError(t, db.Write(ctx).Raw("SELECT CONNECTION_ID()").Scan(&id).Error)
		return id
	}
	var opening sync.WaitGroup
	for range 4 {
		opening.Go(func() { _ = db.Write(ctx).Exec("DO SLEEP(0.2)").Error })
	}
	opening.Wait()
	newest := connection()
	// A read-only session simulates the old primary, because root may write to a read-only server.
	for range 4 {
		require.NoError(t, db.Write(ctx).Exec("SET SESSION TRANSACTION READ ONLY").Error)
	}
	err = db.Write(ctx).Exec(statement, "refused").Error
	require.True(t, storage.Is(err, storage.ReadOnly), "%v", err)
	for range 4 {
		require.NoError(t, db.Write(ctx).Exec(statement, "accepted").Error, "by a new connection")
		require.Greater(t, connection(), newest)
	}
}

func TestReadOnlyDatabaseIsReported(t *testing.T) {
	address := storagetest.NewMariaDBURL(t)
	require.NoError(t, storagetest.Migrate(address))
	db, err := storage.Open(t.Context(), storage.Options{URL: address, MaxConnections: 2})
	require.NoError(t, err)
	defer db.Close()
	ctx := storage.AcrossTenants(t.Context())
	require.NoError(t, db.Write(ctx).Exec("SET SESSION TRANSACTION READ ONLY").Error)
	require.True(t, storage.Is(db.CheckWrites(ctx), storage.ReadOnly))
	require.NoError(t, db.CheckWrites(ctx), "the connection was replaced")
}

func TestChangedPasswordIsRereadFromItsFile(t *testing.T) {
	address := storagetest.NewMariaDBURL(t)
	root := storagetest.Open(t, address)
	ctx := storage.AcrossTenants(t.Context())
	u, err := url.Parse(address)
	require.NoError(t, err)
	user := "rotated" + filepath.Base(u.Path)[max(0, len(filepath.Base(u.Path))-12):]
	set := func(verb, password string) {
		require.NoError(t, root.Write(ctx).Exec(verb+" USER '"+user+"'@'%' IDENTIFIED BY '"+password+"'").Error)
	}
	set("CREATE", "first")
	t.Cleanup(func() {
		_ = root.Write(storage.AcrossTenants(context.Background())).Exec("DROP USER '" + user + "'@'%'").Error
	})
	require.NoError(t, root.Write(ctx).Exec("GRANT ALL ON `"+filepath.Base(u.Path)+"`.* TO '"+user+"'@'%'").Error)
	require.NoError(t, storagetest.Migrate(address))
	u.User = url.User(user)
	file := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(file, []byte("first\n"), 0o600))
	db, err := storage.Open(t.Context(), storage.Options{URL: u.String() + "?password_file=" + url.QueryEscape(file), MaxConnections: 6})
	require.NoError(t, err)
	defer db.Close()

	set("ALTER", "second")
	crowd := func() error {
		errs := make([]error, 4)
		var asking sync.WaitGroup
		for i := range errs {
			asking.Go(func() { errs[i] = db.Write(ctx).Exec("DO SLEEP(0.3)").Error })
		}
		asking.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	}
	err = crowd()
	require.True(t, storage.Is(err, storage.Unavailable), "%v", err)
	require.True(t, storage.Is(db.CheckWrites(ctx), storage.Unavailable), "not ready although an older connection works")
	require.NoError(t, os.WriteFile(file, []byte("second\n"), 0o600))
	require.NoError(t, db.CheckWrites(ctx))
	require.NoError(t, crowd())
}

func TestUntrustedCertificateIsUnavailable(t *testing.T) {
	db := storagetest.Open(t, storagetest.NewMariaDBURL(t))
	_, err := storage.Open(t.Context(), storage.Options{URL: db.URL + "?tls=true"})
	require.ErrorContains(t, err, "x509")
	require.True(t, storage.Is(db.Classify(err), storage.Unavailable), "%v", err)
}
