package mq

// RedisKeys are the keys of one queue. All have the hash tag {<name>}, so they are
// in one slot of a cluster, together with every other key of that tag.
type RedisKeys struct {
	// Pending is a LIST of encoded messages, the next one at its left. A script of
	// another package may RPUSH what Encode returned; call Enqueued after it.
	Pending string
	// Delayed is a ZSET: encoded message → due time in µs since 1970.
	Delayed string
	// Dead is a ZSET: message ID → dead time in µs since 1970, no two the same.
	Dead string
	// DeadMessages is a HASH: message ID → encoded message.
	DeadMessages string
	// DeadErrors is a HASH: message ID → why it is dead.
	DeadErrors string
	// Leases is a ZSET: batch ID → end of its lease in µs since 1970.
	Leases string
	// batch and settled, with a batch ID behind them, are the LIST of a batch's
	// encoded messages and the mark that it was settled.
	batch   string
	settled string
	// rate is a STRING: until when the claims so far have used the queue's rate up, in µs
	// since 1970. It expires when the bucket is full.
	rate string
}

func redisKeys(prefix, name string) RedisKeys {
	base := prefix + "{" + name + "}:"
	return RedisKeys{
		Pending:      base + "pending",
		Delayed:      base + "delayed",
		Dead:         base + "dead",
		DeadMessages: base + "dead-messages",
		DeadErrors:   base + "dead-errors",
		Leases:       base + "leases",
		batch:        base + "batch:",
		settled:      base + "settled:",
		rate:         base + "rate",
	}
}

// List returns the keys in the order that scripts with ScriptPrelude expect, the last of
// them the prefix of batch lists.
func (k RedisKeys) List() []string {
	return []string{k.Pending, k.Delayed, k.Dead, k.DeadMessages, k.DeadErrors, k.Leases, k.batch}
}
