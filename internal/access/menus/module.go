package menus

import (
	"interlock/internal/base/principal"
	"interlock/internal/module"
)

// Permissions are the permissions of this package.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See all menus and their history, including menus that the caller's navigation hides."},
	{Name: writePermission, Meaning: "Create, edit, move, hide and delete menus of the navigation of all users."},
}

// Resources are the topics of this package.
var Resources = []module.Resource{
	{Name: Topic, Read: ReadPermission, Live: true},
	{Name: NavigationTopic, Live: true},
}

// Tables are the tables of this package.
var Tables = []module.Table{
	{
		Name: "menus", Plain: "icon permission updated_by_name", Stays: module.Current,
		Columns: []module.Column{{Name: "title", Erase: module.Renamed, Content: true}, {Name: "path", Erase: module.Renamed, Content: true}},
	},
	{
		Name: "menu_histories", Plain: "action icon permission changed_by_name", Expires: module.Versions("menu_histories", "menu_id", "menus"),
		Columns: []module.Column{{Name: "title", Erase: module.Renamed, Content: true}, {Name: "path", Erase: module.Renamed, Content: true}},
	},
	{Name: "menu_revisions", Stays: module.Current},
}
