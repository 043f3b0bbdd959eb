package returns

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "returns", Machine: Machine,
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See returns, their comments and their history."},
		{Name: writePermission, Meaning: "Request returns of orders, receive, close, reject and comment on them."},
	},
	Roles: map[module.Role][]string{
		module.Support:  {ReadPermission, writePermission},
		module.Operator: {ReadPermission, writePermission},
		module.Auditor:  {ReadPermission},
	},
	Pages:     []module.Page{{Group: module.Operate, Path: "/returns", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: Topic, Read: ReadPermission, Live: true}},
	Tables:    tables,
	Promises:  promises,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
		Kinds:       []module.Kind{{Name: "return", Permission: ReadPermission, Find: s.find}},
	}
}

// find finds returns by the prefix of their order's number.
func (s *Service) find(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := storage.ByPrefix[Return](s.flow.DB.Read(ctx), "order_no", []string{strings.ToUpper(text)}, limit)
	return module.Hits(found, err, func(r Return) module.Hit {
		id := strconv.FormatInt(r.ID, 10)
		return module.Hit{ID: id, Title: fmt.Sprintf("%s/%s", r.OrderNo, id), Subtitle: Machine.Of(r.Status).Name, Path: module.Path(Topic, id)}
	})
}
