package llm

// Role is one thing that CodeMemory asks models to do. Each can have its own
// provider and model.
type Role string

// The roles.
const (
	Expand      Role = "expand"      // what to look for, for one message of the user
	Compress    Role = "compress"    // a turn that is too long, in a few lines
	Extract     Role = "extract"     // what of a conversation is worth a memory
	Entities    Role = "entities"    // the named things in memories
	Link        Role = "link"        // how two memories relate
	Contradict  Role = "contradict"  // which old memories a new one makes obsolete
	Consolidate Role = "consolidate" // whether similar memories are one
	Summarise   Role = "summarise"   // the summary of a session
	Arc         Role = "arc"         // the course of a session as a tree
)

// Roles lists every role.
var Roles = []Role{Expand, Compress, Extract, Entities, Link, Contradict, Consolidate, Summarise, Arc}
