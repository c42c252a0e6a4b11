import "../load/node.js";

export * from "../sse.js";
