import "../load/web.js";

export * from "../index.js";
