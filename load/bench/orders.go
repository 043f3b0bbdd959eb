package main

import "context"

func (b *saleBench) orders(ctx context.Context) (*comparison, error) { return nil, nil }
