// How each integration stands.
import { html } from "../lib/preact.js";
import * as api from "../api.js";
import { Loaded, useLive, useLoad } from "../ui.js";
import { count } from "../words.js";

export function Integrations({ all }) {
  const found = useLoad((signal) => api.get("/v1/agents", signal), []);
  useLive(found.reload, "turn");
  return html`<${Loaded} of=${found}>${({ agents }) => {
    const rows = all ? agents : agents.filter((a) => a.found);
    if (!rows.length) return html`<p class="muted">No agent's records were found on this machine. <code>codememory install</code> lists what can be connected.</p>`;
    return html`<ul class="statuses">${rows.map((a) => {
      const kind = a.problem ? "bad" : a.found ? "good" : "off";
      return html`<li key=${a.agent}><span class="dot ${kind}" aria-hidden="true"></span><div><p><strong>${a.agent}</strong> <span class="muted">${a.problem ? "has a problem" : a.found ? "works" : "not found"}, ${count(a.sessions, "session")} recorded</span></p>
        <p class="muted small">${a.problem || a.where}</p></div></li>`;
    })}</ul>`;
  }}</${Loaded}>`;
}
