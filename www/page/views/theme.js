// The button that goes through the themes: the system's, light, dark.

const KEY = "runwire:theme";
const themes = ["system", "light", "dark"];

/** @param {HTMLButtonElement} button */
export function setUpTheme(button) {
  const root = document.documentElement;
  let theme = root.dataset.theme ?? "system";
  const show = () => {
    button.textContent = `Theme: ${theme}`;
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    show();
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // It lasts until the page is left, then.
    }
  });
  show();
}
