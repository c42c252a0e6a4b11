import "../testing/load.module.js";

export * from "../testing/index.js";
