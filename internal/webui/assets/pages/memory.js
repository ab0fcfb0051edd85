// One memory: its text, what can be done with it, and all that is known of it.
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import * as api from "../api.js";
import { Badge, Choose, Dialog, Loaded, Problem, Time, Type, useApp, useKeys, useLive, useLoad } from "../ui.js";
import { categories, count, full, plain, shown, stateOf, types } from "../words.js";
import { Turns } from "./turns.js";

export function MemoryView({ id, onClose, onGone, onChanged }) {
  const app = useApp();
  const [mode, setMode] = useState("");
  const found = useLoad((signal) => Promise.all([api.get(api.memory(id), signal), api.get(api.memory(id) + "/history", signal)])
    .then(([m, h]) => ({ m, chain: h.entries || [] })), [id]);
  useLive((e) => (!e.id || e.id === id || e.kind === "reset") && mode === "" && found.reload(), "memory", "store");
  const changed = () => { setMode(""); found.reload(); onChanged(); };
  // act does one thing, says so, and offers to take it back.
  const act = async (text, what, undo) => {
    try {
      await what();
      app.toast(text, undo && { name: "Undo", do: () => act("Undone.", undo) });
      changed();
    } catch (err) {
      app.toast(err.message);
    }
  };
  const undo = () => api.post(api.memory(id) + "/undo");
  const acts = {
    pin: (m) => act(m.pinned ? "Unpinned." : "Pinned: models see it whatever they work on.", () => api.patch(api.memory(id), { pinned: !m.pinned })),
    archive: (m) => act(m.archived ? "Brought back." : "Archived: kept, but not found any more.", () => api.patch(api.memory(id), { archived: !m.archived }),
      m.archived ? undefined : () => api.patch(api.memory(id), { archived: false })),
    forget: () => act("Forgotten.", () => api.post(api.memory(id) + "/forget"), undo),
    promote: () => act("It is yours now and holds in every project.", () => api.post(api.memory(id) + "/promote", { confirmed: true })),
    undo: () => act("The last change was taken back.", undo),
  };
  const m = found.data?.m;
  useKeys((e) => {
    if (!m || mode) return;
    const does = { e: () => setMode("edit"), p: () => acts.pin(m), f: () => stateOf(m) !== "forgotten" && acts.forget(), u: acts.undo, Escape: onClose }[e.key];
    if (does) { e.preventDefault(); does(); }
  });
  return html`<article class="memory" aria-label=${"Memory " + shown(id)}><${Loaded} of=${found} lines=${8}>${({ m, chain }) => html`
    <header class="memoryhead">
      <code class="id">${shown(m.id)}</code><${Type} of=${m.type} />${m.category && html`<${Badge}>${plain(m.category)}</${Badge}>`}
      ${stateOf(m) !== "active" && html`<${Badge} kind=${stateOf(m)}>${stateOf(m)}</${Badge}>`}${m.pinned && html`<${Badge} kind="pinned">pinned</${Badge}>`}
      <button class="quiet icon closer" aria-label="Close this memory" onClick=${onClose}>✕</button>
    </header>
    ${mode === "edit" ? html`<${Edit} m=${m} onDone=${changed} onCancel=${() => setMode("")} />` : html`<p class="memorytext">${m.text}</p>`}
    ${mode !== "edit" && html`<div class="buttons" role="group" aria-label="What to do with it">
      ${stateOf(m) !== "forgotten" && html`<button class="primary" onClick=${() => setMode("edit")}>Edit</button>
        <button onClick=${() => acts.pin(m)}>${m.pinned ? "Unpin" : "Pin"}</button>
        <button onClick=${() => setMode("supersede")}>Replace…</button>
        ${m.scope === "project" && stateOf(m) === "active" && html`<button onClick=${acts.promote} title="Let it hold in every project">Promote</button>`}
        <button onClick=${() => acts.archive(m)}>${m.archived ? "Unarchive" : "Archive"}</button>
        <button onClick=${acts.forget}>Forget</button>`}
      ${(stateOf(m) !== "active" || m.revisions?.length > 0) && html`<button onClick=${acts.undo}>Undo last change</button>`}
      <button class="danger" onClick=${() => setMode("purge")}>Purge…</button></div>`}
    ${mode === "supersede" && html`<${Supersede} m=${m} onClose=${() => setMode("")} onDone=${(made) => { app.toast("Replaced; the old one is kept as history."); onChanged(); app.go("/memories", { id: made.id }); }} />`}
    ${mode === "purge" && html`<${Purge} m=${m} onClose=${() => setMode("")} onDone=${(report) => { app.toast(report.warnings?.[0] || "Purged: no trace of its text is left in the store."); onGone(); }} />`}
    <${Facts} m=${m} /><${Source} m=${m} /><${Chain} chain=${chain} current=${m.id} /><${Around} m=${m} onDone=${changed} />`}</${Loaded}></article>`;
}

