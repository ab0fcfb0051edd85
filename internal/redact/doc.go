// Package redact takes secrets out of text before it is written anywhere and
// before it leaves the process.
//
// A secret is recognised by its own form (a GitHub token, a private key), by
// the name it is given to (an assignment, a header, a URL), or because its
// author said so with <private>…</private>. Randomness alone is never enough:
// commit ids, digests, UUIDs and lock files are as random as a key.
//
// One pass over the text looks for keywords; only where one stands is a rule's
// pattern compiled, once, and tried, on a bounded piece of text. Time is
// therefore linear in the text, and a text without keywords costs a few
// microseconds.
//
// A private block that is never closed is redacted to the end of the text: a
// lost sentence can be told again, a published one cannot be taken back.
package redact
