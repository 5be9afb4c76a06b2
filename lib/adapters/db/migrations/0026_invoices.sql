CREATE TABLE "invoices" (
	"owner" text NOT NULL,
	"number" bigint NOT NULL,
	"order_id" text NOT NULL,
	"buyer" text NOT NULL,
	"owner_name" text,
	"buyer_name" text,
	"plan_name" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "invoices_owner_number_pk" PRIMARY KEY("owner","number")
);
--> statement-breakpoint
ALTER TABLE "plan_versions" ADD COLUMN "refund_unused_days" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "plan_versions" ADD COLUMN "refund_failed_calls" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_owner_accounts_address_fk" FOREIGN KEY ("owner") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_order_id_orders_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("order_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_buyer_accounts_address_fk" FOREIGN KEY ("buyer") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_order" ON "invoices" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "invoices_buyer" ON "invoices" USING btree ("buyer");
--> statement-breakpoint
INSERT INTO "invoices" ("owner", "number", "order_id", "buyer", "owner_name", "buyer_name", "plan_name", "created_at")
SELECT p.owner, row_number() OVER (PARTITION BY p.owner ORDER BY coalesce(o.charged_at, o.created_at), o.order_id), o.order_id, o.account, s.name, b.name,
  coalesce(p.metadata->>'name', ''), coalesce(o.charged_at, o.created_at)
FROM orders o JOIN plans p ON p.plan_id = o.plan_id JOIN accounts s ON s.address = p.owner JOIN accounts b ON b.address = o.account
WHERE o.status IN ('minted', 'refunded') AND o.price > 0;
--> statement-breakpoint
UPDATE plan_versions v SET refund_unused_days = coalesce((p.metadata->>'refundUnusedDays')::int, 0), refund_failed_calls = coalesce((p.metadata->>'refundFailedCalls')::boolean, false)
FROM plans p WHERE p.plan_id = v.plan_id;
