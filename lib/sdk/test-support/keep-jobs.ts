// Run in its own process: keeps settlements in the folder, prints that it did, and waits to be killed.
import { createFileStore } from "../gate/queue/file-store.ts";

const [folder = "", ...ids] = process.argv.slice(2);
const store = createFileStore({ folder });
const accepts = [{ scheme: "svc:erc4337", planId: "42" }];
await Promise.all(
  ids.map((agentRequestId) =>
    store.keep({
      kind: "settle",
      agentRequestId,
      input: {
        paymentRequired: { x402Version: 2, accepts },
        x402AccessToken: "token",
        maxAmount: "2",
        agentRequestId,
      },
    }),
  ),
);
console.log("kept");
setInterval(() => {}, 1000);
