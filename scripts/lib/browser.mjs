// The Chromium and chromedriver that tests use: where they are and how they are started.

import { existsSync } from "node:fs";
import { which } from "./env.mjs";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];
const macApps = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Path of a Chromium or Chrome: CHROME_BIN, PATH, the standard places of macOS; else undefined. */
export function findChromium() {
  const { CHROME_BIN } = process.env;
  if (CHROME_BIN) return existsSync(CHROME_BIN) ? CHROME_BIN : undefined;
  for (const name of names) {
    const file = which(name);
    if (file) return file;
  }
  return process.platform === "darwin" ? macApps.find((file) => existsSync(file)) : undefined;
}

/** Path of a chromedriver: CHROMEDRIVER or PATH; else undefined. */
export function findChromedriver() {
  const { CHROMEDRIVER } = process.env;
  if (CHROMEDRIVER) return existsSync(CHROMEDRIVER) ? CHROMEDRIVER : undefined;
  return which("chromedriver");
}

/**
 * Headless, without a GPU, and quiet: nothing of the browser's own goes to the network. No sandbox, because
 * Chromium refuses to start with one as root, which CI is; only pages of ours are opened.
 */
export const chromiumFlags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];
