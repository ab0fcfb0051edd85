// What it costs: tokens put before models, and calls of models of our own.
import { html, useState } from "../lib/preact.js";
import * as api from "../api.js";
import { Badge, Dialog, Loaded, Meter, Time, useApp, useLive, useLoad } from "../ui.js";
import { count, number, plain } from "../words.js";

const dollars = (n) => "$" + (n || 0).toFixed(n > 0 && n < 0.01 ? 4 : 2);
const tokens = (sum) => (sum.prompt_tokens || 0) + (sum.completion_tokens || 0);

export const CostLine = ({ injections, costs }) => html`<p class="muted num">This week: ${number(injections.week.hud_tokens + injections.week.stable_tokens)} tokens in ${count(injections.week.calls, "call")},
  of which ${number(injections.week.stable_tokens)} in stable blocks that prompt caches keep.
  ${costs?.total.calls > 0 && html`<a href="#/activity">Models of our own cost ${dollars(costs.today.cost_usd)} today</a>.`}</p>`;

// Costs is what models cost that CodeMemory itself asks, within their budget.
export function Costs() {
  const found = useLoad(async (signal) => {
    const [costs, llm, activity] = await Promise.all([api.get("/v1/costs", signal), api.get("/v1/llm", signal), api.get("/v1/activity?limit=30", signal)]);
    return { costs, llm, calls: activity.entries };
  }, []);
  useLive(found.reload, "llm", "extract", "job");
  return html`<${Loaded} of=${found}>${({ costs, llm, calls }) => html`
    ${!llm.configured && !costs.total.calls ? html`<p>No language model is asked: CodeMemory works by rules and its own embeddings, and costs nothing. <span class="muted">${llm.problem || ""}</span></p>` : html`
      <dl class="facts wide">
        <div><dt>Today</dt><dd class="num">${dollars(costs.today.cost_usd)} for ${number(tokens(costs.today))} tokens in ${count(costs.today.calls, "call")}</dd></div>
        <div><dt>In all</dt><dd class="num">${dollars(costs.total.cost_usd)} for ${number(tokens(costs.total))} tokens in ${count(costs.total.calls, "call")}${costs.since && html` since <${Time} at=${costs.since} />`}</dd></div>
        <div><dt>Budget of a day</dt><dd><${Budget} costs=${costs} /></dd></div></dl>
      ${costs.by_model?.length > 0 && html`<${Models} rows=${costs.by_model} />`}
      ${llm.dead?.length > 0 && html`<p class="pending">${count(llm.dead.length, "session")} given up after failures: codememory extract --retry tries again.</p>`}
      ${calls.length > 0 && html`<details><summary>Last calls</summary><${Calls} rows=${calls} /></details>`}
      <${Reset} onDone=${found.reload} />`}`}</${Loaded}>`;
}

function Budget({ costs }) {
  const b = costs.budget || {};
  if (!b.tokens && !b.usd) return html`<span class="muted">no limit; set one with <code>codememory config set</code></span>`;
  return html`${b.usd > 0 && html`<span class="tokens num"><${Meter} value=${costs.today.cost_usd} most=${b.usd} label="Money of today's budget" />${dollars(costs.today.cost_usd)} of ${dollars(b.usd)}</span> `}
    ${b.tokens > 0 && html`<span class="tokens num"><${Meter} value=${tokens(costs.today)} most=${b.tokens} label="Tokens of today's budget" />${number(tokens(costs.today))} of ${number(b.tokens)} tokens</span>`}
    ${b.exceeded && html` <${Badge} kind="bad">used up</${Badge}> ${b.exceeded}`}`;
}

const Models = ({ rows }) => html`<table><thead><tr><th scope="col">Model</th><th scope="col" class="num">Calls</th><th scope="col" class="num">Tokens</th><th scope="col" class="num">Cost</th></tr></thead><tbody>
  ${rows.map((m) => html`<tr key=${m.provider + m.model}><td>${m.provider}/${m.model}</td><td class="num">${number(m.calls)}</td><td class="num">${number(tokens(m))}</td><td class="num">${m.unpriced_calls ? "not priced" : dollars(m.cost_usd)}</td></tr>`)}</tbody></table>`;

const Calls = ({ rows }) => html`<table><thead><tr><th scope="col">When</th><th scope="col">For</th><th scope="col">Model</th><th scope="col" class="num">Tokens</th><th scope="col" class="num">Cost</th><th scope="col">Outcome</th></tr></thead><tbody>
  ${rows.map((c, i) => html`<tr key=${c.at + i}><td><${Time} at=${c.at} /></td><td>${plain(c.role)}</td><td>${c.model}</td><td class="num">${number(tokens(c))}</td><td class="num">${c.priced ? dollars(c.cost_usd) : "–"}</td><td>${c.outcome}</td></tr>`)}</tbody></table>`;

function Reset({ onDone }) {
  const app = useApp();
  const [asking, setAsking] = useState(false);
  const reset = () => api.post("/v1/costs/reset").then(() => { setAsking(false); app.toast("The count begins anew."); onDone(); }, (err) => app.toast(err.message));
  return html`<p><button onClick=${() => setAsking(true)}>Begin the count anew…</button></p>
    ${asking && html`<${Dialog} title="Begin the count anew" onClose=${() => setAsking(false)}><p>The sums are set to zero. What counts against today's budget stays.</p><div class="buttons"><button class="primary" onClick=${reset}>Begin anew</button><button onClick=${() => setAsking(false)}>Cancel</button></div></${Dialog}>`}`;
}
