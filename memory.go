package codememory

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxTextBytes is the largest text of one memory. A memory is one to three
// sentences; this leaves room for imported summaries and refuses transcripts.
const MaxTextBytes = 32 << 10

// Memory is one self-contained fact with where it came from and what became of it.
type Memory struct {
	ID         string         `json:"id"`
	Text       string         `json:"text"`
	Type       Type           `json:"type"`
	Category   Category       `json:"category,omitempty"`
	Scope      Scope          `json:"scope"`
	Project    string         `json:"project,omitempty"` // project id; empty in the user store
	Importance float64        `json:"importance"`        // a prior in 0..1, see DefaultImportance
	Source     Source         `json:"source"`
	CreatedAt  time.Time      `json:"created_at"`
	UpdatedAt  time.Time      `json:"updated_at"`
	Pinned     bool           `json:"pinned,omitempty"`
	Archived   bool           `json:"archived,omitempty"`
	Forgotten  *time.Time     `json:"forgotten_at,omitempty"` // soft deletion; Undo clears it
	Quarantine string         `json:"quarantine,omitempty"`   // why it waits for a person's review; empty: it does not
	Revisions  []Revision     `json:"revisions,omitempty"`    // earlier texts, oldest first
	Supersedes []Supersession `json:"supersedes,omitempty"`
	Entities   []Entity       `json:"entities,omitempty"`
	Links      []Link         `json:"links,omitempty"` // outgoing; the store answers both directions
	Seen       []Source       `json:"seen,omitempty"`  // who else said the same since, oldest first; see Corroborate
	Files      []CitedFile    `json:"files,omitempty"` // files of the project that the text names
	Metadata   map[string]any `json:"metadata,omitempty"`

	// SupersededBy is derived: the id of the active memory that lists this
	// one under Supersedes. It is never written to the text.
	SupersededBy string `json:"superseded_by,omitempty"`
	// Usage is kept by the database only: it changes too often for text.
	Usage Usage `json:"usage"`
}

// State is what a memory currently is to retrieval.
type State string

// The states, strongest first: a forgotten memory that is also archived counts as forgotten.
const (
	Forgotten   State = "forgotten"
	Superseded  State = "superseded"
	Quarantined State = "quarantined" // it replaces nothing until a person lets it in
	Archived    State = "archived"
	Active      State = "active"
)

// State reports what m is to retrieval. Only active memories are ever retrieved.
func (m Memory) State() State {
	switch {
	case m.Forgotten != nil:
		return Forgotten
	case m.SupersededBy != "":
		return Superseded
	case m.Quarantine != "":
		return Quarantined
	case m.Archived:
		return Archived
	default:
		return Active
	}
}

// Validate reports what keeps m from being stored, as an Invalid or TooLarge error.
func (m *Memory) Validate() error {
	switch {
	case strings.TrimSpace(m.Text) == "":
		return Errorf(Invalid, "memory text is empty: say what to remember")
	case len(m.Text) > MaxTextBytes:
		return Errorf(TooLarge, "memory text is %d bytes, at most %d are kept: shorten it or keep it in a file and remember where", len(m.Text), MaxTextBytes)
	case !utf8.ValidString(m.Text):
		return Errorf(Invalid, "memory text is not valid UTF-8")
	case !m.Type.Valid():
		return Errorf(Invalid, "unknown type %q: use one of %s", m.Type, join(Types))
	case !m.Category.Valid():
		return Errorf(Invalid, "unknown category %q: use one of %s", m.Category, join(Categories))
	case m.Scope != ScopeProject && m.Scope != ScopeUser:
		return Errorf(Invalid, "unknown scope %q: use project or user", m.Scope)
	case !(m.Importance >= 0 && m.Importance <= 1):
		return Errorf(Invalid, "importance %v is outside 0..1", m.Importance)
	case !(m.Source.Confidence >= 0 && m.Source.Confidence <= 1):
		return Errorf(Invalid, "confidence %v is outside 0..1", m.Source.Confidence)
	}
	return nil
}

// Scope says whose a memory is.
type Scope string

// A memory belongs to one project, or to the user in every project.
const (
	ScopeProject Scope = "project"
	ScopeUser    Scope = "user"
)

// Type says what kind of knowledge a memory is.
type Type string

// The types, in the order in which a context block shows them.
const (
	ProjectBrief        Type = "project-brief"
	Architecture        Type = "architecture"
	ArchitecturePattern Type = "architecture-pattern"
	TechContext         Type = "tech-context"
	ProductContext      Type = "product-context"
	ProjectConfig       Type = "project-config"
	ErrorSolution       Type = "error-solution"
	LearnedPattern      Type = "learned-pattern"
	Preference          Type = "preference"
	SessionSummary      Type = "session-summary"
	Progress            Type = "progress"
	ActiveContext       Type = "active-context"
	Conversation        Type = "conversation"
)

