import { notFound } from "next/navigation";
import { read } from "@/app/_session/operations.ts";
import { CardList } from "@/components/payment-methods/card-list.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { readAll } from "../read-all.ts";
import * as actions from "./actions.ts";

export const metadata = { title: "Cards" };

export default async function PaymentMethodsPage() {
  const { env, ports, cards: processor } = await getRunning();
  if (!processor) notFound();
  const [cards, renewals, now] = await Promise.all([
    read("listPaymentMethods", {}),
    readAll((page) => read("listRenewals", page)),
    ports.clock.now(),
  ]);
  return (
    <CardList
      cards={cards}
      hasTestCards={env.environment === "sandbox" && processor.stop !== undefined}
      renewals={renewals.items.filter(({ state }) => state === "on")}
      now={now.toISOString()}
      actions={actions}
    />
  );
}
