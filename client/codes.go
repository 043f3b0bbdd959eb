package client

// Code names an error for programs. A code never changes its meaning; new ones may come.
type Code string

// The codes of the contract.
const (
	CodeMalformedRequest      Code = "malformed_request"
	CodePreconditionMalformed Code = "precondition_malformed"
	CodeIdempotencyKeyInvalid Code = "idempotency_key_invalid"
	CodeUnauthenticated       Code = "unauthenticated"
	CodeInvalidCredentials    Code = "invalid_credentials"
	CodeForbidden             Code = "forbidden"
	CodeCSRFFailed            Code = "csrf_failed"
	CodeNotFound              Code = "not_found"
	CodeMethodNotAllowed      Code = "method_not_allowed"
	CodeAlreadyExists         Code = "already_exists"
	CodeTransitionNotAllowed  Code = "transition_not_allowed"
	CodeStatusChanged         Code = "status_changed"
	CodeInsufficientStock     Code = "insufficient_stock"
	CodeInsufficientBalance   Code = "insufficient_balance"
	CodeBatchConflict         Code = "batch_conflict"
	CodeRequestInProgress     Code = "request_in_progress"
	CodeSoldOut               Code = "sold_out"
	CodeSaleNotOpen           Code = "sale_not_open"
	CodeQueueFull             Code = "queue_full"
	CodeLimitReached          Code = "limit_reached"
	CodePayloadMismatch       Code = "payload_mismatch"
	CodeInUse                 Code = "in_use"
	CodeVersionConflict       Code = "version_conflict"
	CodeActionIDInFuture      Code = "action_id_in_future"
	CodePayloadTooLarge       Code = "payload_too_large"
	CodeValidationFailed      Code = "validation_failed"
	CodeIdempotencyKeyReused  Code = "idempotency_key_reused"
	CodeResourceLocked        Code = "resource_locked"
	CodePreconditionRequired  Code = "precondition_required"
	CodeRateLimited           Code = "rate_limited"
	CodeTooManyAttempts       Code = "too_many_attempts"
	CodeQuotaExceeded         Code = "quota_exceeded"
	CodeUnavailable           Code = "unavailable"
	CodeOutcomeUnknown        Code = "outcome_unknown"
	CodeInternal              Code = "internal"
)
