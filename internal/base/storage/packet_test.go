package storage_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
)

// packed runs fn in a packed transaction, which is committed unless fn fails.
func packed(t *testing.T, ctx context.Context, db *storage.DB, fn func(tx *gorm.DB) error) (*storage.Packing, error) {
	t.Helper()
	life, end := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(end)
	how := &storage.Packing{}
	tx, err := db.BeginPacked(ctx, life, how)
	require.NoError(t, err)
	if err := fn(tx); err != nil {
		tx.Rollback()
		return how, err
	}
	return how, db.Commit(tx)
}

func thingNamed(name string) *storagetest.Thing {
	now := time.Now()
	return &storagetest.Thing{Row: guard.Row{Version: 1, CreatedTime: now, UpdatedTime: now}, Name: name, Amount: 7}
}

// named returns the names of the existing things.
func named(t *testing.T, ctx context.Context, db *storage.DB) []string {
	t.Helper()
	names := []string{}
	require.NoError(t, db.Read(ctx).Model(&storagetest.Thing{}).Order("name").Pluck("name", &names).Error)
	return names
}

const renaming = "UPDATE things SET name = ? WHERE tenant_id > 0 AND name = ?"

func TestMarkedStatementsGoWithCommitInOnePacket(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	require.NoError(t, db.Write(ctx).Create(thingNamed("a")).Error)
	tap.Take()
	tap.Packets()
	inserted := thingNamed("c")
	how, err := packed(t, ctx, db, func(tx *gorm.DB) error {
		renamed := storage.DeferredOneRow(tx).Exec(renaming, "b; DROP TABLE things; '", "a")
		if renamed.Error != nil || renamed.RowsAffected != 1 {
			t.Errorf("%v, %d rows", renamed.Error, renamed.RowsAffected)
		}
		return storage.DeferredID(tx, &inserted.ID).Create(inserted).Error
	})
	require.NoError(t, err)
	require.False(t, how.Failed())
	require.Equal(t, 1, tap.Packets())
	var c storagetest.Thing
	require.NoError(t, db.Read(ctx).Where("name = ?", "c").Take(&c).Error)
	require.Equal(t, c.ID, inserted.ID)
	require.Equal(t, []string{"b; DROP TABLE things; '", "c"}, named(t, ctx, db))
}

// Proves D6.
func TestPacketWithFailedGuardCommitsNothing(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db := migrated(t, storagetest.NewMariaDBURL(t))
	storagetest.CreateThings(t, ctx, db)
	links := db.LinkChanges()
	for _, wanted := range []string{"nobody", "twins"} {
		require.NoError(t, db.Write(ctx).Exec("DELETE FROM things WHERE tenant_id > 0").Error)
		require.NoError(t, db.Write(ctx).Create([]*storagetest.Thing{thingNamed("one"), thingNamed("two")}).Error)
		how, err := packed(t, ctx, db, func(tx *gorm.DB) error {
			amount := map[string]int{"nobody": 8, "twins": 7}[wanted]
			require.NoError(t, storage.DeferredOneRow(tx).Exec("UPDATE things SET amount = 9 WHERE tenant_id > 0 AND amount = ?", amount).Error)
			return storage.Deferred(tx).Create(thingNamed("trace")).Error
		})
		require.Error(t, err, wanted)
		require.False(t, storage.Undecided(err), "%v", err)
		require.True(t, how.Failed())
		require.Equal(t, []string{"one", "two"}, named(t, ctx, db), wanted)
		var nines int64
		require.NoError(t, db.Read(ctx).Model(&storagetest.Thing{}).Where("amount = 9").Count(&nines).Error)
		require.Zero(t, nines)
	}
	require.Equal(t, links, db.LinkChanges(), "no connection was closed for it")
}

// Proves D6.
func TestReadFlushesDeferredStatements(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		inserted := thingNamed("c")
		_, err := packed(t, ctx, db, func(tx *gorm.DB) error {
			require.NoError(t, storage.Deferred(tx).Create(thingNamed("a")).Error)
			require.NoError(t, storage.DeferredOneRow(tx).Exec(renaming, "b", "a").Error)
			var b storagetest.Thing
			require.NoError(t, tx.Where("name = ?", "b").Take(&b).Error)
			require.NoError(t, storage.DeferredID(tx, &inserted.ID).Create(inserted).Error)
			var c storagetest.Thing
			require.NoError(t, tx.Where("name = ?", "c").Take(&c).Error)
			require.Equal(t, c.ID, inserted.ID)
			// Nothing is committed yet.
			require.Empty(t, named(t, ctx, db))
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, []string{"b", "c"}, named(t, ctx, db))
	})
}

