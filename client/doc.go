// Package client is the Go client of Interlock's HTTP API.
//
//	c, err := client.New("https://admin.example.com", token)
//	cfg, err := c.Configs.Get(ctx, "checkout.retries")
//	err = cfg.SetValue(5)
//	err = c.Configs.Save(ctx, &cfg)
//
// What always holds:
//   - Every POST and PATCH has one idempotency key, minted once or given with [Key],
//     and each retry sends the same. So an operation has its effect at most once,
//     whatever is lost on the way.
//   - Only what may end differently is sent again: 409 request_in_progress, 429, 503
//     and failures of the network. Anything else the service has decided.
//   - What nobody knows is never called a failure: [GaveUp] says with OutcomeUnknown
//     whether the operation may have had its effect, and with Key how to go on.
//   - The service returns a new token or invitation once and stores it nowhere. A retry after
//     a lost reply returns the same row with [ErrSecretLost].
//   - Values remember how they were read. Save sends what was changed since, guarded
//     by the ETag; whoever was faster is told as a [Conflict], and nothing is applied.
//   - Numbers of configs stay JSON text, and money is in minor units (1990 is 19.90).
//     Times are UTC.
//
// Errors of the service are a [Problem], or a richer type that wraps one: [Conflict],
// [TransitionRefused], [BatchConflict], [InsufficientStock], [InsufficientBalance],
// [InventoryChanged], [ImportRefused], [SaleRefused], [LimitReached]. Look for them
// with errors.As, for a code with [HasCode].
//
// An [Outbox] keeps operations in a file until they are done, so that they survive
// the end of the process.
package client
