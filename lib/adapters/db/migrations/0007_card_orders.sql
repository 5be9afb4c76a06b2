CREATE TABLE "payables" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"owner" text NOT NULL,
	"receiver" text NOT NULL,
	"currency" text NOT NULL,
	"kind" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"reference" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "payables_amount" CHECK (amount > 0)
);
--> statement-breakpoint
DROP INDEX "orders_open";--> statement-breakpoint
ALTER TABLE "balances" ADD COLUMN "debt" numeric(78,0) DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "failure_next_step" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "refund_state" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "refund_reference" text;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "due_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "checks" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "stuck_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "payables" ADD CONSTRAINT "payables_order_id_orders_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("order_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payables_owner" ON "payables" USING btree ("owner","currency");--> statement-breakpoint
CREATE INDEX "payables_order" ON "payables" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "orders_due" ON "orders" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
ALTER TABLE "balances" ADD CONSTRAINT "balances_debt" CHECK (debt >= 0);