// Proves D6.
func TestFailureAfterDeferredStatementsMarksPacketFailed(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db := migrated(t, storagetest.NewMariaDBURL(t))
	storagetest.CreateThings(t, ctx, db)
	require.NoError(t, db.Write(ctx).Create(thingNamed("a")).Error)
	for name, last := range map[string]func(tx *gorm.DB) error{
		"a statement": func(tx *gorm.DB) error { return tx.Create(thingNamed("z")).Error },
		"a read":      func(tx *gorm.DB) error { return tx.Take(&storagetest.Thing{}).Error },
		"COMMIT":      func(*gorm.DB) error { return nil },
	} {
		how, err := packed(t, ctx, db, func(tx *gorm.DB) error {
			require.NoError(t, storage.Deferred(tx).Create(thingNamed("b")).Error)
			require.NoError(t, storage.Deferred(tx).Create(thingNamed("a")).Error, "its existence is not known yet")
			return last(tx)
		})
		require.Truef(t, storage.Is(err, storage.DuplicateKey), "%s: %v", name, err)
		require.Falsef(t, storage.Undecided(err), "%s: %v", name, err)
		require.True(t, how.Failed(), name)
		require.Equal(t, []string{"a"}, named(t, ctx, db), name)
	}
	// The error of a statement that was sent alone is precise.
	how, err := packed(t, ctx, db, func(tx *gorm.DB) error { return tx.Create(thingNamed("a")).Error })
	require.True(t, storage.Is(err, storage.DuplicateKey))
	require.False(t, how.Failed())
	require.Equal(t, []string{"a"}, named(t, ctx, db), "an open transaction would have been committed by the next BEGIN")
}

// A caller may expect an error of one statement, such as a duplicate insert. The error of a
// packet may belong to another statement.
func TestFailedPacketNeverCommits(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db := migrated(t, storagetest.NewMariaDBURL(t))
	storagetest.CreateThings(t, ctx, db)
	require.NoError(t, db.Write(ctx).Create(thingNamed("a")).Error)
	tolerate := func(err error) { require.True(t, storage.Is(err, storage.DuplicateKey), err) }
	for name, after := range map[string]func(tx *gorm.DB){
		"nothing":                  func(*gorm.DB) {},
		"a statement":              func(tx *gorm.DB) { tolerate(tx.Create(thingNamed("c")).Error) },
		"statements that may wait": func(tx *gorm.DB) { tolerate(storage.Deferred(tx).Create(thingNamed("c")).Error) },
		"a read":                   func(tx *gorm.DB) { tolerate(tx.Take(&storagetest.Thing{}).Error) },
	} {
		how, err := packed(t, ctx, db, func(tx *gorm.DB) error {
			require.NoError(t, storage.Deferred(tx).Create(thingNamed("b")).Error)
			require.NoError(t, storage.Deferred(tx).Create(thingNamed("a")).Error, "its existence is not known yet")
			tolerate(tx.Create(thingNamed("z")).Error)
			after(tx)
			return nil
		})
		require.Truef(t, storage.Is(err, storage.DuplicateKey), "%s: %v", name, err)
		require.Falsef(t, storage.Undecided(err), "%s: %v", name, err)
		require.True(t, how.Failed(), name)
		require.Equal(t, []string{"a"}, named(t, ctx, db), name)
	}
	// A statement that is sent alone may fail as without packets.
	how, err := packed(t, ctx, db, func(tx *gorm.DB) error {
		tolerate(tx.Create(thingNamed("a")).Error)
		return tx.Create(thingNamed("d")).Error
	})
	require.NoError(t, err)
	require.False(t, how.Failed())
	require.Equal(t, []string{"a", "d"}, named(t, ctx, db))
}

// The server has already rolled back the transaction and would commit later statements
// immediately.
func TestNothingIsSentAfterServerRollback(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	how, err := packed(t, ctx, db, func(tx *gorm.DB) error {
		deadlock := tx.Exec("/* tenant_id */ SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'Deadlock found'").Error
		require.True(t, storage.Is(deadlock, storage.WriteConflict), deadlock)
		tap.Take()
		require.True(t, storage.Is(tx.Create(thingNamed("a")).Error, storage.WriteConflict))
		return nil
	})
	require.True(t, storage.Is(err, storage.WriteConflict), err)
	require.False(t, how.Failed(), "it is run again as it is")
	require.Equal(t, []string{"ROLLBACK"}, tap.Take())
}

func TestErrorOfSingleDeferredStatementIsItsOwn(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db := migrated(t, storagetest.NewMariaDBURL(t))
	storagetest.CreateThings(t, ctx, db)
	require.NoError(t, db.Write(ctx).Exec("CREATE TABLE texts (tenant_id BIGINT, body LONGTEXT)").Error)
	how, err := packed(t, ctx, db, func(tx *gorm.DB) error {
		require.NoError(t, tx.Find(&[]storagetest.Thing{}).Error)
		require.NoError(t, storage.DeferredOneRow(tx).Exec(renaming, "b", "nobody").Error)
		return storage.Deferred(tx).Exec("INSERT INTO texts (tenant_id, body) VALUES (1, ?)", strings.Repeat("x", 2<<20)).Error
	})
	require.Error(t, err)
	require.True(t, how.Failed(), "which of them it was is not known: %v", err)
}

func TestEmptyTransactionSendsNoPacket(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	tap.Take()
	for _, refused := range []error{nil, context.Canceled} {
		_, err := packed(t, ctx, db, func(*gorm.DB) error { return refused })
		require.ErrorIs(t, err, refused)
	}
	require.Empty(t, tap.Take())
}

