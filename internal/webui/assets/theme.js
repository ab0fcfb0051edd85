// Before the first paint: the theme that was chosen here, or that of the system.
const chosen = localStorage.getItem("codememory.theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
