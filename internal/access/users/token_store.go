package users

import (
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
)

// Token is an API token. It acts as its user.
type Token struct {
	guard.Row
	UserID int64
	// Username is the user's name, for display.
	Username  string `gorm:"-"`
	Name      string
	TokenHash string
	// Scopes limit the token's permissions; none means all permissions of its user.
	Scopes []string `gorm:"serializer:json"`
	// CreatedBy and CreatedByName are the user who created the token; 0 for the command line.
	CreatedBy     int64
	CreatedByName string
	// ExpiresTime is nil for a token that does not expire.
	ExpiresTime *time.Time
	// LastUsedTime is accurate to markEvery, and nil before the first use.
	LastUsedTime *time.Time
}

// TableName implements gorm's Tabler.
func (Token) TableName() string { return "api_tokens" }

func (t *Token) label() string { return fmt.Sprintf("token %q", t.Name) }

func (t *Token) path() string { return fmt.Sprintf("tokens/%d", t.ID) }

var tokenSorts = storage.Sorts{
	Columns: map[string]string{"name": "name", "createdTime": "created_time"}, Default: "-createdTime",
}

// findToken reads a token and the name of its user by id. Errors: gorm.ErrRecordNotFound.
func findToken(db *gorm.DB, id int64) (*Token, error) {
	var row Token
	if err := db.Where("id = ?", id).Take(&row).Error; err != nil {
		return nil, err
	}
	return &row, withUsernames(db.Session(&gorm.Session{NewDB: true}), []*Token{&row})
}

// withUsernames reads the names of all tokens' users in one query.
func withUsernames(db *gorm.DB, tokens []*Token) error {
	ids := make([]int64, len(tokens))
	for i, token := range tokens {
		ids[i] = token.UserID
	}
	var users []User
	if err := db.Select("id", "username").Where("id IN ?", ids).Find(&users).Error; err != nil {
		return fmt.Errorf("read the users of tokens: %w", err)
	}
	names := make(map[int64]string, len(users))
	for _, user := range users {
		names[user.ID] = user.Username
	}
	for _, token := range tokens {
		token.Username = names[token.UserID]
	}
	return nil
}
