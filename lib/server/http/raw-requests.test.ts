import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeServer, createHttpServer, listen } from "./http-server.ts";

/** What reached the service, by path. */
const served: string[] = [];
const door = {
  fetch: async (request: Request) => {
    await request.text();
    served.push(new URL(request.url).pathname);
    return new Response("served");
  },
};
const server = createHttpServer({ api: door, webhooks: door }, null);
const withPages = createHttpServer({ api: door, webhooks: door }, ({ url }, response) => {
  response.end(`page ${url}`);
});

beforeAll(() => Promise.all([server, withPages].map((each) => listen(each, 0, "127.0.0.1"))));
afterAll(() => Promise.all([server, withPages].map((each) => closeServer(each))));

/** What the server answers to these bytes, until it closes the connection or says nothing more. */
function send(bytes: string, to = server): Promise<string> {
  const address = to.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return new Promise((resolve) => {
    let said = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(bytes, "latin1"));
    socket.on("data", (data) => {
      said += data;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(said));
  });
}

const HIDDEN = "GET /api/v1/hidden HTTP/1.1\r\nHost: a\r\n\r\n";
const post = (headers: string[], body: string) =>
  ["POST /api/v1/asked HTTP/1.1", "Host: a", ...headers, "", body].join("\r\n");

const AMBIGUOUS: [string, string][] = [
  [
    "a length and chunks",
    post(["Content-Length: 6", "Transfer-Encoding: chunked"], `0\r\n\r\n${HIDDEN}`),
  ],
  [
    "chunks and a length",
    post(["Transfer-Encoding: chunked", "Content-Length: 6"], `0\r\n\r\n${HIDDEN}`),
  ],
  ["two lengths", post(["Content-Length: 0", `Content-Length: ${HIDDEN.length}`], HIDDEN)],
  ["a list of lengths", post([`Content-Length: 0, ${HIDDEN.length}`], HIDDEN)],
  ["a negative length", post(["Content-Length: -1"], HIDDEN)],
  ["a length with a sign", post(["Content-Length: +0"], HIDDEN)],
  ["a length in hex", post(["Content-Length: 0x0"], HIDDEN)],
  ["a space before the colon", post(["Transfer-Encoding : chunked"], `0\r\n\r\n${HIDDEN}`)],
  [
    "chunks that are not the last coding",
    post(["Transfer-Encoding: chunked, identity"], `0\r\n\r\n${HIDDEN}`),
  ],
  ["a coding that is not known", post(["Transfer-Encoding: xchunked"], `0\r\n\r\n${HIDDEN}`)],
  ["a folded header", post(["Transfer-Encoding:", " chunked"], `0\r\n\r\n${HIDDEN}`)],
  [
    "a bare line feed in a header",
    `POST /api/v1/asked HTTP/1.1\r\nHost: a\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  ],
  ["a bare carriage return in a header", post(["X: a\rContent-Length: 5"], HIDDEN)],
  ["a NUL in a header", post(["X: a\0b"], HIDDEN)],
  ["a chunk size with a sign", post(["Transfer-Encoding: chunked"], `+0\r\n\r\n${HIDDEN}`)],
  ["a chunk size in two words", post(["Transfer-Encoding: chunked"], `0 0\r\n\r\n${HIDDEN}`)],
];

test.each(AMBIGUOUS)(
  "T23: a request with %s is 400, and nothing behind it is served",
  async (_what, bytes) => {
    served.length = 0;
    const said = await send(bytes);
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
    expect(said.match(/^HTTP\/1\.1/gm)).toHaveLength(1);
    expect(served).not.toContain("/api/v1/hidden");
  },
);

test("T23: two requests that are well-formed are two", async () => {
  served.length = 0;
  await send(post(["Content-Length: 2"], "{}") + HIDDEN);
  expect(served).toEqual(["/api/v1/asked", "/api/v1/hidden"]);
});

test.each(["OPTIONS *", "TRACE /", "TRACE /api/v1/asked"])(
  "T23: %s reaches neither pages nor API, and is 405",
  async (asked) => {
    served.length = 0;
    const said = await send(`${asked} HTTP/1.1\r\nHost: a\r\n\r\n`, withPages);
    expect(said).toMatch(/^HTTP\/1\.1 405 /);
    expect(said).toMatch(/^allow: GET/im);
    expect(said).toContain("method_not_allowed");
    expect(served).toEqual([]);
  },
);

test.each([
  ["http://turnpike.example/api/v1/asked?q=1", "served"],
  ["HTTPS://turnpike.example:443/api/v1/asked", "served"],
  ["http://turnpike.example/discovery/resources", "served"],
  ["http://turnpike.example/plans?page=2", "page /plans?page=2"],
  ["http://turnpike.example?q=1", "page /?q=1"],
  [
    "/plans?next=http://other.example/api/v1/asked",
    "page /plans?next=http://other.example/api/v1/asked",
  ],
])("the target %s, as proxies send it, is answered as its path", async (target, answer) => {
  const said = await send(`GET ${target} HTTP/1.1\r\nHost: turnpike.example\r\n\r\n`, withPages);
  expect(said).toMatch(/^HTTP\/1\.1 200 /);
  expect(said).toContain(answer);
});
