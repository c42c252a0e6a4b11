// Loaded before a program: records every call of what an import must not use, then lets it through.

const calls = [];
globalThis.callsAtImport = calls;

const watch = (object, name) => {
  const original = object[name];
  object[name] = function (...args) {
    calls.push(name);
    return Reflect.apply(original, this, args);
  };
};
for (const name of ["fetch", "setTimeout", "setInterval", "setImmediate", "requestAnimationFrame"]) {
  if (globalThis[name]) watch(globalThis, name);
}
watch(Math, "random");
watch(Date, "now");
watch(performance, "now");
watch(crypto, "getRandomValues");
watch(crypto, "randomUUID");
