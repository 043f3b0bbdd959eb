package storage

// BoundSetting is the gorm setting by which a list has another bound.
const BoundSetting = boundSetting
