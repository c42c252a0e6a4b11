// Run a child process: output streamed, captured or both, and nothing left behind when we are stopped.

import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const live = new Set();
let listening = false;
let stopping = false;

/** Each child leads a process group of its own, so that its own children (rustc, browsers) end with it. */
function killGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended already.
  }
}

/** How long a child may take to put things in order before it is killed. */
const graceMs = 3000;

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
      stopping = true;
      for (const child of live) killGroup(child, "SIGTERM");
      // We end after them: a second start would otherwise meet the first one's installers at work.
      const end = () => process.exit(code);
      const last = setTimeout(() => {
        for (const child of live) killGroup(child, "SIGKILL");
        setTimeout(end, 200);
      }, graceMs);
      const check = setInterval(() => {
        if (live.size > 0) return;
        clearInterval(check);
        clearTimeout(last);
        end();
      }, 20);
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
 * @param {boolean} [options.outlivesUs] when we are stopped it goes on; its output comes at the end
 * @returns {Promise<{ code: number, output: string, timedOut: boolean }>} code 127 when there is no such command
 */
export function run(command, args, { cwd, env, show = false, onOutput, timeoutMs, outlivesUs = false } = {}) {
  stopOnSignals();
  return new Promise((resolve) => {
    // A pipe to us would break, and its writer with it, when we end first.
    const log = outlivesUs ? openLog() : undefined;
    const stdio = log ? ["ignore", log.fd, log.fd] : ["ignore", "pipe", "pipe"];
    const child = spawn(command, args, { cwd, env, detached: true, stdio });
    let output = "";
    let timedOut = false;
    let timer;
    const finish = (code) => {
      clearTimeout(timer);
      output += log?.take() ?? "";
      if (live.delete(child)) killGroup(child, "SIGKILL");
      // Whoever waits is not to go on: the process ends in a moment.
      if (!stopping) resolve({ code, output, timedOut });
    };
    const take = (stream) => (chunk) => {
      output += chunk;
      if (show) stream.write(chunk);
      onOutput?.(chunk);
    };
    child.stdout?.setEncoding("utf8").on("data", take(process.stdout));
    child.stderr?.setEncoding("utf8").on("data", take(process.stderr));
    child.on("error", (error) => {
      output += `${command}: ${error.message}\n`;
      finish(127);
    });
    if (child.pid === undefined) return;
    child.on("close", (code, signal) => finish(code ?? (signal === "SIGKILL" ? 137 : 143)));
    if (outlivesUs) return;
    live.add(child);
    if (timeoutMs) {
      timer = setTimeout(() => {
        timedOut = true;
        killGroup(child, "SIGKILL");
      }, timeoutMs);
    }
    // What it left running would hold the pipes open: the group is ended on "exit", not on "close".
    child.on("exit", () => killGroup(child, "SIGTERM"));
  });
}

function openLog() {
  const file = join(tmpdir(), `runwire-${process.pid}-${Date.now()}.log`);
  const fd = openSync(file, "w");
  return {
    fd,
    take() {
      closeSync(fd);
      const text = readFileSync(file, "utf8");
      rmSync(file);
      return text;
    },
  };
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
