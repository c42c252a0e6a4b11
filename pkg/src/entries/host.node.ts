import "../load/node.js";

export * from "../host/index.js";
