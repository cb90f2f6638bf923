// Drives `legwork acp` with the client library of the protocol's authors through a whole session,
// against a scripted model of its own: node session.mjs PROGRAM FOLDER
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const [program, folder] = process.argv.slice(2);
const [home, work] = [join(folder, "home"), join(folder, "work")];
rmSync(folder, { recursive: true, force: true });
[home, work].forEach((path) => mkdirSync(path, { recursive: true }));

const text = (content) => ({ content });
const call = (name, args) => ({
  tool_calls: [{ index: 0, id: `id-${name}`, type: "function", function: { name, arguments: JSON.stringify(args) } }],
});
// What the model answers, one request after the other; "hang" is answered by nobody.
const script = [
  call("write", { path: "a.txt", content: "one\n" }),
  text("Written."),
  call("write", { path: "b.txt", content: "two\n" }),
  text("Not written."),
  "hang",
  text("Fresh."),
  text("As before."),
];
const asked = [];
let hangs;
const hung = new Promise((resolve) => (hangs = resolve));
const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  if (request.method !== "POST") return response.writeHead(404).end();
  asked.push(body);
  const delta = script.shift();
  if (delta === "hang") return hangs();
  const choice = (delta, finish_reason = null) => ({ index: 0, delta, finish_reason });
  const chunk = (choices) =>
    response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "scripted", choices })}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  chunk([choice(delta)]);
  chunk([choice({}, delta.tool_calls ? "tool_calls" : "stop")]);
  response.end("data: [DONE]\n\n");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");

/** Starts the command, and does something as its editor; gives what is done then. */
async function edits(choices, does) {
  const child = spawn(program, ["acp", "--approve", "writes"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      LEGWORK_MODEL: "test:scripted",
      OPENAI_BASE_URL: `http://127.0.0.1:${server.address().port}/v1`,
    },
  });
  const exited = once(child, "exit");
  const updates = [];
  const app = client({ name: "session" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      const kind = choices.shift();
      const option = params.options.find((option) => option.kind === kind);
      return { outcome: { outcome: "selected", optionId: option.optionId } };
    });
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  const result = await app.connectWith(stream, async (agent) => {
    const told = await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
    assert.equal(told.protocolVersion, PROTOCOL_VERSION);
    return does(agent, updates, child);
  });
  child.stdin.end();
  await exited;
  return result;
}

const says = (updates, kind = "agent_message_chunk") =>
  updates.filter((update) => update.sessionUpdate === kind).map((update) => update.content.text).join("");
const last = (updates, kind) => updates.findLast((update) => update.sessionUpdate === kind);
const prompts = (agent, sessionId, words) =>
  agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: words }] });

const sessionId = await edits(["allow_once", "reject_once"], async (agent, updates, child) => {
  const { sessionId, modes } = await agent.request(methods.agent.session.new, { cwd: work, mcpServers: [] });
  assert.equal(modes.currentModeId, "writes");

  assert.equal((await prompts(agent, sessionId, "Write a.txt")).stopReason, "end_turn");
  assert.equal(readFileSync(join(work, "a.txt"), "utf8"), "one\n");
  const ended = last(updates, "tool_call_update");
  assert.equal(ended.status, "completed");
  assert.deepEqual(ended.content[0], { type: "diff", path: join(work, "a.txt"), oldText: null, newText: "one\n" });
  console.log("ok: a call is allowed, and shown with its diff");

  assert.equal((await prompts(agent, sessionId, "Write b.txt")).stopReason, "end_turn");
  assert.ok(!existsSync(join(work, "b.txt")));
  assert.equal(last(updates, "tool_call_update").status, "failed");
  assert.ok(says(updates).endsWith("Not written."));
  console.log("ok: a call is rejected, and does not run");

  const turn = prompts(agent, sessionId, "Think");
  await hung;
  await agent.notify(methods.agent.session.cancel, { sessionId });
  assert.equal((await turn).stopReason, "cancelled");
  assert.equal((await prompts(agent, sessionId, "Go on")).stopReason, "end_turn");
  assert.ok(says(updates).endsWith("Fresh."));
  console.log("ok: a turn is cancelled, and the session goes on");
  child.kill("SIGKILL");
  return sessionId;
});

await edits([], async (agent, updates) => {
  const { sessions } = await agent.request(methods.agent.session.list, { cwd: work });
  assert.deepEqual(sessions.map((session) => session.sessionId), [sessionId]);
  await agent.request(methods.agent.session.load, { sessionId, cwd: work, mcpServers: [] });
  assert.equal(says(updates, "user_message_chunk"), "Write a.txtWrite b.txtThinkGo on");
  assert.equal(updates.filter((update) => update.sessionUpdate === "tool_call").length, 2);
  assert.equal((await prompts(agent, sessionId, "And now?")).stopReason, "end_turn");
  assert.ok(says(updates).endsWith("As before."));
  assert.ok(asked.at(-1).includes("Write a.txt"));
  console.log("ok: another process loads the session after the first was killed");
});
server.closeAllConnections();
server.close();
