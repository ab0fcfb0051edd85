package codememory

// Class says whose words a memory rests on. What is least trusted counts: a
// fact that an agent took from a web page is of a tool.
type Class string

// The classes, most trusted first.
const (
	ClassUser   Class = "user"   // the user said it
	ClassFile   Class = "file"   // a file of the project says it
	ClassAgent  Class = "agent"  // the agent concluded it
	ClassTool   Class = "tool"   // the output of a tool says it, be it a command or a web page
	ClassImport Class = "import" // another program brought it
)
