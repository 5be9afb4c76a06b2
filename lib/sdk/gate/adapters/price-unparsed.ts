import { PaymentsError } from "../../protocol/errors.ts";
import type { PriceFunction } from "../routes.ts";
import type { LazyBody } from "./node-body.ts";

/**
 * The price of a request whose body parsers behind the gate have still to read. They go by its headers, while a `Request` reads
 * every body as UTF-8, uncompressed, and any type as JSON: where the two could differ, the caller would choose what is priced.
 */
export async function priceUnparsed(
  request: Request,
  credits: PriceFunction<Request>,
  { isHidden, isParsed }: LazyBody,
): Promise<bigint | number> {
  if (isHidden) throw unread("a GET or HEAD has a body");
  if (request.body && !isParsed) {
    const encoding = request.headers.get("content-encoding") || "identity";
    if (encoding.toLowerCase() !== "identity") throw unread("it has a `content-encoding`");
    const type = request.headers.get("content-type") ?? "";
    if (/charset/i.test(type.replace(/;\s*charset\s*=\s*("utf-?8"|utf-?8)\s*(?=;|$)/gi, ""))) {
      throw unread("its charset is not UTF-8");
    }
    if (/x-www-form-urlencoded/i.test(type) && isJson(await request.clone().text())) {
      throw unread("its form is JSON");
    }
  }
  return credits(request);
}

const unread = (why: string) =>
  new PaymentsError("invalid_input", `Parsers could read the request otherwise: ${why}.`);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
