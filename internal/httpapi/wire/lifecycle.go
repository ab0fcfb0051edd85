package wire

import "codememory"

// EntitiesQuery is codememory.EntitiesRequest in an address.
type EntitiesQuery struct {
	Project string `query:"project" doc:"folder, id, name or tag of the project"`
	Limit   int    `query:"limit" doc:"most entities; default 100"`
}

// ReviewQuery is codememory.ReviewRequest in an address.
type ReviewQuery struct {
	Project string                  `query:"project" doc:"folder, id, name or tag of the project"`
	Kinds   []codememory.ReviewKind `query:"kind" doc:"quarantine, conflict, unsure, duplicate or promotion; default all"`
	Limit   int                     `query:"limit" doc:"most of each kind; default 50"`
}

// ReviewAnswer lists what is to be decided.
type ReviewAnswer struct {
	Items []codememory.ReviewItem `json:"items"`
}

// PromoteRequest says whether the user confirmed a promotion.
type PromoteRequest struct {
	Confirmed bool `json:"confirmed,omitempty"`
}

// ConsolidateAnswer says what the upkeep of each store did.
type ConsolidateAnswer struct {
	Reports []codememory.ConsolidateReport `json:"reports"`
}
