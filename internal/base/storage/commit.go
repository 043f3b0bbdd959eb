package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	gomysql "github.com/go-sql-driver/mysql"
	"gorm.io/gorm"
)

// Commit commits a transaction of Begin. nil means that the transaction is committed. An error has
// its class; Undecided reports whether the transaction may be committed despite the error.
func (db *DB) Commit(tx *gorm.DB) error {
	err := tx.Commit().Error
	if err == nil {
		return nil
	}
	var sent *commitError
	if !errors.As(err, &sent) || isRolledBack(sent) {
		return db.classify(err)
	}
	return &undecided{db.classify(err), sent.at}
}

// Undecided reports whether err is the error of a COMMIT with an unknown outcome. After any
// other error of Commit the transaction is rolled back for good.
func Undecided(err error) bool {
	var u *undecided
	return errors.As(err, &u)
}

type undecided struct {
	cause error
	// at is the server that received the COMMIT.
	at server
}

func (u *undecided) Error() string { return "undecided: " + u.cause.Error() }
func (u *undecided) Unwrap() error { return u.cause }

// ResolveUndecided runs fn on one connection, to determine the outcome of an undecided COMMIT.
// decides is true if rows that fn does not find are not committed: on the server that
// received the COMMIT, and on each server of its Galera cluster, where statements wait for
// earlier commits. Any other server, such as a promoted replica, may not have applied the
// commit yet, or may lack it. ResolveUndecided queries the server of the connection again, because
// a proxy may have rerouted the connection. It is not used on SQLite.
func (db *DB) ResolveUndecided(ctx context.Context, open error, fn func(tx *gorm.DB, decides bool) error) error {
	var of *undecided
	if !errors.As(open, &of) {
		return fmt.Errorf("storage: not the error of an undecided COMMIT: %w", open)
	}
	return db.classify(db.write.WithContext(ctx).Connection(func(tx *gorm.DB) error {
		here, err := db.serverOf(ctx, tx)
		if err != nil {
			return err
		}
		return fn(tx.WithContext(ctx), here.knowsOf(of.at))
	}))
}

// serverOf queries the server of the connection that tx is bound to.
func (db *DB) serverOf(ctx context.Context, tx *gorm.DB) (at server, err error) {
	conn, ok := tx.Statement.ConnPool.(*sql.Conn)
	if !ok {
		return server{}, fmt.Errorf("storage: %T is not a connection", tx.Statement.ConnPool)
	}
	return at, conn.Raw(func(raw any) error {
		session, ok := raw.(*session)
		if !ok {
			return fmt.Errorf("storage: %T is not a session", raw)
		}
		at, err = identify(ctx, session.link)
		return err
	})
}

// knowsOf reports whether the commits of the server other are certainly visible on the server s.
func (s server) knowsOf(other server) bool {
	if s.galera || other.galera {
		return s.cluster != "" && s.cluster != noCluster && s.cluster == other.cluster
	}
	return s.id != "" && s.id == other.id
}

// isRolledBack reports whether a COMMIT that failed with err has certainly rolled back its
// transaction. Only documented behaviour of an engine counts:
//
//   - 1213: InnoDB and Galera chose the transaction as the victim and rolled it back.
//   - 3101: MySQL's Group Replication did.
//   - 8002, 8005, 8022, 8028, 9007: TiDB rolled it back because of a conflict, or because
//     the schema had changed.
//   - SQLITE_FULL: the commit mark is in the last frame that a COMMIT writes to the
//     write-ahead log, and that frame or an earlier one was not written completely.
//
// Every other error leaves the outcome open. 1205 means that only the statement was rolled
// back; 1047 and 1105 do not describe the transaction, whatever the text of the latter;
// 1180 comes from an engine during its COMMIT; 8501 and 9001 to 9006 from one with
// components that did not reply. After SQLITE_BUSY the transaction is still open. After SQLITE_IOERR all
// frames may be in the log: the sync or a later step failed, and a crash would recover
// them.
func isRolledBack(err error) bool {
	var fromMySQL *gomysql.MySQLError
	if errors.As(err, &fromMySQL) {
		return mysqlClass(fromMySQL) == WriteConflict && fromMySQL.Number != 1105
	}
	var fromSQLite sqliteError
	return errors.As(err, &fromSQLite) && fromSQLite.Code()&0xff == sqliteFull
}

// Supersede makes the commit of tx decide finally that an earlier undecided transaction is
// rolled back, after its rows were not found. On SQLite it changes a page: the commit
// overwrites the earlier one in the log and breaks the chain of checksums by which its
// remains could be recovered. On MySQL it does nothing: there the transaction ends with its
// connection, and until then its rows are locked.
func (db *DB) Supersede(tx *gorm.DB) error {
	if db.Dialect != SQLite {
		return nil
	}
	// A number in the first page of the file that nothing reads.
	change := fmt.Sprintf("PRAGMA user_version = %d", rand.Int32N(math.MaxInt32))
	return tx.WithContext(AcrossTenants(tx.Statement.Context)).Exec(change).Error
}
