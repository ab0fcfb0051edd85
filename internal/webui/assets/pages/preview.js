// What a model would receive for a prompt, and why each line is there.
import { html, useState } from "../lib/preact.js";
import * as api from "../api.js";
import { Choose, Empty, Loaded, Meter, PageHead, Panel, ProjectChoice, Score, Time, Type, useApp, useDebounced, useLive, useLoad } from "../ui.js";
import { agents, number, shown } from "../words.js";
import { Reasons } from "./search.js";

export function Preview({ params }) {
  const app = useApp();
  const first = app.projects.filter((p) => p.id !== "user").sort((a, b) => (b.last_updated || "").localeCompare(a.last_updated || ""))[0]?.id || "";
  const project = params.project ?? first;
  const [typed, setTyped] = useState(params.prompt || "");
  const prompt = useDebounced(typed.trim(), 250);
  const agent = params.agent || "opencode";
  const set = (change) => app.go("/preview", { ...params, ...change }, true);
  const found = useLoad(async (signal) => {
    const [context, settings] = await Promise.all([
      api.post("/v1/context", { project, agent, goal: prompt, preview: true }, signal), api.get("/v1/settings", signal),
    ]);
    const budget = (name) => Number(settings.settings.find((s) => s.name === name)?.value || 0);
    return { context, hudBudget: budget("context.hud_tokens"), stableBudget: budget("context.stable_tokens") };
  }, [project, agent, prompt]);
  const kept = useLoad((signal) => api.get("/v1/suppressions", signal), []);
  const again = () => { found.reload(); kept.reload(); };
  useLive(again, "memory", "store");
  const suppress = async (m) => {
    try {
      const made = await api.post("/v1/suppressions", { project, memory: m.id, prompt });
      app.toast("Kept away from prompts like this one.", { name: "Undo", do: () => restore(made) });
      again();
    } catch (err) {
      app.toast(err.message);
    }
  };
  const restore = (s) => api.remove("/v1/suppressions/" + s.id).then(again, (err) => app.toast(err.message));
  return html`<${PageHead} title="HUD preview" lead="Exactly what a model would receive. Looking changes nothing." />
    <div class="filters"><label class="field grow"><span>Prompt</span><textarea rows="2" value=${typed} onInput=${(e) => { setTyped(e.target.value); set({ prompt: e.target.value }); }} placeholder="Fix the flaky login test"></textarea></label>
      <${ProjectChoice} value=${project} all=${""} onChange=${(project) => set({ project })} />
      <${Choose} label="Agent" value=${agent} onChange=${(agent) => set({ agent })} options=${agents.filter((a) => a !== "cli").map((a) => ({ value: a, name: a }))} /></div>
    <${Loaded} of=${found} lines=${8}>${({ context: c, hudBudget, stableBudget }) => html`<div class="columns">
      <div>
        <${Panel} id="h-hud" title="With this call" more=${html`<${Tokens} used=${c.hud_tokens} of=${hudBudget} />`}>
          ${c.hud ? html`<pre class="injected" tabIndex="0" aria-label="Text of the HUD">${c.hud}</pre>` : html`<${Empty} title="Nothing would be added">${prompt ? (c.reasons || []).join(" · ") || "No memory matters enough for this prompt." : "Type a prompt: what is shown with a call depends on it."}</${Empty}>`}
        </${Panel}>
        ${c.memories.length > 0 && html`<${Panel} id="h-why" title="Why each line is there"><ol class="hits">${c.memories.map((h) => html`<li class="hit" key=${h.memory.id}><${Score} value=${h.score} /><div><a class="hittext" href=${"#/memories?id=" + h.memory.id}>${h.memory.text}</a>
          <p class="rowmeta"><${Type} of=${h.memory.type} /><code>${shown(h.memory.id)}</code><span>${app.nameOf(h.memory.project)}</span><${Time} at=${h.memory.updated_at} /></p><${Reasons} why=${h.why} /></div>
          <button class="thumb" disabled=${!prompt} onClick=${() => suppress(h.memory)} aria-label=${`Of no use for this prompt: ${h.memory.text.slice(0, 60)}`} title="Of no use here: keep it away from prompts like this one"><${ThumbDown} /></button></li>`)}</ol></${Panel}>`}
      </div>
      <div>
        <${Panel} id="h-stable" title="With every session" more=${html`<${Tokens} used=${c.stable_tokens} of=${stableBudget} />`}>
          ${c.stable ? html`<pre class="injected" tabIndex="0" aria-label="Text of the stable block">${c.stable}</pre>
            <details><summary>Why each line is there</summary><ul class="lines">${(c.stable_lines || []).map((l, i) => html`<li key=${i}><span class="linktype">${l.section}</span> ${l.memory ? html`<a href=${"#/memories?id=" + l.memory}>${l.line.replace(/^[-> ]+/, "")}</a>` : l.line}</li>`)}</ul>
            <p class="muted small">A section takes memories of its types, the most important first, until its share of the budget is used.</p></details>`
            : html`<${Empty} title="No stable block">This project has no memories of lasting interest yet: briefs, architecture, preferences.</${Empty}>`}
        </${Panel}>
        <${Panel} id="h-kept" title="Kept away"><${Loaded} of=${kept}>${({ suppressions }) => suppressions.length ? html`<ul class="kept">${suppressions.map((s) => html`<li key=${s.id}><div><p>“${s.prompt}”</p><p class="muted"><a href=${"#/memories?id=" + s.memory}>${shown(s.memory)}</a> · <${Time} at=${s.at} /></p></div><button onClick=${() => restore(s)}>Take back</button></li>`)}</ul>`
          : html`<p class="muted">Thumbs down on a line keeps that memory away from such prompts.</p>`}</${Loaded}></${Panel}>
      </div></div>`}</${Loaded}>`;
}

const Tokens = ({ used, of }) => html`<span class="tokens num"><${Meter} value=${used} most=${of} label=${`${used} of ${of} tokens`} />${number(used)} / ${number(of)} tokens</span>`;

const ThumbDown = () => html`<svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round" aria-hidden="true"><path d="M7 4h9.5a2 2 0 0 1 2 1.6l1.2 6a2 2 0 0 1-2 2.4H13l1 4.5a1.8 1.8 0 0 1-3.3 1.3L7 14zM7 4H4v10h3z" /></svg>`;
