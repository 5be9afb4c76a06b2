CREATE TABLE "chain_bundles" (
	"bundle_id" text PRIMARY KEY NOT NULL,
	"seq" bigserial NOT NULL,
	"lane" text NOT NULL,
	"state" text NOT NULL,
	"block" bigint,
	"burns" jsonb NOT NULL,
	"transactions" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "chain_burns" (
	"settlement_id" text PRIMARY KEY NOT NULL,
	"bundle_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chain_grants" (
	"grant_id" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"kind" text NOT NULL,
	"delegation_id" text,
	"order_token" text NOT NULL,
	"order_limit" numeric(78,0) NOT NULL,
	"session_key_address" text NOT NULL,
	"session_key" text NOT NULL,
	"signed" text NOT NULL,
	"valid_until" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "chain_leases" (
	"lane" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"fence" bigint NOT NULL,
	"until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chain_orders" (
	"order_id" text PRIMARY KEY NOT NULL,
	"grant_id" text NOT NULL,
	"total" numeric(78,0) NOT NULL,
	"state" text NOT NULL,
	"since_block" bigint NOT NULL,
	"block" bigint,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "chain_burns" ADD CONSTRAINT "chain_burns_bundle_id_chain_bundles_bundle_id_fk" FOREIGN KEY ("bundle_id") REFERENCES "public"."chain_bundles"("bundle_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chain_grants" ADD CONSTRAINT "chain_grants_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chain_orders" ADD CONSTRAINT "chain_orders_order_id_orders_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("order_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chain_orders" ADD CONSTRAINT "chain_orders_grant_id_chain_grants_grant_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."chain_grants"("grant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "chain_bundles_unfinal" ON "chain_bundles" USING btree ("lane","seq") WHERE state <> 'final';--> statement-breakpoint
CREATE INDEX "chain_bundles_block" ON "chain_bundles" USING btree ("block");--> statement-breakpoint
CREATE INDEX "chain_burns_bundle" ON "chain_burns" USING btree ("bundle_id");--> statement-breakpoint
CREATE INDEX "chain_grants_account" ON "chain_grants" USING btree ("account","kind","order_token");--> statement-breakpoint
CREATE INDEX "chain_grants_delegation" ON "chain_grants" USING btree ("delegation_id");--> statement-breakpoint
CREATE UNIQUE INDEX "chain_grants_session_key" ON "chain_grants" USING btree ("session_key_address","order_token");--> statement-breakpoint
CREATE INDEX "chain_orders_grant" ON "chain_orders" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "chain_orders_block" ON "chain_orders" USING btree ("block");
