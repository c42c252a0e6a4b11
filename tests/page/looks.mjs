// How the page looks: its themes, and whether all of it can be read.

import { textOf } from "./site.mjs";

/** By the page's own button: not every browser can be asked for a preference. */
export async function choose(page, theme) {
  while (!(await textOf(page, "#theme")).endsWith(theme)) await page.click("#theme");
}

/** In the page: which of these elements are too low for a thumb. */
export function lowOnes(all) {
  return all
    .filter((one) => one.checkVisibility())
    .map((one) => [one.textContent.slice(0, 20), one.getBoundingClientRect().height])
    .filter(([, height]) => height < 36);
}

/** In the page: the texts whose contrast with what is behind them is too low. */
export function faintText() {
  // A canvas turns every notation of a colour into its channels.
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", {
    willReadFrequently: true,
  });
  const channels = (...colors) => {
    context.clearRect(0, 0, 1, 1);
    for (const color of colors) {
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
    }
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const colors = [];
    for (let one = element; one; one = one.parentElement)
      colors.unshift(getComputedStyle(one).backgroundColor);
    return colors;
  };
  const faint = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    // What fades in and out is judged at its strongest, and what only screen readers get not at all.
    if (!own || !element.checkVisibility({ visibilityProperty: true }) || element.closest(".spoken, svg"))
      continue;
    const back = behind(element);
    const [light, dark] = [
      luminance(channels(...back)),
      luminance(channels(...back, getComputedStyle(element).color)),
    ]
      .sort((a, b) => b - a)
      .map((value) => value + 0.05);
    if (light / dark < 4.5)
      faint.push(`${element.className || element.id}: ${element.textContent.slice(0, 30)} ${light / dark}`);
  }
  return faint;
}
