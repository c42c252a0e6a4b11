// The figures for people: tables for the terminal, and the same in Markdown for the README.

import { barOf, meets } from "./figures.mjs";

const titles = {
  decode: "Decode to typed messages, against eventsource-parser 4 + JSON.parse (times faster)",
  session: "Decode to session events, against eventsource-parser 4 + JSON.parse + a switch (times faster)",
  iterate: "Delivered by `for await`, against the parser's stream read with a reader (times faster)",
  reader: "Delivered through `getReader()`, against the same (times faster)",
  loopback:
    "A run over loopback HTTP: CPU time above draining the body, and the process's most memory (ours by the peer's)",
  memory: "Memory at event 1,000,000 relative to event 100,000 of one stream",
  retained: "Bytes a kept message retains, the peer's relative to ours (1 is equal, more is less held)",
  large:
    "One event of 64 MiB: time relative to 32 MiB; most WebAssembly memory, and JS heap left, relative to the event",
  size: "What a page loads, in bytes",
};

const columnNames = { 200: "200 B", 1024: "1 KiB", 16384: "16 KiB", 65536: "64 KiB" };

/** One table for each kind of figure: a row an engine (or a page), a column for what was measured, then the bar. */
export function tablesOf(figures) {
  const tables = [];
  for (const [name, title] of Object.entries(titles)) {
    const keys = Object.keys(figures).filter((key) => key.startsWith(`${name}.`));
    if (keys.length === 0) continue;
    const parts = keys.map((key) => {
      const [, row, ...what] = key.split(".");
      return { key, row, column: what.join(" ") };
    });
    const columns = [...new Set(parts.map(({ column }) => column))];
    const rows = [...new Set(parts.map(({ row }) => row))].map((row) => {
      const cell = (column) => parts.find((part) => part.row === row && part.column === column)?.key;
      const cells = columns.map((column) => show(cell(column), figures));
      const bars = columns.map((column) => barText(cell(column))).filter((text) => text !== "");
      return [row, ...cells, [...new Set(bars)].join(", ")];
    });
    tables.push({
      title,
      head: ["", ...columns.map((column) => columnNames[column] ?? column), "bar"],
      rows,
    });
  }
  return tables;
}

function show(key, figures) {
  if (key === undefined) return "–";
  const value = figures[key];
  const text = key.startsWith("size.") ? String(value) : value.toFixed(2);
  return meets(key, value) ? text : `${text} ✗`;
}

function barText(key) {
  const { least, most } = (key && barOf(key)) ?? {};
  if (least !== undefined) return `≥ ${least}`;
  return most === undefined ? "" : `≤ ${most}`;
}

export function terminal(tables) {
  return tables
    .map(({ title, head, rows }) => {
      const widths = head.map((_, column) =>
        Math.max(...[head, ...rows].map((row) => [...row[column]].length)),
      );
      const line = (row) =>
        row
          .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
          .join("  ");
      return [title, line(head), ...rows.map(line)].join("\n");
    })
    .join("\n\n");
}

export function markdown(tables) {
  return tables
    .map(({ title, head, rows }) => {
      const line = (cells) => `| ${cells.join(" | ")} |`;
      const rule = line(head.map((_, column) => (column === 0 ? "---" : "--:")));
      return [`**${title}**`, "", line(head), rule, ...rows.map(line)].join("\n");
    })
    .join("\n\n");
}

/** What a row of a case measured, in the units it was measured in: the figures are made of these. */
export function rowText(engine, { name, size, ...values }) {
  const shown = Object.entries(values).map(([key, value]) => {
    if (typeof value === "object") {
      const { events, heap, wasm } = value;
      return `${key} at event ${events}: heap ${mib(heap)}, wasm ${mib(wasm)}`;
    }
    if (name === "loopbackPeak") return `${key} ${mib(value)}`;
    if (name === "retained") return `${key} ${value.toFixed(1)} B`;
    return key === "peak" || key === "left" ? `${key} ${value.toFixed(3)}` : `${key} ${value.toFixed(1)} ms`;
  });
  return `${[engine, name, columnNames[size]].filter(Boolean).join(" ")}: ${shown.join(", ")}`;
}

function mib(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(2)} MiB`;
}
