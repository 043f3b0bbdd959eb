package faults_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/storage"
	"interlock/internal/views/engines"
	"interlock/test/apptest"
)

// A server does not start on a database that cannot fulfil its promises, and prints the doctor's
// reason.
// Proves G5.47.
func TestServerDoesNotStartOnAnUnfitDatabase(t *testing.T) {
	t.Parallel()
	m := newMariaDB(t, "--default-storage-engine=Aria")
	pool := m.connect(t)
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL = m.url()
	_, err := app.Migrate(t.Context(), s.Storage)
	require.NoError(t, err)
	var others int
	require.NoError(t, pool.QueryRow("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'interlock' AND engine <> 'InnoDB'").Scan(&others))
	require.Zero(t, others, "tables are made in InnoDB, whatever the server makes of those that do not say")

	start := func() error {
		ctx, stop := context.WithCancel(t.Context())
		p := app.New(s, "test")
		if err := p.Start(ctx); err != nil {
			stop()
			return err
		}
		stop()
		return p.Run(ctx)
	}
	refused := func(name, sentence string) {
		t.Helper()
		err := start()
		require.ErrorIs(t, err, app.ErrUnfitEngine)
		require.ErrorContains(t, err, "database "+name+": "+sentence)
		level := engines.OK
		for _, f := range app.Examine(t.Context(), s.Storage, "") {
			if f.Name == name {
				level = f.Level
			}
		}
		require.Equal(t, engines.Broken, level, "the doctor reports it too")
	}
	m.run(t, "ALTER TABLE interlock.log_places ENGINE=Aria")
	refused("storage_engine", "Some tables are in Aria")
	m.run(t, "ALTER TABLE interlock.log_places ENGINE=InnoDB")
	m.run(t, "SET GLOBAL read_only = ON")
	refused("read_only", "It is ON: the server rejects writes.")
	db, err := storage.Open(t.Context(), storage.Options{URL: m.url()})
	require.NoError(t, err)
	defer db.Close()
	var users int64
	require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw("SELECT COUNT(*) FROM users").Scan(&users).Error)
	require.Zero(t, users, "nothing was written before the rejection")
	m.run(t, "SET GLOBAL read_only = OFF")
	require.NoError(t, start())
}
