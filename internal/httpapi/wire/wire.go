// Package wire is what the daemon's native API and its client agree on: the
// headers, the bodies that are not already nouns of the root package, and how
// a question is written into an address. Both sides use the same types, so
// that neither can drift from the other.
package wire

import (
	"codememory"
)

// The headers of the handshake.
const (
	// VersionHeader carries the daemon's version in every response.
	VersionHeader = "X-CodeMemory-Version"
	// ChallengeHeader carries a random word of the client to GET /livez.
	ChallengeHeader = "X-CodeMemory-Challenge"
	// ProofHeader answers it, see Proof.
	ProofHeader = "X-CodeMemory-Proof"
)

// JSONLines is the content type of an import.
const JSONLines = "application/x-ndjson"

// EventStream is the content type of the events.
const EventStream = "text/event-stream"

// The events of a stream that are about the stream itself. All others are
// codememory.Event.
const (
	// EventReset says that events may have been missed: look at everything anew.
	EventReset = "reset"
	// EventDropped ends the stream of a reader that was too slow.
	EventDropped = "dropped"
	// EventStopping ends the stream because the daemon leaves.
	EventStopping = "stopping"
)

// ErrorBody is the body of a failed native request.
type ErrorBody struct {
	Error ErrorDetail `json:"error"`
}

// ErrorDetail is a codememory.Error on the wire.
type ErrorDetail struct {
	Code    codememory.Code `json:"code"`
	Message string          `json:"message"`
}

// MemoryQuery narrows a reference by id to one project.
type MemoryQuery struct {
	Project string `query:"project" doc:"folder, id, name or tag of the project; without it all stores are searched"`
}

// AddManyRequest is a batch of additions.
type AddManyRequest struct {
	Memories []codememory.AddRequest `json:"memories"`
}

// AddManyAnswer holds the results in the order of the request.
type AddManyAnswer struct {
	Results []codememory.AddResult `json:"results"`
}

// ImportAnswer says what became of the lines of an import.
type ImportAnswer struct {
	Results []codememory.AddResult `json:"results"`
	Skipped []SkippedLine          `json:"skipped"` // lines that are no records
}

// SkippedLine is a line of an import that could not be read.
type SkippedLine struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// ForgetRequest says why a memory is forgotten.
type ForgetRequest struct {
	Reason string `json:"reason,omitempty"`
}

// UndoAnswer is a memory after its last change was taken back.
type UndoAnswer struct {
	Memory codememory.Memory `json:"memory"`
	Undone string            `json:"undone"` // which change it was
}

// HistoryAnswer is the chain of a memory, oldest first.
type HistoryAnswer struct {
	Entries []codememory.HistoryEntry `json:"entries"`
}

// RetrieveAnswer is codememory.RetrieveAnswer on the wire.
type RetrieveAnswer struct {
	Hits     []codememory.Hit `json:"hits"`
	Degraded bool             `json:"degraded"`
	Reasons  []string         `json:"reasons,omitempty"`
}

// ProjectQuery names the project to look up.
type ProjectQuery struct {
	Ref string `query:"ref" doc:"folder, id, name or tag of the project"`
}

// ProjectsAnswer lists every project of this machine.
type ProjectsAnswer struct {
	Projects []codememory.ProjectStats `json:"projects"`
}

// RenameRequest gives a project another name.
type RenameRequest struct {
	Project string `json:"project"`
	Name    string `json:"name"`
}

// MergeRequest moves all of one project into another.
type MergeRequest struct {
	From string `json:"from"`
	Into string `json:"into"`
}

// ForgetProjectRequest removes a project from the registry.
type ForgetProjectRequest struct {
	Project string `json:"project"`
	Purge   bool   `json:"purge,omitempty"` // its store too
}

// NamesAnswer maps container tags to the names people gave them.
type NamesAnswer struct {
	Names map[string]string `json:"names"`
}

// NameRequest names a container tag.
type NameRequest struct {
	Tag  string `json:"tag"`
	Name string `json:"name"`
}

// ProjectRequest names one project, or all by an empty name.
type ProjectRequest struct {
	Project string `json:"project,omitempty"`
}

// RebuildAnswer has one report for each store.
type RebuildAnswer struct {
	Reports []codememory.RebuildReport `json:"reports"`
}

// VerifyAnswer has one report for each store.
type VerifyAnswer struct {
	Reports []codememory.VerifyReport `json:"reports"`
}

// BackupRequest names a project and a file on the daemon's machine.
type BackupRequest struct {
	Project string `json:"project,omitempty"`
	File    string `json:"file"` // absolute
}

// Done is the answer of a request that has nothing else to say.
type Done struct {
	Done bool `json:"done"`
}
