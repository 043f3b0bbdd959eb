// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import ()

// Resources are the resources of the contract.
type Resources struct {
	Orders      *Orders
	Customers   *Customers
	Payments    *Payments
	Refunds     *Refunds
	Returns     *Returns
	WorkOrders  *WorkOrders
	Approvals   *Approvals
	Items       *Items
	Inventory   *InventoryRecords
	Campaigns   *Campaigns
	Coupons     *Coupons
	FlashSales  *FlashSales
	Wallets     *Wallets
	Configs     *Configs
	Webhooks    *Webhooks
	Sessions    *Sessions
	Users       *Users
	Roles       *Roles
	Tokens      *Tokens
	Permissions *Permissions
	Menus       *Menus
	Audit       *Audit
	Idempotency *Idempotency
	Ledger      *Ledger
}

func (c *Client) bind() {
	c.Resources = Resources{
		Orders:      &Orders{c},
		Customers:   &Customers{c},
		Payments:    &Payments{c},
		Refunds:     &Refunds{c},
		Returns:     &Returns{c},
		WorkOrders:  &WorkOrders{c},
		Approvals:   &Approvals{c},
		Items:       &Items{c},
		Inventory:   &InventoryRecords{c},
		Campaigns:   &Campaigns{c},
		Coupons:     &Coupons{c},
		FlashSales:  &FlashSales{c},
		Wallets:     &Wallets{c},
		Configs:     &Configs{c},
		Webhooks:    &Webhooks{c},
		Sessions:    &Sessions{c},
		Users:       &Users{c},
		Roles:       &Roles{c},
		Tokens:      &Tokens{c},
		Permissions: &Permissions{c},
		Menus:       &Menus{c},
		Audit:       &Audit{c},
		Idempotency: &Idempotency{c},
		Ledger:      &Ledger{c},
	}
}

// Code is an error code.
//
// Identifies the error for programs. A code never changes its meaning; new ones may be added.
type Code string

// The values of Code.
const (
	CodeMalformedRequest      Code = "malformed_request"
	CodePreconditionMalformed Code = "precondition_malformed"
	CodeIdempotencyViolation  Code = "idempotency_violation"
	CodeInflightDuplicate     Code = "inflight_duplicate"
	CodeSequenceSuperseded    Code = "sequence_superseded"
	CodeActionIDInFuture      Code = "action_id_in_future"
	CodeQuotaExceeded         Code = "quota_exceeded"
	CodeRequestInProgress     Code = "request_in_progress"
	CodeIdempotencyKeyReused  Code = "idempotency_key_reused"
	CodeIdempotencyKeyInvalid Code = "idempotency_key_invalid"
	CodeUnauthenticated       Code = "unauthenticated"
	CodeInvalidCredentials    Code = "invalid_credentials"
	CodeForbidden             Code = "forbidden"
	CodeCSRFFailed            Code = "csrf_failed"
	CodeStepUpRequired        Code = "step_up_required"
	CodeNotFound              Code = "not_found"
	CodeMethodNotAllowed      Code = "method_not_allowed"
	CodeAlreadyExists         Code = "already_exists"
	CodeTransitionNotAllowed  Code = "transition_not_allowed"
	CodeStatusChanged         Code = "status_changed"
	CodeBatchConflict         Code = "batch_conflict"
	CodeLimitReached          Code = "limit_reached"
	CodeInsufficientStock     Code = "insufficient_stock"
	CodeInsufficientBalance   Code = "insufficient_balance"
	CodeNothingToShip         Code = "nothing_to_ship"
	CodeGone                  Code = "gone"
	CodeTotalChanged          Code = "total_changed"
	CodeUnsupportedMediaType  Code = "unsupported_media_type"
	CodePayloadMismatch       Code = "payload_mismatch"
	CodeSoldOut               Code = "sold_out"
	CodeSaleNotOpen           Code = "sale_not_open"
	CodeQueueFull             Code = "queue_full"
	CodeInUse                 Code = "in_use"
	CodeVersionConflict       Code = "version_conflict"
	CodePayloadTooLarge       Code = "payload_too_large"
	CodeValidationFailed      Code = "validation_failed"
	CodeApprovalStale         Code = "approval_stale"
	CodeResourceLocked        Code = "resource_locked"
	CodePreconditionRequired  Code = "precondition_required"
	CodeRateLimited           Code = "rate_limited"
	CodeTooManyAttempts       Code = "too_many_attempts"
	CodeUnavailable           Code = "unavailable"
	CodeOutcomeUnknown        Code = "outcome_unknown"
	CodeInternal              Code = "internal"
)
