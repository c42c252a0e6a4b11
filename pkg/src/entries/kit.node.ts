import "../load/node.js";

export * from "../kit/index.js";
