// What is being done, and how long that usually takes.

const tty = process.stdout.isTTY === true && !process.env.NO_COLOR;
const paint = (code) => (text) => (tty ? `\x1b[${code}m${text}\x1b[0m` : text);
export const dim = paint(2);
export const bold = paint(1);
export const red = paint(31);
export const green = paint(32);

export function say(text) {
  process.stdout.write(`${text}\n`);
}

export function warn(text) {
  process.stderr.write(`${text}\n`);
}

export function seconds(ms) {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 90_000) return `${Math.round(ms / 1000)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/**
 * Run `work`, saying when it starts, how long it usually takes, that it still goes on, and when it is done.
 * A long silence looks like a hang, above all in CI's log.
 */
export async function task(title, usually, work) {
  const start = Date.now();
  say(`${bold("·")} ${title} ${dim(`(usually ${usually})`)}`);
  const alive = setInterval(() => say(dim(`  ${title}: ${seconds(Date.now() - start)} so far`)), 30_000);
  try {
    const result = await work();
    say(`${green("✓")} ${title} ${dim(seconds(Date.now() - start))}`);
    return result;
  } catch (error) {
    say(`${red("✗")} ${title} ${dim(seconds(Date.now() - start))}`);
    throw error;
  } finally {
    clearInterval(alive);
  }
}
