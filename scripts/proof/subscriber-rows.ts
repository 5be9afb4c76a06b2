import { atLeast, browser, find, type ProofRow, passedInBrowser, same } from "./figures.ts";

/** The promises to subscribers. */
export const SUBSCRIBER_ROWS: ProofRow[] = [
  {
    id: "first-call",
    area: "subscriber",
    show: "signed in, to the first settled call, by crypto and by card (A2)",
    bar: "at most 6 clicks and 60 s",
    command: browser("e2e/subscriber.spec.ts", "-g", "at most six clicks and a minute"),
    figure: passedInBrowser,
  },
  {
    id: "mint",
    area: "subscriber",
    show: "a token from a subscription (A5)",
    bar: "2 clicks; masked, stored nowhere, in no URL",
    command: browser("e2e/subscriber.spec.ts", "-g", "minted from a subscription in two clicks"),
    figure: passedInBrowser,
  },
  {
    id: "revoke",
    area: "subscriber",
    show: "a delegation revoked from the list, and the next call with its token (A6)",
    bar: "2 clicks; declined within 2 s of the service's response",
    command: browser("e2e/subscriber.spec.ts", "-g", "revoking a delegation takes two clicks"),
    figure: passedInBrowser,
  },
  {
    id: "order-states",
    area: "subscriber",
    show: "an order that is slow, sent, underfunded, re-priced, declined or waiting for a wallet; a card entered in the processor's frame (A21)",
    bar: "each state has its message and button; never a second way to pay",
    command: browser("e2e/order-states.spec.ts", "e2e/card-form.spec.ts"),
    figure: passedInBrowser,
  },
  {
    id: "microcopy",
    area: "subscriber",
    show: "every case of the microcopy table, reached through the sandbox (A13); e2e/microcopy.spec.ts lists where",
    bar: "the exact text and a correct button",
    command: browser(
      "e2e/microcopy.spec.ts",
      "e2e/playground-outcomes.spec.ts",
      "e2e/playground-agents.spec.ts",
    ),
    figure: passedInBrowser,
  },
  {
    id: "killed-answers",
    area: "subscriber",
    show: "orders and settlements whose response is lost, on both rails (A15)",
    bar: "one order and one settlement each",
    command: browser("e2e/killed-answers.spec.ts"),
    figure: (output) => {
      const lines = output.match(/^killed answers: .*$/gm) ?? [];
      atLeast("kinds of lost responses", lines.length, 1);
      return `${lines.map((line) => line.replace("killed answers: ", "")).join("; ")}; ${passedInBrowser(output)}`;
    },
  },
  {
    id: "planted-secrets",
    area: "subscriber",
    show: "keys, tokens, cookies, card numbers and challenges, searched after sign-in, orders, mint, run, share, export and doctor (A16)",
    bar: "0 in any URL, response, script, log, storage or download, except where they are issued",
    command: browser("e2e/secrets.spec.ts"),
    figure: (output) => {
      const [canaries, places, hits = ""] = find(
        output,
        /secrets: (\d+) canaries, (\d+) places, (\d+) hits/,
      );
      return `${canaries} canaries, ${places} places, ${same("hits", hits, "0")}`;
    },
  },
];
