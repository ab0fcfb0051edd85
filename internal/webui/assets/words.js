// How things are said: numbers, times, names.

export const types = [
  "project-brief", "architecture", "architecture-pattern", "tech-context", "product-context", "project-config", "error-solution",
  "learned-pattern", "preference", "session-summary", "progress", "active-context", "conversation",
];
export const categories = [
  "decision_rationale", "rejected_alternative", "error_handling", "dependency_philosophy", "hidden_constraint", "testing_convention",
  "naming_convention", "debugging_style", "priority", "vocabulary",
];
export const states = ["active", "archived", "superseded", "quarantined", "forgotten"];
export const agents = ["opencode", "claude-code", "codex", "gemini", "copilot", "cursor", "cli"];

export const plain = (name) => String(name || "").replaceAll(/[-_]/g, " ");
export const shown = (id) => "mem_" + String(id).replace(/^mem_/, "").slice(-8);
export const number = (n) => new Intl.NumberFormat("en").format(n ?? 0);
export const count = (n, one, many = one + "s") => `${number(n)} ${n === 1 ? one : many}`;

export function stateOf(m) {
  if (m.forgotten_at) return "forgotten";
  if (m.superseded_by) return "superseded";
  if (m.quarantine) return "quarantined";
  return m.archived ? "archived" : "active";
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const steps = [[60, "second"], [60, "minute"], [24, "hour"], [7, "day"], [4.35, "week"], [12, "month"], [Infinity, "year"]];

// ago says how long ago a time was.
export function ago(time) {
  let span = (new Date(time) - Date.now()) / 1000;
  if (Math.abs(span) < 45) return "just now";
  for (const [size, unit] of steps) {
    if (Math.abs(span) < size) return relative.format(Math.round(span), unit);
    span /= size;
  }
  return "";
}

export const clock = (time) => new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
export const full = (time) => new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
export const dayOf = (time) => {
  const d = new Date(time);
  return `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, "0")}-${String(d.getDate()).padStart(2, "0")}`;
};

// dayName says a day such as 2026-03-01 as people do.
export function dayName(day) {
  const today = dayOf(Date.now());
  if (day === today) return "Today";
  if (day === dayOf(Date.now() - 864e5)) return "Yesterday";
  const d = new Date(day + "T12:00:00");
  return d.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", year: d.getFullYear() === new Date().getFullYear() ? undefined : "numeric" });
}

export function midnight(daysBack = 0) {
  const d = new Date();
  d.setHours(0, 0, 0, 0);
  d.setDate(d.getDate() - daysBack);
  return d.toISOString();
}

// reasons says why a hit was found, in a few words each.
export function reasons(why) {
  if (!why) return [];
  const out = [];
  if (why.lexical_rank) out.push(`words: rank ${why.lexical_rank}, BM25 ${why.lexical?.toFixed(1) ?? "0"}`);
  if (why.terms?.length) out.push(`shares ${why.terms.slice(0, 6).join(", ")}`);
  if (why.vector_rank) out.push(`meaning: rank ${why.vector_rank}, cosine ${why.cosine?.toFixed(2) ?? "0"}`);
  if (why.token_match) out.push(`tokens ${why.token_match.toFixed(2)}`);
  if (why.entities?.length) out.push(`entity ${why.entities.join(", ")}`);
  if (why.linked_from) out.push(`linked from ${shown(why.linked_from)}`);
  if (why.recency) out.push(`recency ${why.recency.toFixed(2)}`);
  if (why.importance) out.push(`importance ${why.importance.toFixed(2)}`);
  return out.concat(why.notes || []);
}
