// What needs a person's decision, one key each.
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import * as api from "../api.js";
import { Badge, Empty, Loaded, PageHead, ProjectChoice, Time, Type, useApp, useKeys, useLive, useLoad } from "../ui.js";
import { count, shown } from "../words.js";

const kinds = {
  quarantine: ["Quarantine", "It is not used until you let it in."], unsure: ["Low confidence", "It is used, but whoever extracted it was not sure."],
  conflict: ["Conflicts", "These contradict each other."], duplicate: ["Duplicates", "These seem to say the same."], promotion: ["Mine?", "A preference that several projects share."],
};

// choices are what can be decided, by kind: the key, what it says, what is done.
function choices(item) {
  const [m, ...rest] = item.memories;
  const others = rest.map((x) => x.id);
  const decide = (id, body) => () => api.post(api.memory(id) + "/decide", body);
  switch (item.kind) {
    case "conflict":
    case "duplicate":
      return [
        ...item.memories.slice(0, 9).map((x, i) => ({ key: String(i + 1), name: `Keep ${i + 1}`, said: "Kept; the others are superseded.", do: decide(x.id, { action: "keep", others: item.memories.filter((o) => o !== x).map((o) => o.id) }) })),
        { key: "s", name: "All hold", said: "All of them hold.", do: decide(m.id, { action: "separate", others }) },
      ];
    case "promotion":
      return [{ key: "a", name: "Make it mine", said: "It holds in every project now.", primary: true, do: () => api.post(api.memory(m.id) + "/promote", { confirmed: true }) }, { key: "s", name: "Not now", said: "It stays in the project for now.", do: async () => {} }];
    default:
      return [{ key: "a", name: "Accept", said: "Accepted.", primary: true, do: decide(m.id, { action: "accept" }) }, { key: "x", name: "Reject", said: "Rejected: forgotten.", undo: m.id, do: decide(m.id, { action: "reject" }) }];
  }
}

async function load(projects, project, signal) {
  const refs = project ? [project] : projects.map((p) => p.id);
  const seen = new Set(), items = [];
  for (const answer of await Promise.all(refs.map((ref) => api.get("/v1/review" + api.query({ project: ref, limit: 30 }), signal)))) {
    for (const item of answer.items || []) {
      const id = item.kind + item.memories.map((m) => m.id).join();
      if (!seen.has(id)) { seen.add(id); items.push({ ...item, id }); }
    }
  }
  return items;
}

export function Review({ params }) {
  const app = useApp();
  const project = params.project || "";
  const [mark, setMark] = useState({ id: "", index: 0 });
  const [gone, setGone] = useState(() => new Set());
  const list = useRef();
  const found = useLoad((signal) => load(app.projects, project, signal), [project, app.projects.map((p) => p.id).join()]);
  useLive(found.reload, "memory", "store");
  const items = (found.data || []).filter((i) => !gone.has(i.id));
  // The mark stays with its item when others come and go; a decided one gives it to the next.
  const kept = items.findIndex((i) => i.id === mark.id);
  const current = kept >= 0 ? kept : Math.min(mark.index, items.length - 1);
  const setAt = (i) => setMark({ id: items[i].id, index: i });
  const decide = async (item, choice) => {
    setMark({ id: "", index: items.indexOf(item) });
    setGone((old) => new Set(old).add(item.id));
    try {
      await choice.do();
      app.toast(choice.said, choice.undo && { name: "Undo", do: () => api.post(api.memory(choice.undo) + "/undo").then(() => { setGone((old) => { const s = new Set(old); s.delete(item.id); return s; }); found.reload(); }, (e) => app.toast(e.message)) });
    } catch (err) {
      setGone((old) => { const s = new Set(old); s.delete(item.id); return s; });
      app.toast(err.message);
    }
  };
  useKeys((e) => {
    if (!items.length) return;
    if (e.key === "ArrowDown" || e.key === "j") { e.preventDefault(); setAt(Math.min(items.length - 1, current + 1)); return; }
    if (e.key === "ArrowUp" || e.key === "k") { e.preventDefault(); setAt(Math.max(0, current - 1)); return; }
    const choice = choices(items[current]).find((c) => c.key === e.key);
    if (choice) { e.preventDefault(); decide(items[current], choice); }
  });
  useEffect(() => list.current?.querySelector(".current")?.scrollIntoView({ block: "nearest" }), [current]);
  return html`<${PageHead} title="Review" lead="What CodeMemory is not sure about. The marked one is decided with one key; ↑ and ↓ move the mark." />
    <div class="filters"><${ProjectChoice} value=${project} onChange=${(project) => app.go("/review", { project }, true)} /></div>
    <${Loaded} of=${found} lines=${6}>${() => items.length ? html`<p class="muted" role="status">${count(items.length, "thing")} to decide</p>
      <ol class="review" ref=${list}>${items.map((item, i) => html`<${Item} key=${item.id} item=${item} current=${i === current} onMark=${() => setAt(i)} onDecide=${(c) => decide(item, c)} />`)}</ol>`
      : html`<${Empty} title="Nothing to decide">Doubtful memories, contradictions and duplicates wait here instead of reaching a model unseen.</${Empty}>`}</${Loaded}>`;
}

function Item({ item, current, onMark, onDecide }) {
  const app = useApp();
  const [name, explained] = kinds[item.kind] || [item.kind, ""];
  return html`<li class="reviewitem panel ${current ? "current" : ""}" aria-current=${current ? "true" : undefined} onClick=${onMark}>
    <p class="rowmeta"><${Badge} kind="quarantined">${name}</${Badge}><span>${item.reason || explained}</span></p>
    <ol class="candidates">${item.memories.map((m, i) => html`<li key=${m.id}>${item.memories.length > 1 && html`<span class="num muted">${i + 1}</span>`}<div><p class="reviewtext">${m.text}</p>
      <p class="rowmeta"><${Type} of=${m.type} /><a href=${"#/memories?id=" + m.id}>${shown(m.id)}</a><span>${app.nameOf(m.project)}</span>${m.source?.agent && html`<span>${m.source.agent}</span>`}<${Time} at=${m.updated_at} /></p></div></li>`)}</ol>
    <div class="buttons">${choices(item).map((c) => html`<button key=${c.key} class=${c.primary ? "primary" : ""} onClick=${(e) => { e.stopPropagation(); onDecide(c); }}>${c.name} <kbd aria-hidden="true">${c.key}</kbd></button>`)}</div></li>`;
}
