import "../load/module.js";

export * from "../index.js";
