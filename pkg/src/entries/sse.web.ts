import "../load/web.js";

export * from "../sse.js";
