// Run a child process: output streamed, captured or both, and nothing left behind when we are stopped.

import { spawn } from "node:child_process";

const live = new Set();
let listening = false;

/** Each child leads a process group of its own, so that its own children (rustc, browsers) end with it. */
function killGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended already.
  }
}

function stopOnSignals() {
  if (listening) return;
  listening = true;
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ]) {
    process.on(signal, () => {
      // Whoever has no child running handles the signal itself (the page server does).
      if (live.size === 0 && process.listenerCount(signal) > 1) return;
      for (const child of live) killGroup(child, "SIGTERM");
      process.exit(code);
    });
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {object} [options]
 * @param {string} [options.cwd]
 * @param {Record<string, string | undefined>} [options.env] the whole environment of the child
 * @param {boolean} [options.show] copy its output to ours as it comes
 * @param {(text: string) => void} [options.onOutput]
 * @param {number} [options.timeoutMs] after which its whole group is killed
 * @returns {Promise<{ code: number, output: string, timedOut: boolean }>} code 127 when there is no such command
 */
export function run(command, args, { cwd, env, show = false, onOutput, timeoutMs } = {}) {
  stopOnSignals();
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let timedOut = false;
    let timer;
    const finish = (code) => {
      clearTimeout(timer);
      if (live.delete(child)) killGroup(child, "SIGKILL");
      resolve({ code, output, timedOut });
    };
    const take = (stream) => (chunk) => {
      output += chunk;
      if (show) stream.write(chunk);
      onOutput?.(chunk);
    };
    child.stdout.setEncoding("utf8").on("data", take(process.stdout));
    child.stderr.setEncoding("utf8").on("data", take(process.stderr));
    child.on("error", (error) => {
      output += `${command}: ${error.message}\n`;
      finish(127);
    });
    if (child.pid === undefined) return;
    live.add(child);
    if (timeoutMs) {
      timer = setTimeout(() => {
        timedOut = true;
        killGroup(child, "SIGKILL");
      }, timeoutMs);
    }
    // What it left running would hold the pipes open: the group is ended on "exit", not on "close".
    child.on("exit", () => killGroup(child, "SIGTERM"));
    child.on("close", (code, signal) => finish(code ?? (signal === "SIGKILL" ? 137 : 143)));
  });
}

/** The first line a command prints, or undefined when it fails or does not exist. */
export async function firstLine(command, args, options) {
  const { code, output } = await run(command, args, options);
  return code === 0 ? output.split("\n")[0].trim() : undefined;
}

/** A command failed: its message is for people, and no stack is of use. */
export class Failed extends Error {}

/** Run and throw with the beginning and the end of its output when it fails. */
export async function must(command, args, options) {
  const result = await run(command, args, options);
  if (result.code !== 0) {
    const lines = result.output.trimEnd().split("\n");
    // npm says what is wrong first, compilers last.
    if (lines.length > 40) lines.splice(15, lines.length - 40, "[…]");
    const said = options?.show ? "" : `\n${lines.join("\n")}`;
    throw new Failed(`${command} ${args.slice(0, 3).join(" ")} ended with code ${result.code}${said}`);
  }
  return result.output;
}
