// The switches, how everything stands, and every setting.
import { html, useState } from "../lib/preact.js";
import * as api from "../api.js";
import { Badge, Loaded, PageHead, Panel, ProjectChoice, Time, useApp, useLive, useLoad } from "../ui.js";
import { Integrations } from "./health.js";

export function Settings() {
  const found = useLoad(async (signal) => {
    const [settings, health] = await Promise.all([api.get("/v1/settings", signal), api.get("/v1/health", signal)]);
    return { settings, health };
  }, []);
  useLive(found.reload, "capture");
  return html`<${PageHead} title="Settings and health" />
    <${Loaded} of=${found} lines=${10}>${({ settings, health }) => html`<div class="columns">
      <div>
        <${Panel} id="t-capture" title="Capture"><${Capture} /></${Panel}>
        <${Panel} id="t-health" title="Health"><${Health} h=${health} s=${settings} /></${Panel}>
        <${Panel} id="t-out" title="What leaves this machine">${settings.outbound.length ? html`<ul class="points">${settings.outbound.map((o) => html`<li key=${o}>${o}</li>`)}</ul>` : html`<p>Nothing. Search, embeddings and storage work here, offline; no address is called.</p>`}</${Panel}>
      </div>
      <${Panel} id="t-agents" title="Integrations"><${Integrations} all /></${Panel}>
    </div>
    <${Panel} id="t-all" title="All settings" more=${html`<span class="muted">change one with <code>codememory config set KEY VALUE</code></span>`}><${All} report=${settings} /></${Panel}>`}</${Loaded}>`;
}

function Health({ h, s }) {
  return html`<dl class="facts wide">
    <div><dt>State</dt><dd><${Badge} kind=${h.status === "ok" ? "good" : "bad"}>${h.status}</${Badge}> ${(h.reasons || []).join(" · ")}</dd></div>
    <div><dt>Version</dt><dd>${h.version}, process <span class="num">${h.pid}</span></dd></div>
    <div><dt>Embeddings</dt><dd>${h.embedding_model || "none: search by words only"}</dd></div>
    <div><dt>Data</dt><dd><code class="path">${s.data}</code></dd></div>
    <div><dt>Settings file</dt><dd><code class="path">${s.file}</code></dd></div></dl>`;
}

function Capture() {
  const app = useApp();
  const [project, setProject] = useState("");
  const found = useLoad((signal) => api.get("/v1/capture", signal), []);
  useLive(found.reload, "capture");
  const pause = (body, said) => api.post("/v1/capture/pause", body).then(() => { app.toast(said); found.reload(); }, (err) => app.toast(err.message));
  return html`<${Loaded} of=${found}>${(c) => html`
    ${!c.enabled && html`<p class="problem">Recording is switched off in the settings (<code>capture.enabled</code> or <code>disable</code>).</p>`}
    <div class="switchline"><div><p><strong>${c.paused ? "Paused everywhere" : "Agents' sessions are recorded"}</strong>${c.paused && html` <span class="muted">since <${Time} at=${c.since} /></span>`}</p>
      <p class="muted small">While paused, turns of agents are not recorded, and not later either. Memories are still shown to models.</p></div>
      <button class=${c.paused ? "primary" : ""} onClick=${() => pause({ paused: !c.paused }, c.paused ? "Recording goes on." : "Recording is paused everywhere.")}>${c.paused ? "Resume" : "Pause everywhere"}</button></div>
    ${c.projects.length > 0 && html`<ul class="kept">${c.projects.map((p) => html`<li key=${p.project}><p><strong>${p.name}</strong> <span class="muted">paused <${Time} at=${p.since} /></span></p><button onClick=${() => pause({ project: p.project, paused: false }, `Recording goes on in ${p.name}.`)}>Resume</button></li>`)}</ul>`}
    <form class="inline" onSubmit=${(e) => { e.preventDefault(); if (project) pause({ project, paused: true }, `Paused in ${app.nameOf(project)}.`); setProject(""); }}>
      <${ProjectChoice} label="Pause in one project" value=${project} all="Choose a project" user=${false} onChange=${setProject} /><button disabled=${!project}>Pause</button></form>`}</${Loaded}>`;
}

function All({ report }) {
  const [only, setOnly] = useState("");
  const rows = report.settings.filter((s) => (s.name + " " + s.doc).toLowerCase().includes(only.toLowerCase()));
  return html`<label class="field"><span>Find a setting</span><input type="search" value=${only} onInput=${(e) => setOnly(e.target.value)} /></label>
    <div class="scroll" tabIndex="0" role="region" aria-label="Settings"><table class="settings"><thead><tr><th scope="col">Setting</th><th scope="col">Value</th><th scope="col">From</th><th scope="col">What it does</th></tr></thead>
      <tbody>${rows.map((s) => html`<tr key=${s.name}><td><code>${s.name}</code></td><td class=${s.from === "default" ? "" : "set"}><code>${s.value || "–"}</code></td><td>${s.from}</td><td>${s.doc}</td></tr>`)}</tbody></table></div>`;
}
