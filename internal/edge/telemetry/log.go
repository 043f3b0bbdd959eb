// Package telemetry provides logs with the request's context, metrics and traces.
package telemetry

import (
	"context"
	"io"
	"log/slog"
	"strings"

	"go.opentelemetry.io/otel/trace"

	"interlock/internal/base/principal"
)

// NewLogger returns a logger that writes JSON or text lines to w. Each line that is logged with a
// request's context contains the request's id, actor, tenant and trace. The value of an attribute
// with a name from secretNames is redacted.
func NewLogger(w io.Writer, level, format string) *slog.Logger {
	var minimum slog.Level
	// The settings have validated the name; an unknown one means info.
	_ = minimum.UnmarshalText([]byte(level))
	options := &slog.HandlerOptions{Level: minimum, ReplaceAttr: redact}
	if format == "text" {
		return slog.New(contextual{slog.NewTextHandler(w, options)})
	}
	return slog.New(contextual{slog.NewJSONHandler(w, options)})
}

// contextual adds the request, principal and trace of the context to each record.
type contextual struct{ slog.Handler }

func (h contextual) Handle(ctx context.Context, record slog.Record) error {
	if id := principal.Request(ctx); id != "" {
		record.AddAttrs(slog.String("requestId", id))
	}
	if p, ok := principal.From(ctx); ok {
		record.AddAttrs(slog.Int64("tenant", p.TenantID), slog.String("actor", string(p.Kind)+":"+p.Name), slog.String("actorId", p.ActorID()))
	}
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		record.AddAttrs(slog.String("traceId", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, record)
}

func (h contextual) WithAttrs(attributes []slog.Attr) slog.Handler {
	return contextual{h.Handler.WithAttrs(attributes)}
}

func (h contextual) WithGroup(name string) slog.Handler { return contextual{h.Handler.WithGroup(name)} }

const redacted = "[redacted]"

var secretNames = []string{"password", "secret", "token", "authorization", "cookie", "csrf"}

func redact(_ []string, a slog.Attr) slog.Attr {
	name := strings.ToLower(a.Key)
	for _, secret := range secretNames {
		if strings.Contains(name, secret) {
			return slog.String(a.Key, redacted)
		}
	}
	return a
}
