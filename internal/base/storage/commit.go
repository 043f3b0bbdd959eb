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

// Commit commits a transaction of Begin. nil means that it is committed; an error has its
// class, and says by Undecided whether the transaction may be committed all the same.
func (db *DB) Commit(tx *gorm.DB) error {
	err := tx.Commit().Error
	if err == nil {
		return nil
	}
	var sent *commitError
	if !errors.As(err, &sent) || isUndone(sent) {
		return db.classify(err)
	}
	return &undecided{db.classify(err), sent.at}
}

// Undecided reports whether err is that of a COMMIT of which nobody knows yet whether it
// took place. Of every other error of Commit the transaction is undone for good.
func Undecided(err error) bool {
	var u *undecided
	return errors.As(err, &u)
}

type undecided struct {
	cause error
	// at is the server that was asked to commit.
	at server
}

func (u *undecided) Error() string { return "undecided: " + u.cause.Error() }
func (u *undecided) Unwrap() error { return u.cause }

// LookInto runs fn on one connection, to find out there what became of an undecided COMMIT.
// decides says whether what fn does not find is not committed: so it is at the server that was
// asked to commit, and at each server of its Galera cluster, whose statements wait for what was
// committed before them. Any other server, such as a replica that has taken over, may have yet to
// apply it, or never had it. The connection is asked for its server once more, because a proxy
// may have led it elsewhere since it was made. On SQLite there is nothing to ask.
func (db *DB) LookInto(ctx context.Context, open error, fn func(tx *gorm.DB, decides bool) error) error {
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

// serverOf asks the connection that tx is bound to for its server.
func (db *DB) serverOf(ctx context.Context, tx *gorm.DB) (at server, err error) {
	conn, ok := tx.Statement.ConnPool.(*sql.Conn)
	if !ok {
		return server{}, fmt.Errorf("storage: %T is no connection", tx.Statement.ConnPool)
	}
	return at, conn.Raw(func(raw any) error {
		session, ok := raw.(*session)
		if !ok {
			return fmt.Errorf("storage: %T is no session", raw)
		}
		at, err = identify(ctx, session.link)
		return err
	})
}

// knowsOf reports whether what was committed at another server is seen at this one for certain.
func (s server) knowsOf(other server) bool {
	if s.galera || other.galera {
		return s.cluster != "" && s.cluster != noCluster && s.cluster == other.cluster
	}
	return s.id != "" && s.id == other.id
}

// isUndone reports whether a COMMIT that was sent and failed so has undone its transaction
// for certain. Only what is known of an engine counts:
//
//   - 1213: InnoDB and Galera chose the transaction to give way, and rolled it back.
//   - 3101: MySQL's Group Replication did.
//   - 8002, 8005, 8022, 8028, 9007: TiDB rolled it back because of a conflict, or because
//     the schema had changed.
//   - SQLITE_FULL: the mark of a commit is in the last frame that a COMMIT writes to the
//     write-ahead log, and that frame or one before it was not written whole.
//
// Everything else leaves it open. 1205 says that only the statement was undone; 1047 and
// 1105 say nothing of the transaction, whatever the text of the latter; 1180 comes from an
// engine that was at work on it; 8501 and 9001 to 9006 from one that did not hear from its parts.
// SQLITE_BUSY keeps the transaction open. After SQLITE_IOERR all frames may be in the log:
// the sync failed, or what came after it, and a crash would have them recovered.
func isUndone(err error) bool {
	var fromMySQL *gomysql.MySQLError
	if errors.As(err, &fromMySQL) {
		return mysqlClass(fromMySQL) == WriteConflict && fromMySQL.Number != 1105
	}
	var fromSQLite sqliteError
	return errors.As(err, &fromSQLite) && fromSQLite.Code()&0xff == sqliteFull
}

// Supersede has a transaction that commits decide for good that an undecided one before
// it is undone, if its rows are not there. On SQLite it changes a page: the commit is
// written to the place in the log where the other one was, and breaks the chain of
// checksums that what remains of it would be recovered by. On MySQL it does nothing: there
// the transaction ends with its connection, and until then its rows are locked.
func (db *DB) Supersede(tx *gorm.DB) error {
	if db.Dialect != SQLite {
		return nil
	}
	// A number that nothing reads, in the first page of the file.
	change := fmt.Sprintf("PRAGMA user_version = %d", rand.Int32N(math.MaxInt32))
	return tx.WithContext(AcrossTenants(tx.Statement.Context)).Exec(change).Error
}
