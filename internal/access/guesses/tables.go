package guesses

import "interlock/internal/module"

// Tables are the tables of this package.
var Tables = []module.Table{
	{Name: "sign_in_attempts", Plain: "account network", Stays: module.OwnSweeper},
}
