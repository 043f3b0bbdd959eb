package main

// replies are breaks of the replies that are kept under idempotency keys.
var replies = []mutant{
	{
		name: "the record of a reply is written outside of the transaction of its effect",
		file: "internal/edge/idempotency/keep.go", old: `u.BeforeCommit(func(_ context.Context, tx *gorm.DB) error { return a.taken(a.insert(tx, &record)) })`,
		new: `u.BeforeCommit(func(context.Context, *gorm.DB) error { return nil })
	u.AfterCommit(func(ctx context.Context) { _ = a.insertWhole(ctx, &record) })`,
		caught: tests{"internal/edge/idempotency": {"TestAReplyIsRecordedInTheTransactionOfItsEffect"}},
	},
}
