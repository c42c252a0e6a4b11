// Whether two lists of messages are the same plain objects: keys in the same order, no getters, no hidden state.

/** Throws with the place of the first difference. */
export function assertSameMessages(actual, expected) {
  const length = Math.min(actual.length, expected.length);
  for (let index = 0; index < length; index++) compare(actual[index], expected[index], `message ${index}`);
  if (actual.length !== expected.length) {
    throw new Error(`${actual.length} messages instead of ${expected.length}`);
  }
}

function compare(actual, expected, place) {
  if (typeof expected !== "object" || expected === null) {
    if (!Object.is(actual, expected))
      throw new Error(`${place}: ${show(actual)} instead of ${show(expected)}`);
    return;
  }
  if (typeof actual !== "object" || actual === null) {
    throw new Error(`${place}: ${show(actual)} instead of ${show(expected)}`);
  }
  if (Object.getPrototypeOf(actual) !== Object.getPrototypeOf(expected)) {
    throw new Error(`${place}: not a plain object or array`);
  }
  const keys = Reflect.ownKeys(actual);
  const wanted = Reflect.ownKeys(expected);
  if (keys.length !== wanted.length || keys.some((key, index) => key !== wanted[index])) {
    throw new Error(`${place}: keys ${keys.map(String)} instead of ${wanted.map(String)}`);
  }
  for (const key of wanted) {
    const property = Object.getOwnPropertyDescriptor(actual, key);
    if (property.get || property.set) throw new Error(`${place}.${String(key)}: a getter instead of a value`);
    compare(property.value, expected[key], `${place}.${String(key)}`);
  }
}

function show(value) {
  return String(JSON.stringify(value)).slice(0, 80);
}
