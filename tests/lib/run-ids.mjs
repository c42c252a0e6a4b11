// The run that run-service.mjs serves: what both its server and a page need to know.

export const agentId = "bc-00000000-0000-4000-8000-000000000001";
export const runId = "run-00000000-0000-4000-8000-000000000002";

/** The number in a message that `frames` made. */
export const textOf = (message) => Number(message.message.content[0].text);