// Proves D6.
func TestPacketSizeIsBounded(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	require.NoError(t, db.Write(ctx).Exec("CREATE TABLE texts (tenant_id BIGINT, body LONGTEXT)").Error)
	tap.Packets()
	insert := func(tx *gorm.DB, length int) {
		require.NoError(t, storage.Deferred(tx).Exec("INSERT INTO texts (tenant_id, body) VALUES (1, ?)", strings.Repeat("x", length)).Error)
	}
	_, err := packed(t, ctx, db, func(tx *gorm.DB) error {
		for range 8 {
			insert(tx, 300<<10)
		}
		insert(tx, 5<<20)
		insert(tx, 1)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 5, tap.Packets(), "three, three and two, the long one, and the last with COMMIT")
	var remaining int64
	require.NoError(t, db.Read(ctx).Raw("SELECT COUNT(*) FROM texts WHERE tenant_id = 1").Scan(&remaining).Error)
	require.EqualValues(t, 10, remaining)
}

// Statements that the driver cannot interpolate, such as one with a question mark that is
// not a parameter, are sent one by one.
// Proves D6.
func TestUnjoinableStatementsAreSentSeparately(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db := migrated(t, storagetest.NewMariaDBURL(t))
	storagetest.CreateThings(t, ctx, db)
	for name, last := range map[string]func(tx *gorm.DB) error{
		"COMMIT":      func(*gorm.DB) error { return nil },
		"a read":      func(tx *gorm.DB) error { return tx.Take(&storagetest.Thing{}).Error },
		"a statement": func(tx *gorm.DB) error { return tx.Create(thingNamed("more")).Error },
	} {
		require.NoError(t, db.Write(ctx).Exec("DELETE FROM things WHERE tenant_id > 0").Error)
		require.NoError(t, db.Write(ctx).Create(thingNamed("a")).Error)
		for _, holds := range []bool{false, true} {
			inserted := thingNamed("b")
			how, err := packed(t, ctx, db, func(tx *gorm.DB) error {
				was := map[bool]string{true: "a", false: "nobody"}[holds]
				require.NoError(t, storage.DeferredOneRow(tx).Exec("UPDATE things SET name = 'why?' WHERE tenant_id > 0 AND name = ?", was).Error)
				require.NoError(t, storage.DeferredID(tx, &inserted.ID).Create(inserted).Error)
				return last(tx)
			})
			if !holds {
				require.Error(t, err, name)
				require.True(t, how.Failed(), name)
				require.False(t, storage.Undecided(err), name)
				require.Equal(t, []string{"a"}, named(t, ctx, db), name)
				continue
			}
			require.NoError(t, err, name)
			require.NotZero(t, inserted.ID)
			require.Subset(t, named(t, ctx, db), []string{"b", "why?"}, name)
		}
	}
}

func TestServerWithoutPacketsGetsSingleStatements(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t, "packets=false")
	storagetest.CreateThings(t, ctx, db)
	tap.Packets()
	how, err := packed(t, ctx, db, func(tx *gorm.DB) error {
		require.NoError(t, storage.Deferred(tx).Create(thingNamed("a")).Error)
		return storage.DeferredOneRow(tx).Exec(renaming, "b", "a").Error
	})
	require.NoError(t, err)
	require.False(t, how.Failed())
	require.Equal(t, 4, tap.Packets())
	require.Equal(t, []string{"b"}, named(t, ctx, db))
}

// Proves D6.
func TestMultiStatementTextIsRejected(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db := migrated(t, storagetest.NewMariaDBURL(t))
	storagetest.CreateThings(t, ctx, db)
	const two = "DELETE FROM things WHERE tenant_id = 1; DELETE FROM audit_entries WHERE tenant_id = 1"
	require.ErrorContains(t, db.Write(ctx).Exec(two).Error, "a statement must end at a semicolon")
	_, err := packed(t, ctx, db, func(tx *gorm.DB) error { return storage.Deferred(tx).Exec(two).Error })
	require.ErrorContains(t, err, "a statement must end at a semicolon")
	require.ErrorContains(t, db.Write(ctx).Raw("SELECT 1 /* tenant_id */; SELECT 2").Scan(new(int)).Error, "a statement must end at a semicolon")
}

func TestPacketsAreForEnginesThatStopThem(t *testing.T) {
	for version, goes := range map[string]bool{
		"10.11.19-MariaDB-0+deb12u1": true, "5.5.5-10.6.18-MariaDB-log": true, "11.4.3-MariaDB-ubu2404": true,
		"8.4.2": true, "8.0.36-28": true, "8.0.39-0ubuntu0.22.04.1": true, "8.0.39-1+deb12u1": true, "8.0.36-log": true,
		"8.0.11-TiDB-v7.5.0": false, "8.0.30-Vitess": false, "5.7.25-OceanBase-v4.2.1.0": false, "8.0.36-cluster": false,
		"8.0.32-X-Cluster-8.4.19": false, "5.6.29-PXC-5.4.13": false, "": false,
	} {
		require.Equal(t, goes, storage.StopsPackets(version), version)
	}
}
