// The browsers and the chromedriver that tests use: where they are and how they are started.

import { existsSync } from "node:fs";
import { which } from "./env.mjs";

/** Those that pages are tested in. */
export const browsers = ["chromium", "firefox"];

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

/** Path of a Firefox: FIREFOX_BIN, PATH, the standard place of macOS; else undefined. */
export function findFirefox() {
  const { FIREFOX_BIN } = process.env;
  if (FIREFOX_BIN) return existsSync(FIREFOX_BIN) ? FIREFOX_BIN : undefined;
  const file = which("firefox-esr") ?? which("firefox");
  if (file) return file;
  const app = "/Applications/Firefox.app/Contents/MacOS/firefox";
  return process.platform === "darwin" && existsSync(app) ? app : undefined;
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
