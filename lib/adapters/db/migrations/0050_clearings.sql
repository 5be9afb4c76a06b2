CREATE TABLE "clearings" (
	"order_id" text PRIMARY KEY NOT NULL,
	"currency" text,
	"available_on" timestamp with time zone,
	"due_at" timestamp with time zone
);
--> statement-breakpoint
-- Sales from before. Card money clears within 30 days, so what is older has cleared: in their own currency, as
-- the release before counted them. With what refunds and chargebacks took or take of them they add up to what is owed, and
-- the platform's balance bounds a payout as it did. When the others clear, the processor is asked.
insert into clearings (order_id, currency, available_on, due_at)
select order_id, case when has_cleared then currency end, case when has_cleared then sold_at + interval '35 days' end,
  case when not has_cleared then now() end
from (
  select order_id, min(currency) as currency, min(created_at) as sold_at, min(created_at) < now() - interval '35 days' as has_cleared
  from payables where kind = 'earned' and order_id is not null group by order_id
) sales;--> statement-breakpoint
-- After the rows: orders cannot be written from here on, and a key that is checked row by row takes several times as long.
ALTER TABLE "clearings" ADD CONSTRAINT "clearings_order_id_orders_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("order_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "clearings_due" ON "clearings" USING btree ("due_at") WHERE due_at is not null;
