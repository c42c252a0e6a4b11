// Before the first paint: the theme that was chosen here, if one was.
try {
  const theme = localStorage.getItem("runwire:theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's theme.
}