function Edit({ m, onDone, onCancel }) {
  const [text, setText] = useState(m.text);
  const [type, setType] = useState(m.type);
  const [category, setCategory] = useState(m.category || "");
  const [reason, setReason] = useState("");
  const [error, setError] = useState(null);
  const box = useRef();
  useEffect(() => { box.current.focus(); box.current.selectionStart = text.length; }, []);
  const save = async (e) => {
    e?.preventDefault();
    try {
      await api.patch(api.memory(m.id), { text, type, category, reason: reason || undefined });
      onDone();
    } catch (err) {
      setError(err);
    }
  };
  return html`<form class="edit" onSubmit=${save} onKeyDown=${(e) => { if (e.key === "Escape") onCancel(); if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) save(e); }}>
    <label class="field"><span>Text</span><textarea ref=${box} rows="5" value=${text} onInput=${(e) => setText(e.target.value)}></textarea></label>
    <div class="two"><${Choose} label="Type" value=${type} onChange=${setType} options=${types} />
      <${Choose} label="Category" value=${category} onChange=${setCategory} options=${[{ value: "", name: "none" }, ...categories]} /></div>
    <label class="field"><span>Why (kept with the old wording)</span><input value=${reason} onInput=${(e) => setReason(e.target.value)} /></label>
    ${error && html`<${Problem} error=${error} />`}
    <div class="buttons"><button class="primary" disabled=${!text.trim()}>Save</button><button type="button" onClick=${onCancel}>Cancel</button><span class="hint">Ctrl+Enter saves, Esc leaves it as it was</span></div></form>`;
}

function Supersede({ m, onClose, onDone }) {
  const [text, setText] = useState(m.text);
  const [reason, setReason] = useState("");
  const [error, setError] = useState(null);
  const save = async (e) => {
    e.preventDefault();
    try {
      const made = await api.post("/v1/memories", {
        project: m.project || undefined, scope: m.scope, text, type: m.type, category: m.category, verbatim: true,
        source: { agent: "web", author: "user" }, supersedes: [{ id: m.id, reason: reason || undefined }],
      });
      onDone(made.memory);
    } catch (err) {
      setError(err);
    }
  };
  return html`<${Dialog} title="Replace by a newer fact" onClose=${onClose}><form onSubmit=${save} class="edit">
    <p class="muted">The world changed. The new memory counts from now on; this one stays readable as what held before.</p>
    <label class="field"><span>What holds now</span><textarea rows="5" value=${text} onInput=${(e) => setText(e.target.value)}></textarea></label>
    <label class="field"><span>Why</span><input value=${reason} onInput=${(e) => setReason(e.target.value)} /></label>
    ${error && html`<${Problem} error=${error} />`}
    <div class="buttons"><button class="primary" disabled=${!text.trim() || text.trim() === m.text.trim()}>Replace</button><button type="button" onClick=${onClose}>Cancel</button></div></form></${Dialog}>`;
}

function Purge({ m, onClose, onDone }) {
  const [typed, setTyped] = useState("");
  const [error, setError] = useState(null);
  const word = shown(m.id);
  const purge = async (e) => {
    e.preventDefault();
    try {
      onDone(await api.post(api.memory(m.id) + "/purge"));
    } catch (err) {
      setError(err);
    }
  };
  return html`<${Dialog} title="Purge this memory" onClose=${onClose}><form onSubmit=${purge} class="edit">
    <p>Every trace of its text is removed from the store, earlier wordings included. This cannot be undone. To only stop using it, forget it.</p>
    <blockquote class="quote">${m.text}</blockquote>
    <label class="field"><span>Type <code>${word}</code> to confirm</span><input value=${typed} onInput=${(e) => setTyped(e.target.value)} autocomplete="off" spellcheck=${false} /></label>
    ${error && html`<${Problem} error=${error} />`}
    <div class="buttons"><button class="danger solid" disabled=${typed.trim() !== word}>Purge for good</button><button type="button" onClick=${onClose}>Cancel</button></div></form></${Dialog}>`;
}

