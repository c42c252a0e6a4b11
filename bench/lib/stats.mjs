// What is made of several measurements of one thing.

/** The middle of `values`; of an even number of them, the upper of the two. */
export function median(values) {
  if (values.length === 0) throw new Error("no values");
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

export function geometricMean(values) {
  if (values.length === 0) throw new Error("no values");
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
