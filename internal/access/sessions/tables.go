package sessions

import "interlock/internal/module"

// Tables are the tables of this package.
var Tables = []module.Table{
	{Name: "sessions", Plain: "token_hash address user_agent", Stays: module.OwnSweeper},
}
