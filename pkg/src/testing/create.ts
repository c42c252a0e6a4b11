// createSimulator: options in, fetch and controls out.

import { Service } from "./core.js";
import type { Faults } from "./faults.js";
import { createFetch } from "./fetch.js";
import type { RunOptions, ServiceOptions, Simulator, SimulatorOptions } from "./simulator-types.js";

/**
 * The Cloud Agents API without a network: its `fetch` is a plain fetch handler, to be given to a client as its `fetch`
 * option or to be served by `runwire/testing/node`.
 *
 * Returns at once; the first call loads the WebAssembly.
 *
 * @example
 * ```ts
 * const simulator = createSimulator({ pace: "demand" });
 * const { agentId, runId } = await simulator.startRun();
 * const run = await Agent.getRun(runId, { runtime: "cloud", agentId, apiKey: "any", fetch: simulator.fetch });
 * ```
 */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const { seed, scenario, pace, faults, basePath = "", logLimit, clock, ...settings } = options;
  const config = { seed, plan: plan({ scenario, pace }), service: settings, knobs: clean(faults), logLimit };
  const service = new Service(JSON.stringify(config), clock);
  const command = <T>(name: string, fields?: object) => service.command<T>(name, fields);

  return {
    fetch: createFetch(service, basePath),
    get openConnections() {
      return service.open;
    },
    ready: async () => void (await service.load()),

    startRun: (run = {}) => command("startRun", { plan: plan(run) }),
    planRuns: (...runs) => command("planRuns", { plans: runs.map(plan) }),
    cancelRun: (runId) => command("cancelRun", { runId }),
    runState: (runId) => command("runState", { runId }),
    forgetRun: (runId) => command("forgetRun", { runId }),

    setFaults: async (patch, scope = {}) => void (await command("setKnobs", { ...scope, patch })),
    addRule: async (rule) => {
      const number = await command<number>("addRule", { rule });
      return () => command("removeRule", { rule: number });
    },
    clearRules: () => command("clearRules"),
    setService: (patch) => command("setService", { patch }),
    setKeys: (...keys) => command("setService", { patch: { auth: { keys } } satisfies ServiceOptions }),
    cutConnections: (scope = {}) => command("cut", scope),
    holdConnections: (scope = {}) => command("hold", scope),

    requests: () => command("requests"),
    clearRequests: () => command("clearRequests"),
    counters: () => command("counters"),

    frames: (runId, range = {}) => command("frames", { runId, ...range }),
    expected: (runId) => command("expected", { runId }),
    expectedText: (runId) => command("expectedText", { runId }),
    expectedMessages: (runId) => command("expectedMessages", { runId }),
  };
}

function plan({ scenario, pace, shape, faults }: { [K in keyof RunOptions]: RunOptions[K] | undefined }) {
  return { scenario, pace, shape, knobs: faults };
}

/** Faults that start from the defaults have no use for `null`. */
function clean(faults: Faults | undefined): unknown {
  return JSON.parse(JSON.stringify(faults ?? {}), (_key, value) => value ?? undefined);
}
