package mq_test

import (
	"flag"
	"testing"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"interlock/internal/clock"
	"interlock/internal/mq"
	"interlock/internal/mq/mqtest"
	"interlock/internal/redisconn/redistest"
	"interlock/internal/storage/storagetest"
)

func TestMain(m *testing.M) {
	// On four engines; the command line, parsed later, may ask for more.
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

func uniquePrefix() string { return "test:" + uuid.NewString() + ":" }

func TestRedisKeepsTheContract(t *testing.T) {
	client := redistest.Connect(t, redistest.SharedURL(t))
	mqtest.Contract(t, func(*testing.T) mq.Broker { return mq.NewRedis(client, uniquePrefix(), mq.Options{}) })
}

func TestRedisKeepsTheContractOnACluster(t *testing.T) {
	client := redistest.Connect(t, redistest.NewCluster(t).URL())
	mqtest.Contract(t, func(*testing.T) mq.Broker { return mq.NewRedis(client, uniquePrefix(), mq.Options{}) })
}

func TestSQLiteKeepsTheContract(t *testing.T) {
	mqtest.Contract(t, func(t *testing.T) mq.Broker { return mq.NewSQL(storagetest.SQLite(t), clock.System{}, mq.Options{}) })
}

func TestMariaDBKeepsTheContract(t *testing.T) {
	db := storagetest.MariaDB(t)
	mqtest.Contract(t, func(*testing.T) mq.Broker { return mq.NewSQL(db, clock.System{}, mq.Options{}) })
}
