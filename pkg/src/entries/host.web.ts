import "../load/web.js";

export * from "../host/index.js";
