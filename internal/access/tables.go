package access

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{Name: "sign_in_challenges", Plain: "token_hash session_hash", Stays: module.OwnSweeper},
	{Name: "sign_in_flows", Plain: "state_hash browser_hash provider purpose tenant proof_hash nonce verifier", Stays: module.OwnSweeper},
}
