package promises

import (
	"context"

	"interlock/internal/edge/httpapi"
)

// ReadPermission is required to read the promises.
const ReadPermission = "promises:read"

// Routes registers the promises.
func Routes(r *httpapi.Router, s *Service) {
	r = r.About(httpapi.Resource{Tag: "Overview", Noun: "promise"})
	httpapi.Get(r, "/promises", ReadPermission, func(ctx context.Context, _ httpapi.None) (listView, error) { return s.list(ctx) }).
		Doc("List promises", "The service's promises about all rows at every moment, and whether they are true: one process checks all rows continuously, "+
			"in small steps that cost a fixed share of the database. Violations are those of the caller's tenant, and so are `state` and `lastTrueTime`; "+
			"rows and seconds are those of the whole service. The detection and the repair of each violation have one audit entry each, and an event of the topic `promises`.").
		With(httpapi.Contract{Success: "All promises.", Reply: example})
	httpapi.Get(r, "/promises/export", ReadPermission, func(ctx context.Context, _ httpapi.None) (signedPromisesView, error) { return s.export(ctx) }).
		Doc("Export promises with a signature", "The reply of `GET /promises`, signed by the installation: a JWS in flattened JSON (RFC 7515, 7.2.2) with Ed25519 "+
			"(`alg` EdDSA, RFC 8037). The key is in the protected header, as `jwk`; it is created once for each installation, so compare it with a copy from an "+
			"earlier export. The payload contains the tenant's id and the database's epoch in addition to the promises. `docs/operations.md` describes the verification.").
		With(httpapi.Contract{
			ID: "exportPromises", Success: "The signed document.",
			Reply: signedPromisesView{Payload: "eyJ0aW1lIjoi", Protected: "eyJhbGciOiJFZERTQSJ9", Signature: "4Jm0"},
		})
}
