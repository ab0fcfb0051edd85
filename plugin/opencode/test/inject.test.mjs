import assert from "node:assert/strict"
import { test } from "node:test"
import { HUD, STABLE, assistant, call, context, daemon, load, open, project, sessionID, toolPart, user } from "./harness.mjs"

const both = (path, body) => (path === "/v1/context" ? context(body.parts.includes("hud") ? HUD : "", body.parts.includes("stable") ? STABLE : "", ["mem_00000001"]) : {})

test("the HUD is the last message and the stable block ends the only system message", async (t) => {
  await daemon(t, both)
  const hooks = await open()
  const id = sessionID()
  const question = user(id, "why is the pool slow?")
  const sent = await call(hooks, id, [question])
  assert.equal(sent.system.length, 1)
  assert.equal(sent.system[0], "You are opencode.\n\n" + STABLE)
  assert.equal(sent.messages.length, 2)
  assert.equal(sent.messages[0], question)
  const [, tail] = sent.messages
  assert.equal(tail.info.role, "user")
  assert.match(tail.info.id, /^msg_[0-9a-f]{12}/)
  assert.notEqual(tail.info.id, question.info.id)
  assert.deepEqual(
    tail.parts.map((p) => [p.text, p.synthetic, p.messageID === tail.info.id, p.sessionID]),
    [[HUD, true, true, id]],
  )
})

test("messages are changed in place", async (t) => {
  await daemon(t, both)
  const hooks = await open()
  const id = sessionID()
  const messages = [user(id, "hello")]
  const output = { messages }
  await hooks["experimental.chat.messages.transform"]({}, output)
  assert.equal(output.messages, messages)
  assert.equal(messages.length, 2)
})

test("an empty HUD adds no message and an empty stable block no text", async (t) => {
  await daemon(t, () => context())
  const hooks = await open()
  const id = sessionID()
  const sent = await call(hooks, id, [user(id, "hello")])
  assert.equal(sent.messages.length, 1)
  assert.deepEqual(sent.system, ["You are opencode."])
})

test("the stable block is fetched once and its bytes stay the same within a session", async (t) => {
  let n = 0
  const d = await daemon(t, (_, body) => context(HUD, body.parts.includes("stable") ? `<codememory kind="stable">\n- state ${++n}\n</codememory>` : ""))
  const hooks = await open()
  const id = sessionID()
  const seen = new Set()
  for (let i = 0; i < 4; i++) seen.add((await call(hooks, id, [user(id, `question ${i}`)])).system[0])
  assert.equal(seen.size, 1)
  assert.equal(d.to("/v1/context").filter((b) => b.parts.includes("stable")).length, 1)
  assert.equal(d.to("/v1/context").length, 4)
})

test("merging twice into one system prompt leaves one block", async (t) => {
  await daemon(t, both)
  const hooks = await open()
  const id = sessionID()
  const system = ["You are opencode."]
  for (let i = 0; i < 3; i++) await hooks["experimental.chat.system.transform"]({ sessionID: id, model: { id: "m" } }, { system })
  assert.equal(system[0], "You are opencode.\n\n" + STABLE)
})

test("a block that another process left at the end is replaced, one that a rules file quotes is not", async (t) => {
  await daemon(t, both)
  const hooks = await open()
  const old = '<codememory kind="stable">\n- old\n</codememory>'
  const quoting = `Rules: we wrap it as ${old} and go on.`
  const system = [`${quoting}\n\n${old}`]
  await hooks["experimental.chat.system.transform"]({ sessionID: sessionID(), model: { id: "m" } }, { system })
  assert.equal(system[0], `${quoting}\n\n${STABLE}`)
})

