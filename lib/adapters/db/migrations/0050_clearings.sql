CREATE TABLE "clearings" (
	"order_id" text PRIMARY KEY NOT NULL,
	"currency" text,
	"available_on" timestamp with time zone,
	"due_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "clearings" ADD CONSTRAINT "clearings_order_id_orders_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("order_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "clearings_due" ON "clearings" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
-- Sales from before: the processor is asked when they clear.
insert into clearings (order_id, due_at) select distinct order_id, now() from payables where kind = 'earned' and order_id is not null;
