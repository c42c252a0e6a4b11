import "../testing/load.node.js";

export * from "../testing/index.js";
