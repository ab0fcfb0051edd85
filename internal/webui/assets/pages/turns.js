// A conversation as the agent recorded it.
import { html, useState } from "../lib/preact.js";
import * as api from "../api.js";
import { Badge, Loaded, Problem, useLoad } from "../ui.js";
import { count, full } from "../words.js";

const step = 20;

export function Turns({ agent, session, turns }) {
  const [limit, setLimit] = useState(step);
  const found = useLoad((signal) => api.post("/v1/transcript", { agent: agent || undefined, session, turns, limit }, signal), [agent, session, turns?.join(), limit]);
  if (found.error?.code === "not_found") return html`<p class="muted">${found.error.message}</p>`;
  return html`<${Loaded} of=${found}>${(t) => html`<ol class="turns">${t.turns.map((turn) => html`<${Turn} key=${turn.id} turn=${turn} />`)}</ol>
    ${t.turns.length === 0 && html`<p class="muted">The turns are no longer in the agent's records; they may have been undone or deleted.</p>`}
    ${!turns && t.turns.length < t.total && html`<button onClick=${() => setLimit(limit + step)}>Show more (${t.turns.length} of ${count(t.total, "turn")})</button>`}`}</${Loaded}>`;
}

function Turn({ turn }) {
  return html`<li class="turn"><p class="turnmeta">${full(turn.started_at)}${turn.model && html` · ${turn.model}`}${turn.state !== "done" && html` <${Badge}>${turn.state}</${Badge}>`}</p>
    ${turn.prompt && html`<div class="said user"><p class="who">You</p><p class="words">${turn.prompt}</p></div>`}
    ${(turn.steps || []).map((s, i) => s.tool ? html`<${Tool} key=${i} tool=${s.tool} />` : html`<div key=${i} class="said agent"><p class="who">${turn.agent}</p><p class="words">${s.text}</p></div>`)}
    ${turn.error && html`<p class="muted">It ended with: ${turn.error}</p>`}</li>`;
}

function Tool({ tool }) {
  const failed = tool.error || tool.exit > 0;
  return html`<details class="tool ${failed ? "failed" : ""}"><summary><code>${tool.name}</code> ${tool.title || tool.target || ""}${failed ? " – failed" : ""}</summary>
    ${tool.target && html`<p><code>${tool.target}</code></p>`}<pre>${tool.error || tool.output || "no output"}</pre></details>`;
}
