import {
  decodeAccessToken,
  decodeHeader,
  encodeHeader,
  X402_HEADERS,
} from "@turnpike/payments/protocol";
import {
  type BrokenAgent,
  definitionWith,
  edits,
  type Loose,
  onPath,
  reEnvelope,
  withHeader,
  without,
} from "./agent-changes.ts";

const { PAYMENT_REQUIRED, PAYMENT_SIGNATURE } = X402_HEADERS;

/** Agents that are wrong before anything is paid: each fails its check, and no other. */
export const UNPAID_AGENTS: readonly BrokenAgent[] = [
  ...[
    offers("D04", "version 1", (one) => Object.assign(one, { x402Version: 1 })),
    offers("D05", "another URL", (one) => {
      one.resource.url = "http://elsewhere.example/ask/1";
    }),
    offers("D06", "httpVerb in resource", (one) => {
      one.resource.httpVerb = "POST";
    }),
    offers("D07", "another chain", (one) => {
      for (const offer of one.accepts) offer.network = "eip155:1";
    }),
    offers("D08", "a plan that does not exist", (one) => {
      for (const offer of one.accepts) {
        offer.planId = "424242";
        offer.extra.planId = "424242";
      }
    }),
    offers("D09", "an agent that does not exist", (one) => {
      for (const offer of one.accepts) offer.extra.agentId = "777777";
    }),
    offers("D10", "extensions as a list", (one) => Object.assign(one, { extensions: [] })),
    offers("D11", "501 characters", (one) => {
      one.resource.description = "x".repeat(501);
    }),
    offers("D12", "a header of 9 KiB", (one) => Object.assign(one, { padding: "y".repeat(9_000) })),
    offers("D16", "an inside host", (one) => {
      one.resource.description = "ask http://10.0.0.4/";
    }),
  ],
  { id: "D02", what: "answers for free", make: () => () => Response.json({ free: true }) },
  {
    id: "D03",
    what: "402 without a header",
    make: edits((answer) => without(answer, PAYMENT_REQUIRED)),
  },
  {
    id: "D13",
    what: "lets caches keep the 402",
    make: edits((answer) => withHeader(answer, "cache-control", "public, max-age=60")),
  },
  {
    id: "D14",
    what: "lets pages call it without the token",
    make: (bench) => {
      const sound = bench.gated();
      const headers = { "access-control-allow-origin": "*" };
      return (request) =>
        request.method === "OPTIONS"
          ? new Response(null, { status: 204, headers })
          : sound(request);
    },
  },
  {
    id: "D15",
    what: "shows browsers a page",
    make: (bench) => {
      const sound = bench.gated();
      return (request) =>
        request.headers.get("accept")?.includes("text/html")
          ? new Response("<p>Pay</p>", { status: 402, headers: { "cache-control": "no-store" } })
          : sound(request);
    },
  },
  {
    id: "D17",
    what: "closes its open endpoint",
    make: onPath("/health", () => new Response("", { status: 401 })),
  },
  {
    id: "D18",
    what: "gates every path",
    make: onPath("/turnpike-no-such-path-7f3a", () => new Response("pay", { status: 402 })),
  },
  {
    id: "D19",
    what: "knows one value of its placeholder",
    make: onPath("/ask/another-2", () => new Response("", { status: 404 })),
  },
  {
    id: "D20",
    what: "another offer each time",
    make: (bench) => {
      let asked = 0;
      return edits((answer) =>
        reEnvelope(answer, (one) => {
          asked += 1;
          one.resource.description = `Offer ${asked}`;
        }),
      )(bench);
    },
  },
  {
    id: "D21",
    what: "slow 402 responses",
    make: (bench) => {
      const sound = bench.gated();
      let asked = 0;
      return (request) => {
        asked += request.method === "POST" ? 1 : 0;
        bench.takeMs(asked === 6 ? 700 : 1);
        return sound(request);
      };
    },
  },
  {
    id: "D22",
    what: "its definition is a page",
    make: onPath("/definition.json", () => new Response("<p>Hi</p>")),
  },
  {
    id: "D23",
    what: "describes a route without a price",
    make: definitionWith((paths) => {
      paths["/new"] = { post: { responses: { 200: { description: "" } } } };
    }),
  },
  {
    id: "D24",
    what: "streams",
    make: definitionWith((paths) => {
      const post = (paths["/ask/{id}"] as { post: Record<string, unknown> }).post;
      post.responses = { 200: { description: "", content: { "text/event-stream": {} } } };
    }),
  },
  {
    id: "D30",
    what: "breaks on malformed tokens",
    make: (bench) => {
      const sound = bench.gated();
      return (request) => {
        const token = request.headers.get(PAYMENT_SIGNATURE);
        return token && !decodeAccessToken(token)
          ? new Response("", { status: 500 })
          : sound(request);
      };
    },
  },
  {
    id: "D31",
    what: "takes whatever looks like a token",
    make: (bench) => {
      const sound = bench.gated();
      return (request) =>
        decodeAccessToken(request.headers.get(PAYMENT_SIGNATURE))
          ? Response.json({ got: "for nothing" })
          : sound(request);
    },
  },
  {
    id: "D32",
    what: "says the same to every refusal",
    make: edits(async (answer) => {
      const envelope = decodeHeader(answer.headers.get(PAYMENT_REQUIRED) ?? "") as Loose;
      delete envelope.error;
      const headers = new Headers(answer.headers);
      headers.set(PAYMENT_REQUIRED, encodeHeader(envelope));
      return new Response("Payment Required", { status: 402, headers });
    }),
  },
];

function offers(id: string, what: string, change: (envelope: Loose) => void): BrokenAgent {
  return { id, what, make: edits((answer) => reEnvelope(answer, change)) };
}
