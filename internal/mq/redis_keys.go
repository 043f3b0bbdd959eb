package mq

// RedisKeys are the keys of one queue. All have the hash tag {<name>}, so they share one
// cluster slot with every other key of that tag.
type RedisKeys struct {
	// Pending is a LIST of encoded messages; its left end is the head. A script of another
	// package may RPUSH the result of Encode; call Enqueued afterwards.
	Pending string
	// Delayed is a ZSET: encoded message → due time in µs since 1970.
	Delayed string
	// Dead is a ZSET: message ID → dead time in µs since 1970, unique.
	Dead string
	// DeadMessages is a HASH: message ID → encoded message.
	DeadMessages string
	// DeadErrors is a HASH: message ID → error text.
	DeadErrors string
	// Leases is a ZSET: batch ID → end of its lease in µs since 1970.
	Leases string
	// batch and settled are key prefixes, completed by a batch ID: the LIST of a batch's
	// encoded messages, and the mark that the batch was settled.
	batch   string
	settled string
	// rate is a STRING: the time until which the claims so far have used up the queue's
	// rate, in µs since 1970. It expires when the bucket is full.
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

// List returns the keys in the order that scripts with ScriptPrelude expect. The last one
// is the prefix of batch lists.
func (k RedisKeys) List() []string {
	return []string{k.Pending, k.Delayed, k.Dead, k.DeadMessages, k.DeadErrors, k.Leases, k.batch}
}
