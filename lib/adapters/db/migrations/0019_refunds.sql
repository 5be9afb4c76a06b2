CREATE TABLE "disputes" (
	"dispute_id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"owner" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"reason" text NOT NULL,
	"status" text NOT NULL,
	"respond_by" timestamp with time zone,
	"evidence" jsonb,
	"submitted_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refunds" (
	"refund_id" text PRIMARY KEY NOT NULL,
	"order_id" text,
	"request_key" text,
	"account" text NOT NULL,
	"owner" text NOT NULL,
	"plan_id" text NOT NULL,
	"scheme" text NOT NULL,
	"currency" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"credits" numeric(78,0) NOT NULL,
	"state" text NOT NULL,
	"made_by" text NOT NULL,
	"reason" text,
	"message" text,
	"idempotency_key" text,
	"fingerprint" text NOT NULL,
	"reference" text,
	"failure_code" text,
	"failure_message" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"due_at" timestamp with time zone,
	"checks" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "reversed_amount" numeric(78,0) DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "disputes" ADD CONSTRAINT "disputes_order_id_orders_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("order_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "disputes" ADD CONSTRAINT "disputes_owner_accounts_address_fk" FOREIGN KEY ("owner") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_order_id_orders_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("order_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_owner_accounts_address_fk" FOREIGN KEY ("owner") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_plan_id_plans_plan_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("plan_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "disputes_owner" ON "disputes" USING btree ("owner","created_at");--> statement-breakpoint
CREATE INDEX "disputes_order" ON "disputes" USING btree ("order_id");--> statement-breakpoint
CREATE UNIQUE INDEX "refunds_key" ON "refunds" USING btree ("idempotency_key");--> statement-breakpoint
CREATE UNIQUE INDEX "refunds_reference" ON "refunds" USING btree ("reference");--> statement-breakpoint
CREATE UNIQUE INDEX "refunds_requested" ON "refunds" USING btree (coalesce(request_key, order_id)) WHERE state = 'requested';--> statement-breakpoint
CREATE UNIQUE INDEX "refunds_call" ON "refunds" USING btree ("request_key") WHERE request_key is not null and state in ('open', 'paid');--> statement-breakpoint
CREATE INDEX "refunds_order" ON "refunds" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "refunds_owner" ON "refunds" USING btree ("owner","created_at");--> statement-breakpoint
CREATE INDEX "refunds_account" ON "refunds" USING btree ("account","created_at");--> statement-breakpoint
CREATE INDEX "refunds_due" ON "refunds" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
-- Until now the whole of a payment went back, or nothing.
UPDATE "orders" SET "reversed_amount" = "price" WHERE "status" = 'refunded';
