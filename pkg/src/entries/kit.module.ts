import "../load/module.js";

export * from "../kit/index.js";
