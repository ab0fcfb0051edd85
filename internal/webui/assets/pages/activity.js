// What happens now, and what it costs.
import { html, useEffect, useState } from "../lib/preact.js";
import * as api from "../api.js";
import { Empty, Loaded, Meter, PageHead, Panel, useApp, useLive, useLoad } from "../ui.js";
import { clock, number, shown } from "../words.js";
import { Injected } from "./overview.js";
import { CostLine, Costs } from "./costs.js";

export function Activity() {
  const app = useApp();
  const [events, setEvents] = useState(app.seen.current);
  useEffect(() => {
    const merge = (more) => {
      const all = new Map([...more, ...app.seen.current].map((e) => [e.at + e.seq, e]));
      app.seen.current = [...all.values()].sort((a, b) => b.at.localeCompare(a.at)).slice(0, 200);
      setEvents(app.seen.current);
    };
    api.get("/v1/events/recent").then((a) => merge(a.events), () => {});
    return app.live(() => merge([]));
  }, []);
  const injections = useLoad((signal) => api.get("/v1/injections?limit=40", signal), []);
  useLive(injections.reload, "context");
  const jobs = running(events);
  const said = events.filter((e) => e.kind !== "job.progress"); // that is shown above, as it goes
  return html`<${PageHead} title="Activity and costs" lead="Live: what CodeMemory does, what it puts before models, and what it costs." />
    ${jobs.length > 0 && html`<${Panel} id="a-jobs" title="At work">${jobs.map((j) => html`<p key=${j.job} class="job">${jobNames[j.job] || j.job} <${Meter} value=${j.done} most=${j.total} label=${j.job} /> <span class="num">${number(j.done)} of ${number(j.total)}</span></p>`)}</${Panel}>`}
    <div class="columns">
      <${Panel} id="a-live" title="Happening">${said.length ? html`<div role="log" aria-label="Events, newest first" class="feedbox" tabIndex="0"><ol class="feed">${said.slice(0, 60).map((e) => html`<li key=${e.at + e.seq}><time class="num" dateTime=${e.at}>${clock(e.at)}</time> <${Said} e=${e} /></li>`)}</ol></div>`
        : html`<${Empty} title="All quiet">Events appear here as they happen: memories, captured turns, injected texts, imports.</${Empty}>`}</${Panel}>
      <div><${Panel} id="a-costs" title="What models cost"><${Costs} /></${Panel}>
      <${Panel} id="a-shown" title="Shown to models"><${Loaded} of=${injections}>${(r) => html`<${CostLine} injections=${r} /><${Injected} report=${r} />`}</${Loaded}></${Panel}></div>
    </div>`;
}

// running finds jobs whose last word was progress.
function running(events) {
  const last = new Map();
  for (const e of events) if (e.job && !last.has(e.job)) last.set(e.job, e);
  return [...last.values()].filter((e) => e.kind === "job.progress" && Date.now() - new Date(e.at) < 60000);
}

const jobNames = { history: "the index of all conversations", backfill: "the import of older sessions" };
const brief = (session) => session.length > 16 ? session.slice(0, 12) + "…" : session;

function Said({ e }) {
  const app = useApp();
  const where = e.project ? html` in <a href=${"#/memories?project=" + e.project}>${app.nameOf(e.project)}</a>` : "";
  switch (e.kind) {
    case "memory.saved": return html`<span><a href=${"#/memories?id=" + e.id}>${shown(e.id)}</a> was saved${where}</span>`;
    case "memory.purged": return html`<span>${shown(e.id)} was purged${where}</span>`;
    case "store.changed": return html`<span>${number(e.total || e.done || 0)} memories changed${where}</span>`;
    case "turn.captured": return html`<span>a turn of <a href=${"#/sessions/" + encodeURIComponent(e.id)} title=${e.id}>${brief(e.id)}</a> was recorded${where}</span>`;
    case "session.checkpoint": return html`<span>session <a href=${"#/sessions/" + encodeURIComponent(e.id)} title=${e.id}>${brief(e.id)}</a> took a checkpoint${where}</span>`;
    case "context.injected": return html`<span>${number(e.done)} tokens were put before a model${where}</span>`;
    case "capture.paused": return html`<span>recording was paused${where || " everywhere"}</span>`;
    case "capture.resumed": return html`<span>recording goes on${where || " everywhere"}</span>`;
    case "job.done": return html`<span>${jobNames[e.job] || e.job} is done: ${number(e.total)} sessions</span>`;
    default: return html`<span>${e.kind}${where}</span>`;
  }
}
