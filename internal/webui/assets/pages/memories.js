// All memories: filtered, in any number, with the one that is open beside them.
import { html, useState } from "../lib/preact.js";
import * as api from "../api.js";
import { Badge, Choose, Empty, PageHead, Problem, ProjectChoice, Time, Type, useApp, useDebounced, useLive, useLoad } from "../ui.js";
import { agents, categories, count, midnight, plain, stateOf, states, types } from "../words.js";
import { VirtualList, useRows } from "../virtual.js";
import { MemoryView } from "./memory.js";

const ages = [
  { value: "", name: "Any age" }, { value: "0", name: "Today" }, { value: "6", name: "Last 7 days" }, { value: "29", name: "Last 30 days" }, { value: "89", name: "Last 90 days" }, { value: "364", name: "Last year" },
];
const any = (name, list) => [{ value: "", name }, ...list.map((v) => ({ value: v, name: plain(v) }))];

// asked turns the filters of the address into a question to the API.
function asked(f) {
  const scope = f.scope || "";
  return {
    project: f.project, reach: f.project ? (scope === "both" ? "both" : "project") : scope === "user" ? "user" : "all",
    type: f.type, category: f.category, agent: f.agent, path: f.text, entity: f.entity, pinned: f.pinned ? "true" : "",
    state: f.state === "any" ? states : f.state, since: f.age ? midnight(Number(f.age)) : "",
  };
}

export function Memories({ params }) {
  const app = useApp();
  const [round, setRound] = useState(0);
  const { id, ...filters } = params;
  const text = useDebounced(filters.text || "", 200);
  const question = asked({ ...filters, text });
  const rows = useRows(async (offset, limit, signal) => {
    const page = await api.get("/v1/memories" + api.query({ ...question, offset: offset || "", limit }), signal);
    return { rows: page.memories || [], total: page.total };
  }, [question, round]);
  useLive(() => rows.reload(), "memory", "store");
  const set = (change) => app.go("/memories", { ...params, ...change }, true);
  const open = (m) => app.go("/memories", { ...params, id: m.id });
  const filtered = Object.entries(filters).some(([, v]) => v);
  return html`<${PageHead} title="Memories" lead=${rows.total === null ? "\u00a0" : `${count(rows.total, "memory", "memories")}${filtered ? (rows.total === 1 ? " matches" : " match") : ""}`} />
    <div class="filters" role="search" aria-label="Filter memories">
      <label class="field grow"><span>Contains</span><input type="search" value=${filters.text || ""} onInput=${(e) => set({ text: e.target.value })} placeholder="a word or a path" /></label>
      <${ProjectChoice} value=${filters.project || ""} onChange=${(project) => set({ project })} />
      <${Choose} label="Scope" value=${filters.scope || ""} onChange=${(scope) => set({ scope })} options=${filters.project
        ? [{ value: "", name: "This project" }, { value: "both", name: "And mine" }] : [{ value: "", name: "All" }, { value: "user", name: "Mine only" }]} />
      <${Choose} label="Type" value=${filters.type || ""} onChange=${(type) => set({ type })} options=${any("Any type", types)} />
      <${Choose} label="Category" value=${filters.category || ""} onChange=${(category) => set({ category })} options=${any("Any category", categories)} />
      <${Choose} label="Agent" value=${filters.agent || ""} onChange=${(agent) => set({ agent })} options=${[{ value: "", name: "Any agent" }, ...agents.map((a) => ({ value: a, name: a }))]} />
      <${Choose} label="Changed" value=${filters.age || ""} onChange=${(age) => set({ age })} options=${ages} />
      <${Choose} label="State" value=${filters.state || ""} onChange=${(state) => set({ state: state === "active" ? "" : state })} options=${[{ value: "", name: "active" }, ...states.slice(1), { value: "any", name: "any state" }]} />
      <label class="check"><input type="checkbox" checked=${Boolean(filters.pinned)} onChange=${(e) => set({ pinned: e.target.checked ? "1" : "" })} /> Pinned only</label>
      ${filters.entity && html`<button class="chip" onClick=${() => set({ entity: "" })} aria-label=${`Remove the filter for ${filters.entity}`}>${filters.entity} ✕</button>`}
      ${filtered && html`<button class="quiet" onClick=${() => app.go("/memories", { id })}>Clear filters</button>`}
    </div>
    ${rows.error && html`<${Problem} error=${rows.error} retry=${rows.reload} />`}
    <div class="split ${id ? "open" : ""}">
      <${VirtualList} rows=${rows} height=${rowHeight()} label="Memories, last changed first" selected=${id} idOf=${(m) => m.id} onOpen=${open} render=${(m) => html`<${Row} m=${m} />`}
        empty=${filtered
          ? html`<${Empty} title="Nothing matches these filters">Remove one of them, or look in <a href="#/search">Search</a>, which also finds by meaning.</${Empty}>`
          : html`<${Empty} title="Nothing is remembered yet">Work with an agent that is connected, or run <code>codememory remember "…"</code> in a project.</${Empty}>`} />
      <div class="detail">${id
        ? html`<${MemoryView} key=${id} id=${id} onClose=${() => set({ id: "" })} onGone=${() => { set({ id: "" }); setRound(round + 1); }} onChanged=${() => rows.reload()} />`
        : html`<${Empty} title="No memory is open">Choose one to read where it comes from, how it changed and what it hangs together with.</${Empty}>`}</div>
    </div>`;
}

// rowHeight follows the size of the text, which differs between screens.
const rowHeight = () => Math.round(5.6 * parseFloat(getComputedStyle(document.documentElement).fontSize));

function Row({ m }) {
  const app = useApp();
  const state = stateOf(m);
  return html`<p class="rowtext">${m.pinned && html`<span class="pin" title="pinned" aria-label="pinned">●</span> `}${m.text}</p>
    <p class="rowmeta"><${Type} of=${m.type} />${state !== "active" && html`<${Badge} kind=${state}>${state}</${Badge}>`}<span>${app.nameOf(m.project)}</span>${m.source?.agent && html`<span>${m.source.agent}</span>`}<${Time} at=${m.updated_at} /></p>`;
}
