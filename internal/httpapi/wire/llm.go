package wire

import "codememory"

// ActivityQuery asks for calls of language models.
type ActivityQuery struct {
	Limit int `query:"limit" doc:"at most so many, up to 200; default 50"`
}

// ActivityAnswer lists calls of language models.
type ActivityAnswer struct {
	Entries []codememory.ModelCall `json:"entries"`
}
