package main

// rates are breaks of a queue's rate, and of the response to a customer when all units are
// sold.
var rates = []mutant{
	{
		name: "a claim from a queue in Redis does not use the rate up",
		file: "internal/mq/redis_scripts.go", old: "if ARGV[5] then\n  redis.call('SET', KEYS[9]", new: "if ARGV[5] and not KEYS[9] then\n  redis.call('SET', KEYS[9]",
		caught: tests{"internal/mq": {"TestRedisFulfillsTheContract"}, "internal/flashsale/gate": {"TestEveryGateFulfilsTheContract"}},
	},
	{
		name: "a queue in Redis with a clock that was set back waits for its old time",
		file: "internal/mq/redis_scripts.go", old: "  if used > at + full then used = 0 end\n", new: "",
		caught: tests{"internal/mq": {"TestRateContinuesAfterRedisClockIsSetBack"}},
	},
	{
		name: "a queue in SQL of a process with a clock that was set back waits for its old time",
		file: "internal/mq/rate.go", old: "if used > now+full {", new: "if used > now+full && full < 0 {",
		caught: tests{"internal/mq": {"TestRateContinuesAfterProcessClockIsSetBack"}},
	},
	{
		name: "a claim from a queue in SQL does not use the rate up",
		file: "internal/mq/sql_queue.go", old: "q.spend(tx, rateBucket, len(b.rows))", new: "q.spend(tx, rateBucket, 0)",
		caught: tests{"internal/mq": {"TestSQLiteFulfillsTheContract"}, "internal/flashsale/gate": {"TestEveryGateFulfilsTheContract"}},
	},
	{
		name: "the gate in SQL reports sold out to an admitted customer",
		file: "internal/flashsale/gate/book.go", old: ", b.Remaining <= 0 && held.Units > 0:", new: ":",
		caught: tests{
			"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract"},
			"internal/flashsale":      {"TestSoldOutSaleReturnsTicketOfBuyer"},
		},
	},
	{
		name: "the gate in Redis reports sold out to an admitted customer",
		file: "internal/flashsale/gate/redis_scripts.go", old: " or (remaining <= 0 and held > 0)", new: "",
		caught: tests{
			"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract"},
			"internal/flashsale":      {"TestSoldOutSaleReturnsTicketOfBuyer"},
		},
	},
	{
		name: "the cache reports sold out to an admitted customer",
		file: "internal/flashsale/soldout.go", old: "memory.remaining <= 0 && held.Units > 0", new: "memory.remaining <= 0 && held.Units < 0",
		caught: tests{"internal/flashsale": {"TestSoldOutSaleReturnsTicketOfBuyer"}},
	},
	{
		name: "the cached buyers lack those that this process admitted since",
		file: "internal/flashsale/buy.go", old: "answer.Verdict == gate.Accepted || ", new: "",
		caught: tests{"internal/flashsale": {"TestSoldOutCacheReturnsTicketOfLaterBuyer"}},
	},
	{
		name: "the cached buyers lack those that other processes admitted since",
		file: "internal/flashsale/soldout.go", old: "before.letIn == known.letIn && ", new: "",
		caught: tests{"internal/flashsale": {"TestSoldOutCacheReturnsTicketOfLaterBuyer"}},
	},
	{
		name: "the buyers are cached forever, also after the gate's store was restored",
		file: "internal/flashsale/soldout.go", old: " && now.Before(before.until)", new: "",
		caught: tests{"internal/flashsale": {"TestBuyersOfASoldOutSaleAreReadOnce"}},
	},
	{
		name: "the gate in Redis does not count admitted customers with returned units",
		file: "internal/flashsale/gate/redis_scripts.go", old: "- remaining + tonumber(g[3] or 0) + tonumber(g[4] or 0)", new: "- remaining",
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract"}},
	},
	{
		name: "a process is not notified that units of a sold-out sale were returned",
		file: "internal/flashsale/worker.go", old: "			s.exhausted.Delete(sale)\n", new: "			s.exhausted.Delete(-sale)\n",
		caught: tests{"internal/flashsale": {"TestSoldOutCacheReturnsTicketAcceptedByOtherProcess"}},
	},
	{
		name: "the cache reports sold out to a customer beyond the limit",
		file: "internal/flashsale/soldout.go", old: "w.Units > snap.sale.PerUserLimit-held.Units || ", new: "",
		caught: tests{"internal/flashsale": {"TestSoldOutCacheMatchesGate"}},
	},
	{
		name: "sold out is cached beyond the end of the sale",
		file: "internal/flashsale/soldout.go", old: "ends.Before(until)", new: "ends.Before(until) && units < 0",
		caught: tests{"internal/flashsale": {"TestSoldOutCacheMatchesGate"}},
	},
}
