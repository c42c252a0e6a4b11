// What may be installed on this machine, and by which command.

import { firstLine, must, run } from "./exec.mjs";
import { childEnv, which } from "./env.mjs";

const isRoot = process.getuid?.() === 0;

/** Whether Debian packages can be installed without asking anyone. */
export async function canApt() {
  if (!which("apt-get")) return false;
  if (isRoot) return true;
  return (await run("sudo", ["-n", "true"])).code === 0;
}

export async function aptInstall(packages) {
  const [command, ...prefix] = isRoot ? ["env"] : ["sudo", "-n", "env"];
  const apt = async (...args) => {
    // The lock is waited for: a fresh machine may be updating itself just now.
    const all = [
      "DEBIAN_FRONTEND=noninteractive",
      "apt-get",
      "-qq",
      "-o",
      "DPkg::Lock::Timeout=300",
      ...args,
    ];
    // Killed half-way, dpkg would leave packages that need repair by hand. So it goes on alone when we are
    // stopped, and the next run waits for its lock.
    await must(command, [...prefix, ...all], { env: childEnv(), outlivesUs: true });
  };
  await apt("update");
  await apt("-y", "install", "--no-install-recommends", ...packages);
}

/** The line shown for a missing thing: what it is and the command that installs it. */
export function missingLine(what, { apt, mac, other }) {
  let command = other;
  if (which("apt-get")) command = `sudo apt-get install ${apt.join(" ")}`;
  else if (process.platform === "darwin") command = mac;
  return `missing: ${what} — ${command}`;
}

/** Version of the Rust compiler children get, such as `1.95.0`. */
export async function rustVersion() {
  return (await firstLine("rustc", ["--version"], { env: childEnv() }))?.split(" ")[1]?.split("-")[0];
}
