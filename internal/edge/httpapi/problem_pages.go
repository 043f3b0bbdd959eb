package httpapi

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
)

// kind describes a code: its reply over HTTP, and its public page.
type kind struct {
	status                        int
	title, meaning, cause, remedy string
}

// kinds maps each code to its kind. A code that is not in it is returned as internal.
var kinds = map[apperr.Code]kind{
	apperr.MalformedRequest: {
		http.StatusBadRequest, "The request cannot be read",
		"The service could not parse the request. No change was made.",
		"The body is not valid JSON, has an unknown field, a value of another type, or data after its end; or the address has an unknown query parameter.",
		"Correct the location that `fields` names and send the request again, under the same idempotency key if it has one.",
	},
	apperr.PreconditionMalformed: {
		http.StatusBadRequest, "The precondition cannot be used",
		"The `If-Match` header is not an entity tag of this service. No change was made.",
		"The header is `*`, a list of several tags, or a tag that was altered.",
		"Read the resource and send its `etag` unchanged in `If-Match`.",
	},
	apperr.IdempotencyKeyInvalid: {
		http.StatusBadRequest, "The idempotency key cannot be used",
		"The idempotency key was rejected. No change was made.",
		"The key is empty, longer than 128 characters, contains other characters than printable ASCII, or the request has two different keys.",
		"Send one key of 1 to 128 printable ASCII characters, for example a UUID.",
	},
	apperr.ActionIDInFuture: {
		http.StatusBadRequest, "The action id is in the future",
		"The action id contains a time that is too far in the future. The action was not applied.",
		"The clock of the device is wrong.",
		"Correct the clock, or derive the id from the time of the server (the `Date` header), and send the action under a new id.",
	},
	apperr.IdempotencyKeyReused: {
		http.StatusUnprocessableEntity, "The idempotency key was used for another request",
		"The key belongs to another request. No change was made.",
		"A client sent two different requests under one idempotency key.",
		"Use a new key for each operation. Send a key again only with the same method, path and body.",
	},
	apperr.RequestInProgress: {
		http.StatusConflict, "The first attempt is still running",
		"The first attempt with this idempotency key is still running.",
		"The client retried before the first attempt returned.",
		"Wait for `retryAfterMs` and send the same request under the same key; the reply is that of the first attempt.",
	},
	apperr.IdempotencyViolation: {
		http.StatusConflict, "This event was recorded before",
		"The event is already recorded, and is not counted again.",
		"The client sent an event again under the same id or sequence, usually after it missed the reply.",
		"Treat the event as recorded; the reply contains the version at which it was.",
	},
	apperr.InflightDuplicate: {
		http.StatusConflict, "Another attempt is under way",
		"Another attempt to record the same event is running.",
		"Two attempts with the same event id or sequence overlap.",
		"Wait for the time in `Retry-After` and send the event again unchanged.",
	},
	apperr.SequenceSuperseded: {
		http.StatusConflict, "A later event of the writer was recorded before",
		"A later event of the same client is already recorded. This event was not.",
		"The client used a sequence number that is lower than its last recorded one.",
		"Read the client's last sequence number from the aggregate, and continue after it.",
	},
	apperr.QuotaExceeded: {
		http.StatusTooManyRequests, "The quota is used up",
		"A quota of the tenant is used up. No change was made.",
		"Too many replies are stored under idempotency keys, or too many records of a kind exist.",
		"Retry after the time in `Retry-After`. If it happens again, an operator must raise the quota; `detail` names it.",
	},
	apperr.Unauthenticated: {
		http.StatusUnauthorized, "Sign in first",
		"The request has no valid credentials.",
		"The credentials are missing, expired or revoked, or their user is disabled.",
		"Sign in again, or send a valid token in `Authorization: Bearer …`.",
	},
	apperr.InvalidCredentials: {
		http.StatusUnauthorized, "The credentials are wrong",
		"Signing in failed.",
		"The user name, the password or the code of the second factor is wrong. The reply is the same if the user does not exist.",
		"Check all of them. An administrator can reset a password or a second factor.",
	},
	apperr.Forbidden: {
		http.StatusForbidden, "Not allowed",
		"The caller does not have the permission for this request. No change was made.",
		"A role, or the scopes of the API token, do not include the permission; or a rule excludes this caller, such as approving one's own request.",
		"Ask an administrator for the permission that `detail` names, or ask another user to do it.",
	},
	apperr.CSRFFailed: {
		http.StatusForbidden, "The CSRF token is missing or wrong",
		"The request has no valid CSRF token. No change was made.",
		"An unsafe request of a signed-in browser lacks the header `X-CSRF-Token`, or the header belongs to another session.",
		"Send the `csrfToken` of `GET /api/v1/session` in `X-CSRF-Token`. API tokens do not need it.",
	},
	apperr.StepUpRequired: {
		http.StatusForbidden, "A fresh second factor is needed",
		"The act needs a second factor that was confirmed within the last five minutes. No change was made.",
		"The session has confirmed none, or did so earlier.",
		"Confirm a second factor with `POST /api/v1/session/step-up` and send the request again.",
	},
	apperr.NotFound: {
		http.StatusNotFound, "Not found",
		"The resource does not exist, or belongs to another tenant.",
		"The id or the address is wrong, or the resource was deleted.",
		"Check the id. The audit log shows deletions.",
	},
	apperr.Gone: {
		http.StatusGone, "No longer available",
		"The requested position of the log does not exist any more. No change was made.",
		"Retention removed entries after that position, or the database was restored from a backup.",
		"Use a later position.",
	},
	apperr.MethodNotAllowed: {
		http.StatusMethodNotAllowed, "The method is not allowed here",
		"The address exists and does not support this method.",
		"The method is wrong for this address.",
		"Use a method that the `Allow` header lists.",
	},
	apperr.AlreadyExists: {
		http.StatusConflict, "It exists already",
		"A resource with this name exists. No second one was created.",
		"The name or the key must be unique and is in use.",
		"Read and edit the existing resource, or use another name.",
	},
	apperr.TransitionNotAllowed: {
		http.StatusConflict, "Not possible from the current status",
		"The current status does not allow this transition. No change was made.",
		"The record was already moved to another status, perhaps by an earlier attempt of the same client.",
		"Read `currentStatus` and `allowedTransitions` in the reply, and choose one of those.",
	},
	apperr.StatusChanged: {
		http.StatusConflict, "The status has changed",
		"Another request changed the status first. This one changed nothing.",
		"Two transitions of the same record raced.",
		"Read `currentStatus`, `changedBy` and `changedTime` in the reply, and decide again.",
	},
	apperr.BatchConflict: {
		http.StatusConflict, "A member of the batch conflicts",
		"At least one member of the batch conflicts. No member was changed.",
		"A member was changed since it was read, or its status does not allow the change.",
		"Correct the members that the reply lists, and send the batch again.",
	},
	apperr.LimitReached: {
		http.StatusConflict, "The limit is reached",
		"A limit is reached. No change was made.",
		"A sale's limit per customer, a campaign's number of coupons, or another limit that `detail` names has been used up.",
		"Do not retry. Raise the limit if it is yours to set.",
	},
	apperr.InsufficientStock: {
		http.StatusConflict, "Not enough is in stock",
		"Fewer units are available than requested. No units were reserved.",
		"Other orders reserved or bought the units.",
		"Request at most the `available` units, or add stock.",
	},
	apperr.NothingToShip: {
		http.StatusConflict, "The order has nothing to ship",
		"The order has no unit that may be shipped. No change was made.",
		"All units that are left are in open refunds or back in stock, or the whole payment was refunded.",
		"Settle or reject the open refund. For a fully refunded order send `{\"shipRefunded\":true}` if it is meant.",
	},
	apperr.TotalChanged: {
		http.StatusConflict, "The total of the order changed",
		"The total differs from the one that the customer accepted. No order was created.",
		"A price, a discount, the shipping or the tax changed since the total was shown.",
		"Show the customer the `total` of the reply. If they accept it, send it as `expectedTotal`.",
	},
	apperr.InsufficientBalance: {
		http.StatusConflict, "The balance is not enough",
		"The wallet contains less than the amount. No money was moved.",
		"Other entries used the balance.",
		"Add money to the wallet, or use a lower amount.",
	},
	apperr.PayloadMismatch: {
		http.StatusConflict, "The reference was used with other content",
		"The reference is already used with other content. No change was made.",
		"A payment reference, event id or ticket was sent before for another order or with another amount.",
		"Compare with the existing record that the reply names. Use a new reference for a new operation.",
	},
	apperr.SoldOut: {
		http.StatusConflict, "Sold out",
		"The flash sale has no unit left.",
		"All units are reserved or sold.",
		"Do not retry immediately; units return when orders are cancelled or expire.",
	},
	apperr.SaleNotOpen: {
		http.StatusConflict, "The sale is not open",
		"The flash sale does not accept purchases.",
		"It has not started, is paused, or has ended.",
		"Read the sale's status and its start time.",
	},
	apperr.QueueFull: {
		http.StatusServiceUnavailable, "The queue is full",
		"The queue of the flash sale is full. The purchase was not accepted.",
		"More purchases arrive than the workers process.",
		"Retry after the time in `Retry-After`, under the same idempotency key.",
	},
	apperr.ApprovalStale: {
		http.StatusConflict, "The resource has changed since the proposal",
		"The resource was changed since the change was proposed. The proposal was not applied.",
		"Another change of the same resource was applied first.",
		"Update the proposal to the current version; its approvers vote again.",
	},
	apperr.InUse: {
		http.StatusConflict, "It is in use",
		"The resource is in use, so it cannot be deleted or changed. No change was made.",
		"Other records refer to it, or a program such as a pipeline owns a field of it.",
		"Remove or change the records that `detail` names first. Change an owned field in the source of its owner, or take it over with `takeOver` and a reason.",
	},
	apperr.VersionConflict: {
		http.StatusPreconditionFailed, "It was changed since you read it",
		"The resource was changed since it was read. This edit was not applied.",
		"Another user or program saved first.",
		"Read `base`, `current` and `conflicts` in the reply, decide, and send the edit with `currentEtag`. With `?merge=disjoint` the service merges edits of different fields.",
	},
	apperr.PayloadTooLarge: {
		http.StatusRequestEntityTooLarge, "The body is too large",
		"The body exceeds the size limit. No change was made.",
		"The limit is 1 MiB, and more for imports; `detail` states it.",
		"Send fewer records in each request.",
	},
	apperr.UnsupportedMediaType: {
		http.StatusUnsupportedMediaType, "The body is of another media type",
		"The media type of the body is not supported here. No change was made.",
		"`Content-Type` is missing or names another type, or a table file is not text.",
		"Send `application/json`; for PATCH `application/merge-patch+json` or `application/json-patch+json`. Save a table as CSV.",
	},
	apperr.ValidationFailed: {
		http.StatusUnprocessableEntity, "The request breaks a rule",
		"The request is well-formed and violates a rule. No change was made.",
		"A value is missing, out of range, or inconsistent with another one.",
		"Correct each location in `fields` and send the request again, under the same idempotency key if it has one.",
	},
	apperr.ResourceLocked: {
		http.StatusLocked, "It is locked by another operation",
		"Another operation has the lock of this resource. No change was made.",
		"Many requests change the same wallet, item or sale.",
		"Retry after the time in `Retry-After`, under the same idempotency key.",
	},
	apperr.PreconditionRequired: {
		http.StatusPreconditionRequired, "A precondition is required",
		"The request needs an `If-Match` header. No change was made.",
		"Edits and deletions of versioned resources must name the version that was read.",
		"Read the resource and send its `etag` in `If-Match`.",
	},
	apperr.RateLimited: {
		http.StatusTooManyRequests, "Too many requests",
		"The caller sends too many requests. No change was made.",
		"The limit of the address, the user or the customer is reached.",
		"Retry after the time in `Retry-After`, and send requests at a lower rate.",
	},
	apperr.TooManyAttempts: {
		http.StatusTooManyRequests, "Too many attempts",
		"Too many passwords or codes were wrong. Further attempts are rejected for a time.",
		"A guessing attack, or a program with an old password.",
		"Wait for the time in `Retry-After`. An administrator can reset the password.",
	},
	apperr.Unavailable: {
		http.StatusServiceUnavailable, "Not available now",
		"The service cannot process the request now. No change was made.",
		"The database or Redis is unreachable, is failing over, or is overloaded; or a sale's gate is being rebuilt.",
		"Retry after the time in `Retry-After`, under the same idempotency key. Operators: see `/readyz` and `admin doctor`.",
	},
	apperr.OutcomeUnknown: {
		http.StatusServiceUnavailable, "The outcome is unknown",
		"The service does not know whether the change was made.",
		"The connection to the database failed during the commit.",
		"Send the same request under the same idempotency key; the reply then contains the outcome. Without a key, read the resource first.",
	},
	apperr.Internal: {
		http.StatusInternalServerError, "Something went wrong on our side",
		"The service failed. If the request had an idempotency key, a retry under it has its effect at most once.",
		"A fault of the program or of an engine that no other code describes.",
		"Retry once under the same key. Then report the `requestId`; the log of the service contains the reason under it.",
	},
}