test("two copies of the plugin in one process inject once", async (t) => {
  await daemon(t, both)
  const copies = [await open({}, { plugin: await load() }), await open({}, { plugin: await load() })]
  const id = sessionID()
  const sent = { messages: [user(id, "remember the pool")], system: ["You are opencode."] }
  for (const hooks of copies) await hooks["experimental.chat.messages.transform"]({}, sent)
  for (const hooks of copies) await hooks["experimental.chat.system.transform"]({ sessionID: id, model: { id: "m" } }, sent)
  assert.equal(sent.messages.length, 2)
  assert.equal(sent.system[0], "You are opencode.\n\n" + STABLE)
  const message = { message: { id: "msg_1", sessionID: id }, parts: user(id, "remember the pool").parts }
  for (const hooks of copies) await hooks["chat.message"]({ sessionID: id }, message)
  assert.equal(message.parts.length, 2)
})

test("titles and requests without a session are left alone", async (t) => {
  await daemon(t, both)
  const hooks = await open()
  for (const [input, head] of [
    [{ sessionID: sessionID() }, "You are a title generator. You output ONLY a thread title."],
    [{ sessionID: sessionID() }, "You are a context summarization agent."],
    [{}, "You are an agent architect."],
    [{ sessionID: sessionID() }, undefined],
  ]) {
    const system = head === undefined ? [] : [head]
    await hooks["experimental.chat.system.transform"]({ model: { id: "small" }, ...input }, { system })
    assert.deepEqual(system, head === undefined ? [] : [head])
  }
})

test("a title does not change what is known about the model", async (t) => {
  const d = await daemon(t, both)
  const hooks = await open({ contextLine: "always" })
  const id = sessionID()
  const first = user(id, "one")
  await call(hooks, id, [first])
  await hooks["experimental.chat.system.transform"]({ sessionID: id, model: { id: "small", providerID: "p", limit: { context: 8000, output: 1000 } } }, { system: ["You are a title generator."] })
  await call(hooks, id, [first, assistant(id, first, [], { tokens: { total: 12_000 } }), user(id, "two")])
  assert.match(d.to("/v1/context").at(-1).usage, /^10% used \(12k of 120k tokens, p\/m\)/)
})

test("subagents get nothing, whether their parent is learned from an event or by asking", async (t) => {
  const d = await daemon(t, both)
  const [byEvent, byAsking] = [sessionID(), sessionID()]
  const hooks = await open({}, { sessions: { [byAsking]: { parentID: "ses_parent" } } })
  await hooks.event({ event: { type: "session.created", properties: { info: { id: byEvent, parentID: "ses_parent" } } } })
  for (const id of [byEvent, byAsking]) {
    const sent = await call(hooks, id, [user(id, "remember to explore")])
    assert.equal(sent.messages.length, 1)
    assert.deepEqual(sent.system, ["You are opencode."])
    const message = { message: { id: "msg_1", sessionID: id }, parts: user(id, "remember to explore").parts }
    await hooks["chat.message"]({ sessionID: id }, message)
    assert.equal(message.parts.length, 1)
  }
  assert.deepEqual(hooks.calls, [["get", byAsking]])
  assert.equal(d.to("/v1/context").length, 0)
  const willing = await open({ subagents: true })
  assert.equal((await call(willing, byEvent, [user(byEvent, "explore")])).messages.length, 2)
})

test("a client that never answers does not hold up the call", async (t) => {
  await daemon(t, both)
  const hooks = await open({}, { client: { get: () => new Promise(() => {}) } })
  const id = sessionID()
  const began = performance.now()
  const sent = await call(hooks, id, [user(id, "hello")])
  assert.equal(sent.messages.length, 2)
  assert.ok(performance.now() - began < 700)
})

