import "../load/web.js";

export * from "../kit/index.js";
