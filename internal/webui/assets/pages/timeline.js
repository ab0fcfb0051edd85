// What happened, day by day, across agents.
import { html, useState } from "../lib/preact.js";
import * as api from "../api.js";
import { Badge, Choose, Empty, Loaded, PageHead, ProjectChoice, useApp, useLive, useLoad } from "../ui.js";
import { agents, clock, count, dayName, dayOf } from "../words.js";

export function Timeline({ params }) {
  const app = useApp();
  const [limit, setLimit] = useState(100);
  const { project = "", agent = "" } = params;
  const set = (change) => app.go("/timeline", { ...params, ...change }, true);
  const found = useLoad((signal) => api.post("/v1/sessions", { project: project || undefined, all: !project, agent: agent || undefined, limit }, signal), [project, agent, limit]);
  useLive(found.reload, "turn", "session");
  return html`<${PageHead} title="Timeline" lead="Sessions of every agent, by day." />
    <div class="filters"><${ProjectChoice} value=${project} onChange=${(project) => set({ project })} />
      <${Choose} label="Agent" value=${agent} onChange=${(agent) => set({ agent })} options=${[{ value: "", name: "All agents" }, ...agents.filter((a) => a !== "cli").map((a) => ({ value: a, name: a }))]} /></div>
    <${Loaded} of=${found} lines=${8}>${({ sessions }) => {
      if (!sessions.length) return html`<${Empty} title="No session was recorded here">Sessions appear when a connected agent works. <code>codememory backfill</code> reads those from before the installation.</${Empty}>`;
      const days = Object.entries(Object.groupBy(sessions, (s) => dayOf(s.active_at))).sort((a, b) => b[0].localeCompare(a[0]));
      return html`<div class="days">${days.map(([day, list]) => html`<section key=${day} class="day"><h2>${dayName(day)} <span class="muted num">${count(list.length, "session")}</span></h2>
          <ol class="sessions">${list.map((s) => html`<${Entry} key=${s.session_id} s=${s} />`)}</ol>
          ${project && html`<${JournalOf} project=${project} day=${day} />`}</section>`)}</div>
        ${sessions.length >= limit && html`<button onClick=${() => setLimit(limit + 200)}>Show older ones</button>`}`;
    }}</${Loaded}>`;
}

const Entry = ({ s }) => html`<li class="entry"><time class="num" dateTime=${s.active_at}>${clock(s.active_at)}</time><div>
  <a class="hittext" href=${"#/sessions/" + encodeURIComponent(s.session_id)}>${s.goal}</a>
  <p class="rowmeta"><${Badge}>${s.agent}</${Badge}><span>${s.project}</span><span>${s.status}</span>${s.files?.length > 0 && html`<span>${count(s.files.length, "file")}</span>`}</p>
  ${s.work_pending?.length > 0 && html`<p class="pending">Left open: ${s.work_pending.join(" · ")}</p>`}</div></li>`;

// JournalOf shows what the journal says about a day, when asked to.
function JournalOf({ project, day }) {
  const [open, setOpen] = useState(false);
  return html`<details onToggle=${(e) => setOpen(e.target.open)}><summary>Journal of the day</summary>${open && html`<${JournalText} project=${project} day=${day} />`}</details>`;
}

function JournalText({ project, day }) {
  const found = useLoad((signal) => api.get("/v1/journal" + api.query({ project, day }), signal), [project, day]);
  if (found.error?.code === "not_found") return html`<p class="muted">${found.error.message}</p>`;
  return html`<${Loaded} of=${found}>${(d) => html`<pre class="journal">${d.text.replaceAll(/<!--.*?-->\n?/gs, "").trim() || "Nothing was written on this day."}</pre>`}</${Loaded}>`;
}