// Types lists every type.
var Types = []Type{
	ProjectBrief, Architecture, ArchitecturePattern, TechContext, ProductContext, ProjectConfig,
	ErrorSolution, LearnedPattern, Preference, SessionSummary, Progress, ActiveContext, Conversation,
}

// Valid reports whether t is a known type.
func (t Type) Valid() bool { return contains(Types, t) }

// Structural reports whether t describes the project itself, of which a newer
// statement usually replaces the older one.
func (t Type) Structural() bool {
	switch t {
	case ProjectBrief, Architecture, ArchitecturePattern, TechContext, ProductContext, ProjectConfig:
		return true
	default:
		return false
	}
}

// Category says what a memory is about; it is independent of the type and may be empty.
type Category string

// The categories.
const (
	DecisionRationale    Category = "decision_rationale"
	RejectedAlternative  Category = "rejected_alternative"
	ErrorHandling        Category = "error_handling"
	DependencyPhilosophy Category = "dependency_philosophy"
	HiddenConstraint     Category = "hidden_constraint"
	TestingConvention    Category = "testing_convention"
	NamingConvention     Category = "naming_convention"
	DebuggingStyle       Category = "debugging_style"
	Priority             Category = "priority"
	Vocabulary           Category = "vocabulary"
)

// Categories lists every category but the empty one.
var Categories = []Category{
	DecisionRationale, RejectedAlternative, ErrorHandling, DependencyPhilosophy, HiddenConstraint,
	TestingConvention, NamingConvention, DebuggingStyle, Priority, Vocabulary,
}

// Valid reports whether c is a known category or empty.
func (c Category) Valid() bool { return c == "" || contains(Categories, c) }

// TypeOf returns the type that a memory of this category has when none is given.
func TypeOf(c Category) Type {
	switch c {
	case DecisionRationale:
		return Architecture
	case DependencyPhilosophy:
		return TechContext
	case ErrorHandling, DebuggingStyle:
		return ErrorSolution
	case Priority:
		return Preference
	default:
		return LearnedPattern
	}
}

// DefaultImportance is the prior of a memory whose importance nobody stated:
// what the code does not show outweighs what can be looked up.
func DefaultImportance(t Type, c Category) float64 {
	switch c {
	case HiddenConstraint, RejectedAlternative, DecisionRationale:
		return 0.7
	case ErrorHandling, DependencyPhilosophy, TestingConvention, Priority:
		return 0.6
	case NamingConvention, DebuggingStyle, Vocabulary:
		return 0.5
	}
	switch t {
	case ProjectBrief, Architecture, Preference, ErrorSolution:
		return 0.6
	case Conversation, Progress, ActiveContext, SessionSummary:
		return 0.4
	default:
		return 0.5
	}
}

// Author says who put a memory into words.
type Author string

// The authors.
const (
	AuthorUser      Author = "user"
	AuthorAgent     Author = "agent"
	AuthorExtractor Author = "extractor"
	AuthorImport    Author = "import"
)

// Source says where a memory came from, so that one command can show it.
type Source struct {
	Agent   string   `json:"agent,omitempty" yaml:"agent,omitempty"`     // opencode, claude-code, cli, …
	Session string   `json:"session,omitempty" yaml:"session,omitempty"` // the agent's own session id
	Turns   []string `json:"turns,omitempty" yaml:"turns,omitempty,flow"`
	Author  Author   `json:"author,omitempty" yaml:"author,omitempty"`
	Excerpt string   `json:"excerpt,omitempty" yaml:"excerpt,omitempty"` // redacted words it was taken from
	Class   Class    `json:"class,omitempty" yaml:"class,omitempty"`     // whose words it rests on
	Rule    string   `json:"rule,omitempty" yaml:"rule,omitempty"`       // the rule that extracted it
	// Confidence is how sure whoever extracted it was, in 0..1; 0 means nobody
	// doubted it. Below LowConfidence it is retrieved, and offered for review.
	Confidence float64 `json:"confidence,omitempty" yaml:"confidence,omitempty"`
}

// LowConfidence is the confidence below which a person should look at a memory.
const LowConfidence = 0.6

// Unsure reports whether whoever extracted m doubted it and nobody confirmed it.
func (s Source) Unsure() bool { return s.Confidence > 0 && s.Confidence < LowConfidence }

// maxSeen bounds how many sources a memory keeps besides the first: more say
// nothing new.
const maxSeen = 16

