import "../load/module.js";

export * from "../sse.js";
