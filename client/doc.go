// Package client is the Go client of Interlock's HTTP API.
//
//	c, err := client.New("https://admin.example.com", token)
//	cfg, err := c.Configs.Get(ctx, "checkout.retries")
//	err = cfg.SetValue(5)
//	err = c.Configs.Save(ctx, &cfg)
//
// The types and methods of the resources are generated from the contract, api/openapi.yaml; texts
// that mention a route or a parameter come from it. The options [Bypass], [At], [Wait], [IfMatch]
// and [MergeDisjoint] set the parameters that many operations have.
//
// Guarantees:
//   - Every POST and PATCH has one idempotency key, created once or set with [Key], and each
//     retry sends the same key. An operation therefore has its effect at most once, whichever
//     requests or replies are lost.
//   - Only replies that can change are retried: 409 request_in_progress, 429, 503 and network
//     failures. Other replies are final.
//   - An unknown outcome is not a failure: OutcomeUnknown in [GaveUp] reports that the operation
//     may have had its effect, and Key is the key for calling it again.
//   - The service returns a new token or invitation once and does not store it. A retry after a
//     lost reply returns the same row with [ErrSecretLost].
//   - Values contain their state when they were read. Save sends the changes since then, guarded
//     by the ETag; if another writer was first, it returns a [Conflict] and applies nothing.
//   - Numbers of configs stay JSON text, money is in minor units (1990 is 19.90), and times are
//     in UTC.
//
// Errors of the service are a [Problem], or a richer type that wraps one: [Conflict],
// [TransitionRejected], [BatchConflict], [InsufficientStock], [InsufficientBalance],
// [InventoryChanged], [ImportRejected], [SaleRejected], [LimitReached], [StaleApproval],
// [EventLanded], [EventMismatch], [SequenceSuperseded]. Match them with errors.As, and a code with
// [HasCode]. [Proposed] is the error of a change that needs an approval.
//
// [Follow] provides the current value of a config, also while the service is down; [Configs.Watch]
// is the stream that Follow uses.
//
// An [Outbox] stores operations in a file until they are done, so that they survive the end of
// the process.
package client