// Corroborate notes that s said the same as m, and reports whether it was news:
// a turn counts once, however often it is read, and what names no session
// could be anybody's echo.
func (m *Memory) Corroborate(s Source) bool {
	if s.Session == "" || len(m.Seen) >= maxSeen || m.Source.covers(s) {
		return false
	}
	for _, known := range m.Seen {
		if known.covers(s) {
			return false
		}
	}
	m.Seen = append(m.Seen, Source{Agent: s.Agent, Session: s.Session, Turns: s.Turns, Author: s.Author})
	return true
}

// covers reports whether all that o names is named by s.
func (s Source) covers(o Source) bool {
	if s.Agent != o.Agent || s.Session != o.Session {
		return false
	}
	for _, t := range o.Turns {
		if !contains(s.Turns, t) {
			return false
		}
	}
	return true
}

// CitedFile is a file that a memory names, as it was when the memory was stored
// or last confirmed.
type CitedFile struct {
	Path string `json:"path" yaml:"path"` // relative to the project's root, with forward slashes
	Hash string `json:"hash" yaml:"hash"`
	// State is derived when a memory is read; it is never stored.
	State FileState `json:"state,omitempty" yaml:"-"`
}

// FileState says what became of a cited file.
type FileState string

// The states. A file that is as it was has none.
const (
	FileChanged FileState = "changed"
	FileGone    FileState = "gone"
)

// Stale returns the worst that happened to a file that m cites.
func (m Memory) Stale() FileState {
	var worst FileState
	for _, f := range m.Files {
		if f.State == FileGone {
			return FileGone
		}
		if f.State != "" {
			worst = f.State
		}
	}
	return worst
}

// Revision is an earlier wording of a memory.
type Revision struct {
	Text   string    `json:"text" yaml:"text"`
	Type   Type      `json:"type,omitempty" yaml:"type,omitempty"` // when the edit changed it
	Until  time.Time `json:"until" yaml:"until"`                   // when it was replaced
	Reason string    `json:"reason,omitempty" yaml:"reason,omitempty"`
}

// Supersession names a memory that another one made obsolete.
type Supersession struct {
	ID     string `json:"id" yaml:"id"`
	Reason string `json:"reason,omitempty" yaml:"reason,omitempty"`
}

// LinkType says how one memory relates to another.
type LinkType string

// The link types.
const (
	Corroborates   LinkType = "corroborates"
	Conflicts      LinkType = "conflicts"
	SupersedesLink LinkType = "supersedes"
	Refines        LinkType = "refines"
	Contextualizes LinkType = "contextualizes"
)

// LinkTypes lists every link type.
var LinkTypes = []LinkType{Corroborates, Conflicts, SupersedesLink, Refines, Contextualizes}

// Valid reports whether t is a known link type.
func (t LinkType) Valid() bool { return contains(LinkTypes, t) }

// Link is a typed relation to another memory. It is stored with the memory
// that states it and can be read from both ends.
type Link struct {
	To      string   `json:"to" yaml:"to"`
	Type    LinkType `json:"type" yaml:"type"`
	Reason  string   `json:"reason,omitempty" yaml:"reason,omitempty"`
	Inbound bool     `json:"inbound,omitempty" yaml:"-"` // read from the other end: To is where it comes from
}

// EntityType says what kind of thing an entity is.
type EntityType string

// The entity types.
const (
	EntityLibrary   EntityType = "library"
	EntityFramework EntityType = "framework"
	EntityTool      EntityType = "tool"
	EntityPattern   EntityType = "pattern"
	EntityProtocol  EntityType = "protocol"
	EntityError     EntityType = "error"
	EntityConcept   EntityType = "project_concept"
	EntityFile      EntityType = "file"
	EntitySymbol    EntityType = "symbol"
	EntityOther     EntityType = "other"
)

// Entity is a named thing that memories share. Names are lower case.
type Entity struct {
	Name string     `json:"name" yaml:"name"`
	Type EntityType `json:"type" yaml:"type"`
}

// Usage counts how often a memory was shown to a model and how often it was
// asked for or confirmed.
type Usage struct {
	Shown     int        `json:"shown"`
	Used      int        `json:"used"`
	LastShown *time.Time `json:"last_shown,omitempty"`
	LastUsed  *time.Time `json:"last_used,omitempty"`
}

func contains[T comparable](list []T, v T) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

func join[T ~string](list []T) string {
	s := make([]string, len(list))
	for i, v := range list {
		s[i] = string(v)
	}
	return strings.Join(s, ", ")
}

// TextHash identifies a wording exactly; an embedding is only valid for the
// text whose hash it was made from.
func TextHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
