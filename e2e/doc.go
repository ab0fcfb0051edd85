// Package e2e holds tests with the real agents, the real program and a scripted
// model. They need npm and the network once, to fetch the agents into a cache
// outside of the tree, and run with
//
//	go test -tags e2e ./e2e/
package e2e