// Problem is the public description of an error code. Meaning, Cause and Remedy are sentences with
// the names of the contract in backticks.
type Problem struct {
	Code                          apperr.Code
	Status                        int
	Title, Meaning, Cause, Remedy string
}

// Problems returns all error codes of the contract, by status and code.
func Problems() []Problem {
	all := make([]Problem, 0, len(kinds))
	for code, k := range kinds {
		all = append(all, Problem{code, k.status, k.title, k.meaning, k.cause, k.remedy})
	}
	slices.SortFunc(all, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Status, b.Status), cmp.Compare(a.Code, b.Code))
	})
	return all
}

//go:embed problems/*
var problemFiles embed.FS

// ServeProblems serves the page of each code at /problems/CODE, the address in the member
// "type" of its replies, and the list of all at /problems. The pages are public.
func ServeProblems(s *Server) error {
	pages, err := template.New("").Funcs(template.FuncMap{"marked": marked}).ParseFS(problemFiles, "problems/*.html")
	if err != nil {
		return fmt.Errorf("parse the pages of error codes: %w", err)
	}
	serve := func(address, page string, data any) error {
		var text bytes.Buffer
		if err := pages.ExecuteTemplate(&text, page, data); err != nil {
			return fmt.Errorf("render the page of an error code: %w", err)
		}
		s.serveAsset(address, asset{contentType: echo.MIMETextHTMLCharsetUTF8, content: text.Bytes(), policy: docsPolicy})
		return nil
	}
	all := Problems()
	for _, problem := range all {
		if err := serve("/problems/"+string(problem.Code), "problem.html", problem); err != nil {
			return err
		}
	}
	style, err := problemFiles.ReadFile("problems/style.css")
	if err != nil {
		return fmt.Errorf("read the style of error pages: %w", err)
	}
	s.serveAsset("/problems/style.css", asset{contentType: "text/css; charset=utf-8", content: style, policy: docsPolicy})
	return serve("/problems", "list.html", all)
}

// marked escapes a sentence and renders its names in backticks as code.
func marked(sentence string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(sentence, "`") {
		escaped := template.HTMLEscapeString(part)
		if i%2 == 1 {
			escaped = "<code>" + escaped + "</code>"
		}
		b.WriteString(escaped)
	}
	return template.HTML(b.String()) //nolint:gosec // each part is escaped above
}
