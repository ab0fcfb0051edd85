import assert from "node:assert/strict"
import { test } from "node:test"
import { assistant, call, context, daemon, open, sessionID, user } from "./harness.mjs"

// usage runs turns that end with these token counts and returns the line that the daemon gets.
async function usage(t, turns, { limit = { context: 128_000, output: 8_000 }, options = { contextLine: "always" }, config, summaryAfter } = {}) {
  const d = await daemon(t, () => context())
  const hooks = await open(options)
  if (config) await hooks.config(config)
  const id = sessionID()
  const model = { id: "m", providerID: "p", limit }
  const messages = [user(id, "start")]
  await call(hooks, id, messages, { model })
  turns.forEach((tokens, i) => {
    const asked = messages.at(-1)
    messages.push(assistant(id, asked, [], { tokens }), user(id, `turn ${i}`))
    if (summaryAfter === i) messages.unshift(user(id, "", { type: "compaction" }), assistant(id, asked, [], { summary: true, tokens: { total: 99_000 } }))
  })
  await call(hooks, id, messages, { model })
  return d.to("/v1/context").at(-1).usage
}

test("usage is what OpenCode itself counts, against what it can use", async (t) => {
  for (const [name, tokens, more, want] of [
    ["total wins", { total: 60_000, input: 1 }, {}, /^50% used \(60k of 120k tokens, p\/m\)$/],
    ["else the sum with the cache", { input: 100, output: 900, cache: { read: 58_000, write: 1000 } }, {}, /^50% used \(60k of 120k/],
    ["output is capped at 32k", { total: 50_000 }, { limit: { context: 132_000, output: 64_000 } }, /^50% used \(50k of 100k/],
    ["an input limit less 20k", { total: 40_000 }, { limit: { context: 200_000, input: 100_000, output: 64_000 } }, /^50% used \(40k of 80k/],
    ["an input limit less what is reserved", { total: 45_000 }, { limit: { context: 200_000, input: 100_000, output: 8000 }, config: { compaction: { reserved: 10_000 } } }, /^50% used \(45k of 90k/],
    ["small numbers", { total: 1500 }, { limit: { context: 4000, output: 1000 } }, /^50% used \(1\.5k of 3\.0k/],
    ["an unknown limit", { total: 60_000 }, { limit: null }, /^$/],
    ["no tokens", { total: 0 }, {}, /^$/],
    ["nonsense", { total: "x", input: {} }, {}, /^$/],
  ])
    assert.match(await usage(t, [tokens], more), want, name)
})

test("advice begins at 70, changes at 85 and 92, and below nothing is said", async (t) => {
  const options = {}
  for (const [percent, want] of [[69, /^$/], [70, /^70% .*\. Save decisions/], [85, /^85% .*\. Finish this step/], [92, /^92% .*\. Save open points.*near/]])
    assert.match(await usage(t, [{ total: percent * 1200 }], { options }), want, String(percent))
  assert.match(await usage(t, [{ total: 42_000 }], { options: { levels: [30, 60, 90] } }), /^35% .*Save decisions/)
  assert.equal(await usage(t, [{ total: 110_000 }], { options: { contextLine: "off" } }), "")
})

test("the trend says how many turns are left, within one line of 160 characters", async (t) => {
  assert.match(await usage(t, [20_000, 40_000, 60_000].map((total) => ({ total }))), /, growing, about 3 turns left$/)
  assert.doesNotMatch(await usage(t, [60_000, 60_100].map((total) => ({ total }))), /growing/)
  const long = await usage(t, [80_000, 112_000].map((total) => ({ total })), { limit: { context: 128_000, output: 8000 } })
  assert.ok(long.length <= 160, `${long.length}: ${long}`)
})

test("counts from before a compaction do not count after it", async (t) => {
  assert.equal(await usage(t, [{ total: 110_000 }], { summaryAfter: 0 }), "")
  assert.match(await usage(t, [{ total: 110_000 }, { total: 12_000 }], { summaryAfter: 0 }), /^10% used/)
})
