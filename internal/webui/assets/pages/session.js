// One session: what it was for, what came of it, and the way on.
import { html, useEffect, useState } from "../lib/preact.js";
import * as api from "../api.js";
import { Badge, Choose, Copy, Dialog, Loaded, PageHead, Panel, useLive, useLoad } from "../ui.js";
import { agents, full } from "../words.js";
import { Turns } from "./turns.js";

export function Session({ at, params }) {
  const id = decodeURIComponent(at.path.slice("/sessions/".length));
  const [reading, setReading] = useState(Boolean(params.turn));
  const [handing, setHanding] = useState(false);
  const found = useLoad((signal) => api.get("/v1/sessions/" + encodeURIComponent(id), signal), [id]);
  useLive(found.reload, "turn", "session");
  useEffect(() => setReading(Boolean(params.turn)), [params.turn]);
  // A session that was never recorded here can still be read.
  if (found.error?.code === "not_found") {
    return html`<${PageHead} title="Session" lead=${id} /><p class="muted">There is no record of this session, but its conversation may still be in the agent's own records:</p>
      <${Panel} id="s-talk" title="Conversation"><${Turns} session=${id} turns=${params.turn ? [params.turn] : undefined} />${params.turn && html`<p><a href=${"#/sessions/" + encodeURIComponent(id)}>Read all of it</a></p>`}</${Panel}>`;
  }
  return html`<${Loaded} of=${found} lines=${8}>${(s) => html`
    <${PageHead} title=${s.goal} lead=${html`<${Badge}>${s.agent}</${Badge}> ${s.project} · ${s.status} · ${full(s.started_at)} to ${full(s.active_at)}`}>
      <button onClick=${() => setReading(!reading)} aria-expanded=${reading}>${reading ? "Hide the conversation" : "Read the conversation"}</button>
      <button class="primary" onClick=${() => setHanding(true)}>Hand over…</button></${PageHead}>
    ${handing && html`<${Handover} id=${id} from=${s.agent} onClose=${() => setHanding(false)} />`}
    <div class="columns">
      <div>
        <${Points} id="s-open" title="Left to do" list=${s.work_pending} none="Nothing was stated as open." />
        <${Points} id="s-done" title="Done" list=${[...(s.work_completed || []), ...(s.work_summary || [])]} none="Nothing was stated as done." />
        <${Points} id="s-decisions" title="Decisions" list=${s.decisions} none="None were stated." />
      </div>
      <div>
        <${Panel} id="s-files" title="Files">${s.files?.length ? html`<ul class="files">${s.files.map((f) => html`<li key=${f.path}><span class="change ${f.change}">${f.change}</span> <code>${f.path}</code></li>`)}</ul>` : html`<p class="muted">It changed no files.</p>`}
          ${s.diff_stat && html`<pre class="diff">${s.diff_stat}</pre>`}${s.diff_note && html`<p class="muted">${s.diff_note}</p>`}
          ${s.git_sha_start && html`<p class="muted">Commits <code>${s.git_sha_start.slice(0, 12)}</code> to <code>${(s.git_sha_end || "").slice(0, 12)}</code></p>`}</${Panel}>
        ${s.turns?.length > 0 && html`<${Panel} id="s-turns" title="Last turns in short"><ol class="short">${s.turns.map((t, i) => html`<li key=${i}><p>${t.asked}</p>${t.done && html`<p class="muted">${t.done}</p>`}${t.open && html`<p class="pending">Left open: ${t.open}</p>`}</li>`)}</ol></${Panel}>`}
        <p class="muted small">Record: <code class="path">${s.markdown_path}</code></p>
      </div>
    </div>
    ${reading && html`<${Panel} id="s-talk" title="Conversation"><${Turns} agent=${s.agent} session=${s.session_id} turns=${params.turn ? [params.turn] : undefined} />${params.turn && html`<p><a href=${"#/sessions/" + encodeURIComponent(id)}>Show only the record</a></p>`}</${Panel}>`}`}</${Loaded}>`;
}

const Points = ({ id, title, list, none }) => html`<${Panel} id=${id} title=${title}>${list?.length ? html`<ul class="points">${list.map((x, i) => html`<li key=${i}>${x}</li>`)}</ul>` : html`<p class="muted">${none}</p>`}</${Panel}>`;

function Handover({ id, from, onClose }) {
  const others = agents.filter((a) => a !== "cli" && a !== from);
  const [to, setTo] = useState(others[0]);
  const found = useLoad((signal) => api.post("/v1/sessions/text", { session: id, handoff: true, to }, signal), [id, to]);
  return html`<${Dialog} title="Hand over to another agent" wide onClose=${onClose}>
    <p class="muted">Give this text to the other agent as its first message. Agents with CodeMemory's tools can also fetch it by themselves.</p>
    <${Choose} label="To" value=${to} onChange=${setTo} options=${others.map((a) => ({ value: a, name: a }))} />
    <${Loaded} of=${found}>${({ text }) => html`<pre class="handoff" tabIndex="0" aria-label="Text to hand over">${text}</pre><div class="buttons"><${Copy} text=${text}>Copy the text</${Copy}></div>`}</${Loaded}></${Dialog}>`;
}
