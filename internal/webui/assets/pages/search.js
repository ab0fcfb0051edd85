// One box over memories, sessions and conversations, as you type.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/preact.js";
import * as api from "../api.js";
import { Badge, Empty, PageHead, Panel, Problem, ProjectChoice, Score, Time, Type, useApp, useDebounced, useLoad } from "../ui.js";
import { count, reasons, shown } from "../words.js";

const kinds = { memories: "Memories", sessions: "Sessions", turns: "Conversations" };

// ask starts all three searches; each is shown when it is there.
function useSearch(text, project, kind) {
  const scope = { project: project || undefined };
  const run = (wanted, fn) => useLoad((signal) => text && (kind === "" || kind === wanted) ? fn(signal) : null, [text, project, kind]);
  return {
    memories: run("memories", (signal) => api.post("/v1/search", { text, ...scope, reach: project ? "both" : "all", limit: kind ? 50 : 12, explain: true }, signal)),
    sessions: run("sessions", (signal) => api.post("/v1/sessions", { query: text, ...scope, all: !project, limit: kind ? 30 : 5 }, signal)),
    turns: run("turns", (signal) => api.post("/v1/turns/search", { text, ...scope, limit: kind ? 30 : 6 }, signal)),
  };
}

export function Search({ params }) {
  const app = useApp();
  const box = useRef();
  const [typed, setTyped] = useState(params.q || "");
  const text = useDebounced(typed.trim(), 180);
  const project = params.project || "";
  const kind = params.kind || "";
  const set = (change) => app.go("/search", { ...params, q: typed, ...change }, true);
  useLayoutEffect(() => { box.current.focus(); }, []); // before another key is pressed
  useEffect(() => { if (text !== (params.q || "")) set({ q: text }); }, [text]);
  const found = useSearch(text, project, kind);
  const nothing = text && !found.memories.loading && !found.sessions.loading && !found.turns.loading &&
    !found.memories.data?.hits.length && !found.sessions.data?.sessions.length && !found.turns.data?.turns.length;
  return html`<${PageHead} title="Search" />
    <div class="searchbar" role="search"><label class="field grow"><span class="hidden">Search</span>
        <input ref=${box} class="searchbox" type="search" value=${typed} onInput=${(e) => setTyped(e.target.value)} placeholder="How do we run the integration tests?" aria-describedby="searchhint" /></label>
      <${ProjectChoice} value=${project} onChange=${(project) => set({ project })} /></div>
    <div class="tabs" role="group" aria-label="What to search">${["", ...Object.keys(kinds)].map((k) => html`<button key=${k} class=${kind === k ? "tab on" : "tab"} aria-pressed=${kind === k} onClick=${() => set({ kind: k })}>${k ? kinds[k] : "Everything"}</button>`)}</div>
    <p class="hint" id="searchhint">Plain words act as filters: “last week”, “in codex”, “list all preferences”, a path such as src/auth.go.</p>
    <div aria-live="polite" class="hidden">${text && !found.memories.loading ? count(found.memories.data?.hits?.length || 0, "memory", "memories") + " found" : ""}</div>
    ${!text && html`<${Empty} title="Ask in your own words">Memories are found by words and by meaning; sessions and conversations of all agents by words.</${Empty}>`}
    ${nothing && html`<${Empty} title="Nothing is remembered about that">${found.memories.data?.reasons?.join(" · ") || "Below a calibrated score nothing is returned: a wrong memory costs more than a missing one."}</${Empty}>`}
    ${text && !nothing && html`<div class="results">
      ${(kind === "" || kind === "memories") && html`<${Results} of=${found.memories} title="Memories" list=${(d) => d.hits} none="No memory answers this." note=${(d) => d.degraded && d.reasons?.join(" · ")} item=${(h) => html`<${MemoryHit} key=${h.memory.id} hit=${h} />`} />`}
      ${(kind === "" || kind === "sessions") && html`<${Results} of=${found.sessions} title="Sessions" list=${(d) => d.sessions} none="No session was about this." item=${(s) => html`<${SessionHit} key=${s.session_id} s=${s} />`} />`}
      ${(kind === "" || kind === "turns") && html`<${Results} of=${found.turns} title="Conversations" list=${(d) => d.turns} none="Nobody said this." item=${(t, i) => html`<${TurnHit} key=${t.session + t.turn} t=${t} rank=${i + 1} />`} />`}
    </div>`}`;
}

function Results({ of, title, list, none, item, note }) {
  const rows = of.data ? list(of.data) || [] : [];
  const said = of.data && note?.(of.data);
  return html`<${Panel} id=${"r-" + title} title=${title} more=${of.data && html`<span class="muted num">${rows.length}</span>`}>
    ${of.error && html`<${Problem} error=${of.error} retry=${of.reload} />`}${said && html`<p class="muted">${said}</p>`}
    ${rows.length ? html`<ul class="hits">${rows.map(item)}</ul>` : html`<p class="muted">${of.loading ? "Searching…" : none}</p>`}</${Panel}>`;
}

export function Reasons({ why }) {
  return html`<ul class="reasons" aria-label="Why it was found">${reasons(why).map((r) => html`<li key=${r}>${r}</li>`)}</ul>`;
}

function MemoryHit({ hit }) {
  const app = useApp();
  const m = hit.memory;
  return html`<li class="hit"><${Score} value=${hit.score} /><div><a class="hittext" href=${"#/memories?id=" + m.id}>${m.text}</a>
    <p class="rowmeta"><${Type} of=${m.type} /><code>${shown(m.id)}</code><span>${app.nameOf(m.project)}</span>${m.source?.agent && html`<span>${m.source.agent}</span>`}<${Time} at=${m.updated_at} /></p><${Reasons} why=${hit.why} /></div></li>`;
}

const SessionHit = ({ s }) => html`<li class="hit"><span class="score">${s.score ? s.score.toFixed(1) : ""}</span><div><a class="hittext" href=${"#/sessions/" + encodeURIComponent(s.session_id)}>${s.goal}</a>
  <p class="rowmeta"><${Badge}>${s.agent}</${Badge}><span>${s.project}</span><span>${s.status}</span><${Time} at=${s.active_at} />${s.work_pending?.length > 0 && html`<span>${count(s.work_pending.length, "thing")} left open</span>`}</p></div></li>`;

function TurnHit({ t, rank }) {
  const app = useApp();
  return html`<li class="hit"><span class="score rank" title="rank by BM25">#${rank}</span><div><a class="hittext" href=${"#/sessions/" + encodeURIComponent(t.session) + api.query({ turn: t.turn })}>${t.prompt || "A turn whose text is no longer in the agent's records"}</a>
    ${t.excerpt && html`<p class="excerpt">${t.excerpt}</p>`}<p class="rowmeta"><${Badge}>${t.agent}</${Badge}><span>${app.nameOf(t.project)}</span><${Time} at=${t.at} /></p></div></li>`;
}