test("the daemon is told the goal, what was done in this turn, and what to keep", async (t) => {
  const d = await daemon(t, both)
  const hooks = await open()
  const id = sessionID()
  const before = user(id, "an earlier question")
  const earlier = assistant(id, before, [toolPart("read", { filePath: `${project}/old.go` })])
  const asked = user(id, "fix the login test")
  const step = assistant(id, asked, [
    { type: "text", text: "let me look" },
    toolPart("read", { filePath: `${project}/internal/auth/token.go` }),
    toolPart("read", { filePath: "/etc/hosts" }),
    toolPart("bash", { command: "go test ./..." }, { output: "FAIL auth\n2 failures", metadata: { exit: 1 } }),
    toolPart("edit", { filePath: "x.go" }, { status: "error", error: "File not found: x.go\nat line 3" }),
    toolPart("bash", { command: "sleep 9" }, { status: "running" }),
    toolPart("memory", { mode: "search" }, { output: 'mem_000000aa: one\n{"id":"01a1ddde25867faaa1187745034f6150"}' }),
  ])
  await call(hooks, id, [before, earlier, asked])
  await call(hooks, id, [before, earlier, asked, step])
  const [first, second] = d.to("/v1/context")
  assert.deepEqual({ ...first, parts: 0, usage: 0 }, { project, session: id, agent: "opencode", again: true, goal: "fix the login test", actions: [], pinned: [], visible: [], parts: 0, usage: 0 })
  assert.deepEqual(second.actions, [
    { tool: "read", target: "internal/auth/token.go", result: "" },
    { tool: "read", target: "/etc/hosts", result: "" },
    { tool: "bash", target: "go test ./...", result: "exit 1: FAIL auth" },
    { tool: "edit", target: "x.go", result: "error: File not found: x.go" },
  ])
  assert.deepEqual(second.pinned, ["mem_00000001"])
  assert.deepEqual(second.visible.sort(), ["01a1ddde25867faaa1187745034f6150", "mem_000000aa"])
  await call(hooks, id, [before, earlier, asked, step, user(id, "next")])
  assert.deepEqual(d.to("/v1/context")[2].pinned, [], "pins end with the turn")
})

test("the goal is the user's, not what OpenCode or a plugin wrote in his name", async (t) => {
  const d = await daemon(t, both)
  const hooks = await open()
  const id = sessionID()
  const asked = user(id, "fix the login test")
  asked.parts.push({ type: "text", synthetic: true, text: "Called the Read tool" }, { type: "file", url: "file:///x" })
  await call(hooks, id, [asked, assistant(id, asked), user(id, "Continue if you have next steps", { synthetic: true })])
  assert.equal(d.to("/v1/context")[0].goal, "fix the login test")
  await call(hooks, id, [user(id, "Continue if you have next steps", { synthetic: true })])
  assert.equal(d.to("/v1/context")[1].goal, "fix the login test", "also after it was compacted away")
})

test("a very long message is cut in the middle", async (t) => {
  const d = await daemon(t, both)
  const hooks = await open()
  const id = sessionID()
  await call(hooks, id, [user(id, "begin " + "x".repeat(100_000) + " end")])
  const { goal } = d.to("/v1/context")[0]
  assert.ok(goal.length < 4100 && goal.startsWith("begin") && goal.endsWith(" end"))
})

test("an explicit save or forget refreshes the stable block, a search does not", async (t) => {
  let n = 0
  const d = await daemon(t, (path, body) => (path === "/v1/tool" ? { text: "done" } : context("", body.parts.includes("stable") ? `block ${++n}` : "")))
  const hooks = await open()
  const id = sessionID()
  const system = async () => (await call(hooks, id, [user(id, "go on")])).system[0].split("\n").pop()
  assert.equal(await system(), "block 1")
  await hooks.tool.memory.execute({ mode: "search", query: "x" }, { sessionID: id })
  assert.equal(await system(), "block 1")
  await hooks.tool.memory.execute({ mode: "add", content: "x" }, { sessionID: id })
  assert.equal(await system(), "block 2")
  await hooks.tool.memory.execute({ mode: "forget", memoryId: "mem_1" }, { sessionID: id })
  assert.equal(await system(), "block 3")
  assert.equal(d.to("/v1/tool").length, 3)
})

test("switched off, the plugin has no hooks", async (t) => {
  const plugin = await load()
  for (const [name, value, off] of [["CODEMEMORY_DISABLE", "1", true], ["CODEMEMORY_DISABLE", "yes", true], ["CODEMEMORY_DISABLE", "0", false], ["CODEMEMORY_INTERNAL", "1", true]]) {
    process.env[name] = value
    t.after(() => delete process.env[name])
    assert.equal(Object.keys(await plugin.server({ directory: "/" }, {})).length === 0, off, `${name}=${value}`)
    delete process.env[name]
  }
})
