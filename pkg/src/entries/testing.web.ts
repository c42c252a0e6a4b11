import "../testing/load.web.js";

export * from "../testing/index.js";