function Facts({ m }) {
  const app = useApp();
  const shownTimes = m.usage?.shown || 0;
  return html`<dl class="facts">
    <div><dt>Belongs to</dt><dd>${app.nameOf(m.project)}</dd></div>
    <div><dt>Learned</dt><dd title=${full(m.created_at)}><${Time} at=${m.created_at} /></dd></div>
    <div><dt>Changed</dt><dd><${Time} at=${m.updated_at} /></dd></div>
    <div><dt>Importance</dt><dd class="num">${m.importance.toFixed(2)}</dd></div>
    <div><dt>Shown to models</dt><dd class="num">${count(shownTimes, "time")}</dd></div>
    ${m.metadata?.forget_reason && html`<div><dt>Forgotten because</dt><dd>${String(m.metadata.forget_reason)}</dd></div>`}
  </dl>`;
}

function Source({ m }) {
  const [open, setOpen] = useState(false);
  const s = m.source || {};
  return html`<section class="part"><h2>Where it comes from</h2>
    <p>${[s.author && `put into words by the ${s.author}`, s.agent && `through ${s.agent}`].filter(Boolean).join(", ") || "Nobody noted it."}${s.session && html`, in session <a href=${"#/sessions/" + encodeURIComponent(s.session)}>${s.session}</a>`}</p>
    ${s.excerpt && html`<blockquote class="quote">${s.excerpt}</blockquote>`}
    ${s.session && s.turns?.length > 0 && html`<button aria-expanded=${open} onClick=${() => setOpen(!open)}>${open ? "Hide" : "Show"} the ${count(s.turns.length, "turn")} it was taken from</button>`}
    ${open && html`<${Turns} agent=${s.agent} session=${s.session} turns=${s.turns} />`}</section>`;
}

function Chain({ chain, current }) {
  if (chain.length < 2) return null;
  return html`<section class="part"><h2>How it changed</h2><ol class="chain">${chain.map((entry, i) => html`<li key=${i} class=${entry.until ? "old" : ""}>
    <p class="chainmeta"><span>${entry.what === "current" ? "holds now" : entry.what}</span><${Time} at=${entry.from} />${entry.id !== current && html`<a href=${"#/memories?id=" + entry.id}>${shown(entry.id)}</a>`}</p>
    <p class="chaintext">${entry.text}</p>${entry.reason && html`<p class="muted">because: ${entry.reason}</p>`}</li>`)}</ol></section>`;
}

function Around({ m, onDone }) {
  const app = useApp();
  const [other, setOther] = useState("");
  const links = m.links || [];
  const mark = async (e) => {
    e.preventDefault();
    try {
      await api.patch(api.memory(m.id), { supersede: [{ id: other.trim() }] });
      setOther("");
      app.toast("The other memory is superseded now.");
      onDone();
    } catch (err) {
      app.toast(err.message);
    }
  };
  return html`<section class="part"><h2>What it hangs together with</h2>
    ${m.entities?.length > 0 && html`<ul class="chips" aria-label="Entities">${m.entities.map((e) => html`<li key=${e.name}><a class="chip" href=${"#/memories" + api.query({ entity: e.name })} title=${plain(e.type)}>${e.name}</a></li>`)}</ul>`}
    ${links.length > 0 && html`<ul class="links">${links.map((l) => html`<${Linked} key=${l.to + l.type + l.inbound} link=${l} />`)}</ul>`}
    ${!m.entities?.length && !links.length && html`<p class="muted">No entities and no links to others.</p>`}
    <p><a href=${"#/graph" + api.query({ project: m.project || "user", focus: m.id })}>Show it in the graph</a></p>
    <details><summary>It makes another memory obsolete</summary><form class="inline" onSubmit=${mark}><label class="field"><span>Id of the other one</span><input value=${other} onInput=${(e) => setOther(e.target.value)} placeholder="mem_0a1b2c3d" /></label><button disabled=${!other.trim()}>Mark it</button></form></details></section>`;
}

function Linked({ link }) {
  const found = useLoad((signal) => api.get(api.memory(link.to), signal), [link.to]);
  const said = link.inbound ? { supersedes: "is superseded by", refines: "is refined by", contextualizes: "is contextualised by" }[link.type] || link.type : link.type;
  return html`<li><span class="linktype">${plain(said)}</span> <a href=${"#/memories?id=" + link.to}>${found.data ? found.data.text : shown(link.to)}</a>${link.reason && html` <span class="muted">(${link.reason})</span>`}</li>`;
}
