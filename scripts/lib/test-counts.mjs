// Reads how many tests passed and failed out of what a runner printed.

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a colour
const colours = /\x1b\[[0-9;]*m/g;

const readers = {
  /** A check that either holds or does not. */
  check: (_, code) => ({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 }),
  /** cargo test and wasm-bindgen-test-runner: one line per test binary. */
  cargo: (text) =>
    add(text.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm), (m) => [m[1], m[2]]),
  /** node --test, whose totals come once, at the end. Cancelled tests have not passed. */
  node: (text) =>
    add(text.matchAll(/^ℹ (pass|fail|cancelled) (\d+)$/gm), ([, what, n]) =>
      what === "pass" ? [n, 0] : [0, n],
    ),
};

function add(matches, pair) {
  let passed = 0;
  let failed = 0;
  for (const match of matches) {
    const [p, f] = pair(match);
    passed += Number(p);
    failed += Number(f);
  }
  return { passed, failed };
}

/**
 * @param {"check" | "cargo" | "node"} kind
 * @param {{ code: number, output: string }} result
 */
export function readCounts(kind, { code, output }) {
  const counts = readers[kind](output.replace(colours, ""), code);
  // It did not compile, crashed, or its summary was not understood: never a success.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  if (code === 0 && counts.passed + counts.failed === 0) throw new Error("it ran no test");
  return counts;
}
