import assert from "node:assert/strict"
import { test } from "node:test"
import { daemon, open, project, sessionID, until, user } from "./harness.mjs"

const say = async (hooks, id, parts) => {
  const output = { message: { id: parts[0].messageID, sessionID: id }, parts }
  await hooks["chat.message"]({ sessionID: id }, output)
  return output.parts
}

const nudged = async (hooks, text) => {
  const id = sessionID()
  return (await say(hooks, id, user(id, text).parts)).length === 2
}

test("each of the sixteen keywords asks for a memory", async (t) => {
  await daemon(t)
  const hooks = await open()
  for (const text of [
    "please remember the port", "Memorize it", "save this for later", "note this", "keep in mind we use bun", "don't forget the tests",
    "learn this", "store this", "record this", "make a note of it", "take note", "jot down", "commit to memory", "remember that", "never forget",
    "ALWAYS REMEMBER to lint", "don’t forget", "dont forget", "line one\nremember this",
  ])
    assert.ok(await nudged(hooks, text), text)
})

test("other words, code and quoted code do not", async (t) => {
  await daemon(t)
  const hooks = await open()
  for (const text of [
    "fix the login test", "I remembered it", "the remembering module", "misremember", "```js\nremember(me)\n```", "run `remember that` please",
    "~~~\nnote this\n~~~", "```\nremember", "see ``remember `this` now``", "",
  ])
    assert.ok(!(await nudged(hooks, text)), text)
  assert.ok(await nudged(hooks, "```js\nx()\n```\nremember this"), "words after code count")
})

test("further patterns can be configured, and broken ones are dropped", async (t) => {
  await daemon(t)
  const hooks = await open({ keywordPatterns: ["merke dir", "(", 7, ""] })
  assert.ok(await nudged(hooks, "Merke dir den Port"))
  assert.ok(await nudged(hooks, "remember it"))
  assert.ok(!(await nudged(hooks, "hello")))
})

test("the nudge stands behind the user's text and the note goes to the daemon", async (t) => {
  const d = await daemon(t)
  const hooks = await open()
  const id = sessionID()
  const messageID = "msg_1dcbd42d2001AAAAAAAAAAAAAA"
  const parts = [
    { id: "prt_1dcbd42d2002zzzzzzzzzzzzzA", messageID, sessionID: id, type: "text", text: "remember: port 9473 `x`" },
    { id: "prt_1dcbd42d2001aaaaaaaaaaaaaa", messageID, sessionID: id, type: "file", url: "file:///x" },
  ]
  const before = parts.map((p) => p.id)
  const after = await say(hooks, id, parts)
  const nudge = after[2]
  assert.ok(nudge.id.startsWith("prt_") && before.every((other) => nudge.id > other), nudge.id)
  assert.deepEqual([nudge.type, nudge.synthetic, nudge.messageID, nudge.sessionID], ["text", true, messageID, id])
  assert.match(nudge.text, /memory\(\{mode:"add"/)
  assert.match(nudge.text, /^<codememory kind="nudge">\n[\s\S]*\n<\/codememory>$/)
  assert.ok(await until(() => d.to("/v1/notes").length === 1))
  assert.deepEqual(d.to("/v1/notes"), [{ project, session: id, agent: "opencode", text: "remember: port 9473 `x`" }])
})

test("synthetic and ignored text is not the user's wish", async (t) => {
  const d = await daemon(t)
  const hooks = await open()
  for (const extra of [{ synthetic: true }, { ignored: true }]) {
    const id = sessionID()
    assert.equal((await say(hooks, id, user(id, "remember this", extra).parts)).length, 1)
  }
  await hooks.dispose()
  assert.equal(d.to("/v1/notes").length, 0)
})
