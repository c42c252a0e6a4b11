// The engine's one instance: made on first use, retired when it traps.

import { EngineCrashedError, NotReadyError } from "../errors/engine.js";
import { createGlue, type Glue } from "./glue.js";
import { EngineHost } from "./host.js";
import { EngineMemory } from "./memory.js";
import { compileInput, type EngineInput, engineSource, type WasmModule } from "./source.js";

/** An instance of the engine. */
export interface Engine extends Glue {
  readonly memory: EngineMemory;
  readonly host: EngineHost;
  /** Set when a trap has made this instance unusable. */
  readonly crash: EngineCrashedError | undefined;
  /** Calls `listener` when the engine traps; gives the function that takes it back. */
  onCrash(listener: (error: EngineCrashedError) => void): () => void;
}

let compiled: WasmModule | undefined;
let compiling: Promise<void> | undefined;
let current: Engine | undefined;

/** Takes the engine from elsewhere from now on. */
export async function load(input: EngineInput): Promise<void> {
  compiled = await compileInput(input);
  current = undefined;
}

/** The engine, loaded if need be. */
export async function ready(): Promise<Engine> {
  if (!compiled) {
    const source = requireSource();
    compiling ??= source.compile().then(
      (module) => {
        // What `init` was given meanwhile wins.
        compiled ??= module;
      },
      (error: unknown) => {
        // The next call tries again.
        compiling = undefined;
        throw error;
      },
    );
    await compiling;
  }
  return engine();
}

/** Whether {@link engine} gives the engine at once. */
export function isReady(): boolean {
  return current !== undefined || compiled !== undefined || engineSource()?.compileSync !== undefined;
}

/** The engine at once, or a `NotReadyError`. */
export function engine(): Engine {
  if (current) return current;
  compiled ??= engineSource()?.compileSync?.();
  if (!compiled) throw new NotReadyError();
  current = instantiate(compiled);
  return current;
}

function requireSource() {
  const source = engineSource();
  if (!source) throw new NotReadyError("This entry loads nothing by itself: await init(input) first");
  return source;
}

function instantiate(module: WasmModule): Engine {
  const listeners = new Set<(error: EngineCrashedError) => void>();
  let crash: EngineCrashedError | undefined;

  function retire(trap: WebAssembly.RuntimeError): void {
    crash = new EngineCrashedError(trap);
    if (current === made) current = undefined;
    for (const listener of [...listeners]) listener(crash);
    listeners.clear();
  }

  // Every way into the instance passes here, so no trap goes unseen. Six is the most that one takes;
  // a list of them would cost as much as a short chunk.
  type Exported = (...args: unknown[]) => unknown;
  function guarded(exported: Exported): Exported {
    return (a, b, c, d, e, f) => {
      if (crash) throw crash;
      try {
        return exported(a, b, c, d, e, f);
      } catch (error) {
        if (!(error instanceof WebAssembly.RuntimeError)) throw error;
        if (!crash) retire(error);
        throw crash;
      }
    };
  }

  let memory: WebAssembly.Memory | undefined;

  const host = new EngineHost();
  const glue = createGlue((imports) => {
    const { exports } = new WebAssembly.Instance(module, imports);
    return Object.fromEntries(
      Object.entries(exports).map(([name, value]) => {
        // By its kind: the build shortens the names.
        if (value instanceof WebAssembly.Memory) memory = value;
        return [name, typeof value === "function" ? guarded(value as Exported) : value];
      }),
    );
  }, host);
  const engineMemory = new EngineMemory(memory!);
  host.memory = engineMemory;
  const made: Engine = {
    ...glue,
    memory: engineMemory,
    host,
    get crash() {
      return crash;
    },
    onCrash(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return made;
}
