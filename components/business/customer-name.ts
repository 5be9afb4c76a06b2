import type { Customer } from "@/lib/console/business.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";

/** What a customer is called: their name, else their short address. */
export const customerName = ({ name, address }: Pick<Customer, "name" | "address">) =>
  name ?? shortenIdentifier(address);
