import "server-only";
import type { Invoice } from "@turnpike/payments/protocol";
import type { Download } from "./download.ts";
import { isOtherToken, moneyText } from "./money-text.ts";
import { openPdf } from "./pdf.ts";

export const invoiceDownload = (invoice: Invoice): Download => ({
  contentType: "application/pdf",
  fileName: `invoice-${invoice.number}.pdf`,
  chunks: invoicePdf(invoice),
});

async function* invoicePdf(invoice: Invoice): AsyncGenerator<Uint8Array> {
  const { number, issuedAt, seller, buyer, amount, refunded, currency } = invoice;
  const title = `Invoice ${number}`;
  const pdf = openPdf(title);
  pdf.heading(title, 18);
  pdf.fact("Paid", `${issuedAt.slice(0, 19).replace("T", " ")} UTC`);
  pdf.fact("Seller", seller.name ?? seller.address);
  if (seller.name) pdf.fact("", seller.address);
  pdf.fact("Buyer", buyer.name ?? buyer.address);
  if (buyer.name) pdf.fact("", buyer.address);
  pdf.fact("Plan", invoice.planName);
  pdf.fact("Plan ID", invoice.planId);
  pdf.fact("Order", invoice.orderId);
  if (invoice.reference) pdf.fact("Payment", invoice.reference);
  pdf.heading(`Paid: ${moneyText(amount, currency)}`);
  if (isOtherToken(currency)) pdf.fact("Token", currency);
  if (refunded !== "0") pdf.fact("Refunded since", moneyText(refunded, currency));
  pdf.note("Numbered by the seller's sales, without a gap.");
  yield* await pdf.end();
}
