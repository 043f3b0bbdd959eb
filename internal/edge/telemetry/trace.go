package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// StartTracing sends traces by OTLP/HTTP and returns the function that stops it. An endpoint
// without a path is the base address of a collector, to which the path /v1/traces is added. Without
// an endpoint the variables of OpenTelemetry apply (OTEL_EXPORTER_OTLP_ENDPOINT and others).
// Without those, tracing is off.
func StartTracing(ctx context.Context, endpoint, version string) (stop func(context.Context) error, err error) {
	var options []otlptracehttp.Option
	switch {
	case strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true"),
		endpoint == "" && os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "":
		return func(context.Context) error { return nil }, nil
	case endpoint != "":
		u, err := url.Parse(endpoint)
		if err != nil {
			return nil, fmt.Errorf("start tracing: %w", err)
		}
		if strings.Trim(u.Path, "/") == "" {
			u.Path = "/v1/traces"
		}
		options = append(options, otlptracehttp.WithEndpointURL(u.String()))
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("start tracing to %s: %w", endpoint, err)
	}
	// OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override the name.
	about, err := resource.New(ctx, resource.WithAttributes(semconv.ServiceName("interlock"), semconv.ServiceVersion(version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("start tracing: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		slog.Warn("tracing: export failed", "error", err)
	}))
	// OTEL_TRACES_SAMPLER selects the sampler.
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about))
	otel.SetTracerProvider(provider)
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}))
	return provider.Shutdown, nil
}
