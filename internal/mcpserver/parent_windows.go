package mcpserver

import "context"

// watchParent does nothing: on Windows a process keeps the id of its parent,
// and the end of the input is all there is to tell.
func watchParent(context.Context, func()) {}
