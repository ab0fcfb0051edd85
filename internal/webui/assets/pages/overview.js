// What was learned, where, and whether all is well.
import { html } from "../lib/preact.js";
import * as api from "../api.js";
import { Badge, Empty, Loaded, PageHead, Panel, Time, Type, useApp, useLive, useLoad } from "../ui.js";
import { count, midnight, number, plain } from "../words.js";
import { Integrations } from "./health.js";
import { CostLine } from "./costs.js";

const learned = (since, limit, signal) => api.get("/v1/memories" + api.query({ reach: "all", since, limit }), signal);

export function Overview() {
  const app = useApp();
  const found = useLoad(async (signal) => {
    const [today, week, stats, injections, health, costs] = await Promise.all([
      learned(midnight(), 1, signal), learned(midnight(6), 8, signal), api.get("/v1/stats", signal), api.get("/v1/injections?limit=8", signal), api.get("/v1/health", signal), api.get("/v1/costs", signal),
    ]);
    return { today, week, stats, injections, health, costs };
  }, []);
  useLive(found.reload, "memory", "store", "turn", "context", "capture");
  return html`<${PageHead} title="Overview" lead="What is remembered on this machine, and what models were shown of it." />
    <${Loaded} of=${found} lines=${10}>${({ today, week, stats, injections, health, costs }) => html`
      ${health.status !== "ok" && html`<div class="problem" role="alert"><p>${(health.reasons || []).join(" · ") || "CodeMemory works with restrictions."} <a href="#/settings">See settings and health</a></p></div>`}
      <dl class="figures">
        <${Figure} name="Learned today" value=${today.total} href=${"#/memories?age=0"} />
        <${Figure} name="Learned this week" value=${week.total} href=${"#/memories?age=6"} />
        <${Figure} name="Remembered in all" value=${stats.total} note=${count(stats.projects, "project")} href="#/memories" />
        <${Figure} name="Shown to models today" value=${injections.today.hud_tokens + injections.today.stable_tokens} unit="tokens" note=${count(injections.today.calls, "call")} href="#/activity" />
      </dl>
      <div class="columns">
        <div>
          <${Panel} id="p-learned" title="Learned this week" more=${html`<a href="#/memories?age=6">All of them</a>`}>
            ${week.memories?.length ? html`<ul class="cards">${week.memories.map((m) => html`<li key=${m.id}><a class="card" href=${"#/memories?id=" + m.id}><span class="cardtext">${m.text}</span>
              <span class="rowmeta"><${Type} of=${m.type} /><span>${app.nameOf(m.project)}</span>${m.source?.agent && html`<span>${m.source.agent}</span>`}<${Time} at=${m.updated_at} /></span></a></li>`)}</ul>`
              : html`<${Empty} title="Nothing new this week">It fills up while you work with an agent. <code>codememory install</code> connects one; <code>codememory backfill</code> reads older sessions.</${Empty}>`}
          </${Panel}>
          <${Panel} id="p-kinds" title="What kind of knowledge"><${Kinds} counts=${stats.by_type || {}} /></${Panel}>
        </div>
        <div>
          <${Panel} id="p-projects" title="Projects"><${Projects} /></${Panel}>
          <${Panel} id="p-integrations" title="Integrations" more=${html`<a href="#/settings">Health</a>`}><${Integrations} /></${Panel}>
          <${Panel} id="p-injected" title="Shown to models lately" more=${html`<a href="#/preview">Preview</a>`}><${CostLine} injections=${injections} costs=${costs} /><${Injected} report=${injections} /></${Panel}>
        </div>
      </div>`}</${Loaded}>`;
}

const Figure = ({ name, value, unit, note, href }) => html`<div class="figure"><dt>${name}</dt><dd><a href=${href}><span class="big">${number(value)}</span>${unit && html` <span class="unit">${unit}</span>`}</a>${note && html`<span class="note">${note}</span>`}</dd></div>`;

function Kinds({ counts }) {
  const rows = Object.entries(counts).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
  const most = rows[0]?.[1] || 1;
  if (!rows.length) return html`<p class="muted">Nothing yet.</p>`;
  return html`<ul class="bars">${rows.map(([type, n]) => html`<li key=${type}><a href=${"#/memories?type=" + type}>${plain(type)}</a><span class="bar" aria-hidden="true"><span style=${{ width: `${Math.max(2, (100 * n) / most)}%` }}></span></span><span class="num">${number(n)}</span></li>`)}</ul>`;
}

function Projects() {
  const { projects } = useApp();
  const rows = projects.filter((p) => p.memories > 0 || p.id !== "user").sort((a, b) => (b.last_updated || "").localeCompare(a.last_updated || "")).slice(0, 10);
  if (!rows.length) return html`<${Empty} title="No projects yet">A folder becomes one when something is remembered in it.</${Empty}>`;
  return html`<table><thead><tr><th scope="col">Project</th><th scope="col" class="num">Memories</th><th scope="col">Changed</th></tr></thead><tbody>${rows.map((p) => html`<tr key=${p.id}>
    <td><a href=${"#/memories?project=" + p.id} title=${p.root || ""}>${p.id === "user" ? "Mine" : p.name}</a>${p.problems?.length > 0 && html` <${Badge} kind="bad">${count(p.problems.length, "problem")}</${Badge}>`}</td>
    <td class="num">${number(p.memories)}</td><td>${p.memories > 0 ? html`<${Time} at=${p.last_updated} />` : "–"}</td></tr>`)}</tbody></table>`;
}

export function Injected({ report }) {
  const app = useApp();
  if (!report.recent.length) return html`<${Empty} title="No model was shown anything yet">Connected agents ask by themselves. <a href="#/preview">See what one would get</a>.</${Empty}>`;
  return html`<table><thead><tr><th scope="col">When</th><th scope="col">Project</th><th scope="col">Agent</th><th scope="col" class="num">Memories</th><th scope="col" class="num">Tokens</th></tr></thead><tbody>
    ${report.recent.map((i, n) => html`<tr key=${i.at + n}><td><${Time} at=${i.at} /></td><td>${app.nameOf(i.project)}</td><td>${i.agent || "–"}</td><td class="num">${i.memories?.length || 0}</td><td class="num">${number((i.stable_tokens || 0) + (i.hud_tokens || 0))}</td></tr>`)}</tbody></table>`;
}
