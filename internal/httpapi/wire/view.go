package wire

import "codememory"

// TurnsAnswer lists turns that were found.
type TurnsAnswer struct {
	Turns []codememory.TurnHit `json:"turns"`
}

// EventsAnswer lists events, the newest first.
type EventsAnswer struct {
	Events []codememory.Event `json:"events"`
}

// LimitQuery bounds a list.
type LimitQuery struct {
	Limit int `query:"limit" doc:"most entries to return"`
}

// SuppressionsAnswer lists suppressions, the newest first.
type SuppressionsAnswer struct {
	Suppressions []codememory.Suppression `json:"suppressions"`
}

// PageCode lets one browser in, once and soon. It belongs behind a # in the
// address, which browsers do not send.
type PageCode struct {
	Code    string `json:"code"`
	Seconds int    `json:"seconds"` // how long it works
}

// KeyHeader carries the half of a page's session that the page itself keeps;
// the other half is a cookie.
const KeyHeader = "X-CodeMemory-Key"

// PageSession is the answer to a code.
type PageSession struct {
	Key string `json:"key"` // to be sent as KeyHeader
}
