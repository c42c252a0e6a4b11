import "../load/module.js";

export * from "../host/index.js";
