import { confirmationOf } from "@/app/_session/confirmation-of.ts";
import { read, readListed } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { choiceLinks, listHref } from "@/components/list-query.ts";
import type { Searched } from "@/components/search-params.ts";
import { EndpointPanel } from "@/components/webhooks/endpoint-panel.tsx";
import { Webhooks } from "@/components/webhooks/webhooks.tsx";
import { formatCount, shownOf } from "@/lib/text/plural.ts";
import * as actions from "./actions.ts";

export const metadata = { title: "Webhooks" };

const PATH = "/settings/webhooks";
/** The service stops counting here. */
const MOST_COUNTED = 10_000;
const STATES = ["waiting", "delivered", "failed"] as const;

type Search = { endpoint?: string; show?: string; cursor?: string };
export default async function WebhooksPage({ searchParams }: Searched<Search>) {
  const { endpoint: wanted, show, cursor } = await searchParams;
  const { items } = await read("listWebhookEndpoints", {});
  const changing = { actions, confirmation: await confirmationOf(await requireSession()) };
  const endpoint = items.find(({ endpointId }) => endpointId === wanted) ?? items[0];
  if (!endpoint) return <Webhooks endpoints={items} {...changing} />;
  const { endpointId } = endpoint;
  const status = STATES.find((state) => state === show);
  const hrefOf = (search: Search) => listHref(PATH, { endpoint: endpointId, ...search });
  const first = hrefOf(show ? { show } : {});
  const query = {
    endpointId,
    ...(status && { status }),
    ...(show === "tests" && { type: "webhook_endpoint.test" }),
    ...(cursor && { cursor }),
  };
  const page = await readListed("listWebhookDeliveries", query, first);
  const { waiting = 0, failed = 0 } = endpoint.deliveries ?? {};
  const words = {
    all: "All",
    waiting: `Waiting ${waiting}`,
    failed: `Failed ${failed}`,
    tests: "Tests",
  };
  const links = choiceLinks<string>(words, show ?? "all", (value) => hrefOf({ show: value }));
  return (
    <Webhooks endpoints={items} openId={endpointId} {...changing}>
      <EndpointPanel
        key={endpointId}
        endpoint={endpoint}
        deliveries={page.items}
        links={links}
        foot={footOf(page.items.length, page.total)}
        newest={cursor === undefined ? undefined : first}
        older={page.nextCursor && hrefOf({ ...(show && { show }), cursor: page.nextCursor })}
        {...changing}
      />
    </Webhooks>
  );
}

const footOf = (shown: number, total: number): string =>
  total < MOST_COUNTED
    ? shownOf(shown, total, "delivery", "deliveries")
    : `${shown} of ${formatCount(total)} or more deliveries`;
