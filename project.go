package codememory

import "time"

// Project is one repository with all its worktrees and clones, or one plain folder.
type Project struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Root      string    `json:"root,omitempty"` // where it was last seen on this machine
	Remote    string    `json:"remote,omitempty"`
	Aliases   []string  `json:"aliases,omitempty"` // paths, remotes, container tags, collection names
	Store     string    `json:"store,omitempty"`   // the .codememory folder after init; empty: the data directory
	Shared    bool      `json:"shared,omitempty"`  // the text is meant to be committed
	CreatedAt time.Time `json:"created_at"`
	SeenAt    time.Time `json:"seen_at"`
}

// UserProject is the reference of the user's own store wherever a project can be named.
const UserProject = "user"

// TagPrefix begins a reference to a container tag of an older system. Such a
// reference is valid for any tag: a new one makes a project of its own, which
// its folder joins once that is seen.
const TagPrefix = "tag:"

// ProjectStats is a project with what its store holds.
type ProjectStats struct {
	Project
	Tag         string       `json:"tag"` // container tag by which older clients know it
	Memories    int          `json:"memories"`
	TypeCounts  map[Type]int `json:"type_counts"`
	LastUpdated time.Time    `json:"last_updated"`
	Unembedded  int          `json:"unembedded,omitempty"` // waiting for a vector
	Problems    []Problem    `json:"problems,omitempty"`
}

// InitRequest turns a folder into a project with its own .codememory store.
type InitRequest struct {
	Dir    string `json:"dir"`
	Shared bool   `json:"shared"`
}

// InitReport says what InitRequest did.
type InitReport struct {
	Project Project  `json:"project"`
	Created []string `json:"created"` // paths written
	Moved   int      `json:"moved"`   // memories brought along from the data directory
	Skipped []string `json:"skipped"` // memories kept out of a shared store, with the reason
	Brief   int      `json:"brief"`   // memories that describe the project, made from its files
}
