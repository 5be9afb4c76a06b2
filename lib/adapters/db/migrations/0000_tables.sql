CREATE TABLE "accounts" (
	"address" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"owner_key" text,
	"is_operator" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_plans" (
	"agent_id" text NOT NULL,
	"plan_id" text NOT NULL,
	CONSTRAINT "agent_plans_agent_id_plan_id_pk" PRIMARY KEY("agent_id","plan_id")
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"agent_id" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"metadata" jsonb NOT NULL,
	"endpoints" jsonb NOT NULL,
	"open_endpoints" jsonb NOT NULL,
	"definition_url" text,
	"auth_type" text NOT NULL,
	"credentials" text,
	"nonce" numeric(78,0),
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"key_id" text PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"account" text NOT NULL,
	"name" text NOT NULL,
	"last4" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"key_id" text,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "balances" (
	"account" text NOT NULL,
	"plan_id" text NOT NULL,
	"available" numeric(78,0) NOT NULL,
	"held" numeric(78,0) NOT NULL,
	"plan_version" integer NOT NULL,
	"expires_at" timestamp with time zone,
	"seq" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "balances_account_plan_id_pk" PRIMARY KEY("account","plan_id"),
	CONSTRAINT "balances_available" CHECK (available >= 0),
	CONSTRAINT "balances_held" CHECK (held >= 0)
);
--> statement-breakpoint
CREATE TABLE "clock" (
	"id" smallint PRIMARY KEY NOT NULL,
	"offset_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "delegations" (
	"delegation_id" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"provider" text NOT NULL,
	"payment_method_id" text,
	"currency" text NOT NULL,
	"plan_ids" text[] NOT NULL,
	"spending_limit_cents" numeric(78,0) NOT NULL,
	"spent_cents" numeric(78,0) NOT NULL,
	"reserved_cents" numeric(78,0) NOT NULL,
	"order_limit" numeric(78,0),
	"max_transactions" bigint,
	"transaction_count" bigint NOT NULL,
	"session_key_address" text NOT NULL,
	"session_key" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "delegations_budget" CHECK (spent_cents + reserved_cents <= spending_limit_cents),
	CONSTRAINT "delegations_counts" CHECK (spent_cents >= 0 and reserved_cents >= 0),
	CONSTRAINT "delegations_transactions" CHECK (transaction_count <= coalesce(max_transactions, transaction_count))
);
--> statement-breakpoint
CREATE TABLE "holds" (
	"request_key" text PRIMARY KEY NOT NULL,
	"builder" text NOT NULL,
	"agent_request_id" text NOT NULL,
	"account" text NOT NULL,
	"plan_id" text NOT NULL,
	"agent_id" text,
	"jti" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"state" text NOT NULL,
	"scheme" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"resolved_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"order_id" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"plan_id" text NOT NULL,
	"plan_version" integer NOT NULL,
	"is_trial" boolean NOT NULL,
	"status" text NOT NULL,
	"scheme" text NOT NULL,
	"price" numeric(78,0) NOT NULL,
	"currency" text NOT NULL,
	"reserved_cents" numeric(78,0) NOT NULL,
	"reserved_amount" numeric(78,0) NOT NULL,
	"delegation_id" text,
	"jti" text,
	"payment_method_id" text,
	"idempotency_key" text,
	"fingerprint" text NOT NULL,
	"attempt" integer NOT NULL,
	"reference" text,
	"failure_code" text,
	"failure_message" text,
	"created_at" timestamp with time zone NOT NULL,
	"charged_at" timestamp with time zone,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"ref" text NOT NULL,
	"payload" jsonb NOT NULL,
	"state" text NOT NULL,
	"attempts" integer NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"fence" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"done_at" timestamp with time zone,
	"last_error" text
);
--> statement-breakpoint
CREATE TABLE "plan_redeemers" (
	"plan_id" text NOT NULL,
	"account" text NOT NULL,
	CONSTRAINT "plan_redeemers_plan_id_account_pk" PRIMARY KEY("plan_id","account")
);
--> statement-breakpoint
CREATE TABLE "plan_versions" (
	"plan_id" text NOT NULL,
	"version" integer NOT NULL,
	"price" jsonb NOT NULL,
	"is_crypto" boolean NOT NULL,
	"granted" numeric(78,0) NOT NULL,
	"min_amount" numeric(78,0) NOT NULL,
	"max_amount" numeric(78,0) NOT NULL,
	"is_fixed" boolean NOT NULL,
	"redemption_type" smallint NOT NULL,
	"proof_required" boolean NOT NULL,
	"duration_secs" bigint NOT NULL,
	"nft_address" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "plan_versions_plan_id_version_pk" PRIMARY KEY("plan_id","version"),
	CONSTRAINT "plan_versions_range" CHECK (1 <= min_amount and min_amount <= max_amount)
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"plan_id" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"state" text NOT NULL,
	"version" integer NOT NULL,
	"access_limit" text NOT NULL,
	"is_trial" boolean NOT NULL,
	"metadata" jsonb NOT NULL,
	"nonce" numeric(78,0),
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "settlements" (
	"request_key" text PRIMARY KEY NOT NULL,
	"builder" text NOT NULL,
	"agent_request_id" text NOT NULL,
	"settlement_id" text NOT NULL,
	"fingerprint" text NOT NULL,
	"account" text NOT NULL,
	"plan_id" text NOT NULL,
	"agent_id" text,
	"jti" text NOT NULL,
	"delegation_id" text NOT NULL,
	"scheme" text NOT NULL,
	"network" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"remaining" numeric(78,0) NOT NULL,
	"from_hold" boolean NOT NULL,
	"order_tx" text,
	"transaction" text NOT NULL,
	"chain_status" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"jti" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"plan_id" text NOT NULL,
	"agent_id" text,
	"delegation_id" text NOT NULL,
	"can_order" boolean NOT NULL,
	"redemption_limit" bigint NOT NULL,
	"redeemed" bigint NOT NULL,
	"reserved" bigint NOT NULL,
	"order_limit" numeric(78,0) NOT NULL,
	"order_spent" numeric(78,0) NOT NULL,
	"order_reserved" numeric(78,0) NOT NULL,
	"issued_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "tokens_redemptions" CHECK (redeemed >= 0 and reserved >= 0 and redeemed + reserved <= redemption_limit),
	CONSTRAINT "tokens_orders" CHECK (order_spent >= 0 and order_reserved >= 0 and order_spent + order_reserved <= order_limit)
);
--> statement-breakpoint
CREATE TABLE "transfers" (
	"account" text NOT NULL,
	"plan_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"kind" text NOT NULL,
	"debit" text NOT NULL,
	"credit" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"ref" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "transfers_account_plan_id_seq_pk" PRIMARY KEY("account","plan_id","seq"),
	CONSTRAINT "transfers_amount" CHECK (amount > 0),
	CONSTRAINT "transfers_sides" CHECK (debit <> credit)
);
--> statement-breakpoint
ALTER TABLE "agent_plans" ADD CONSTRAINT "agent_plans_agent_id_agents_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("agent_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_plans" ADD CONSTRAINT "agent_plans_plan_id_plans_plan_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("plan_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_owner_accounts_address_fk" FOREIGN KEY ("owner") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "balances" ADD CONSTRAINT "balances_plan_id_plans_plan_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("plan_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delegations" ADD CONSTRAINT "delegations_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_plan_id_plans_plan_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("plan_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plan_redeemers" ADD CONSTRAINT "plan_redeemers_plan_id_plans_plan_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("plan_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plan_versions" ADD CONSTRAINT "plan_versions_plan_id_plans_plan_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("plan_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plans" ADD CONSTRAINT "plans_owner_accounts_address_fk" FOREIGN KEY ("owner") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_plan_id_plans_plan_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("plan_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_delegation_id_delegations_delegation_id_fk" FOREIGN KEY ("delegation_id") REFERENCES "public"."delegations"("delegation_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_plans_plan" ON "agent_plans" USING btree ("plan_id","agent_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agents_owner_nonce" ON "agents" USING btree ("owner","nonce");--> statement-breakpoint
CREATE INDEX "agents_owner_created" ON "agents" USING btree ("owner","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account");--> statement-breakpoint
CREATE INDEX "audit_account" ON "audit" USING btree ("account","created_at");--> statement-breakpoint
CREATE INDEX "balances_plan" ON "balances" USING btree ("plan_id","account");--> statement-breakpoint
CREATE INDEX "delegations_account" ON "delegations" USING btree ("account","created_at");--> statement-breakpoint
CREATE INDEX "holds_open" ON "holds" USING btree ("expires_at") WHERE state = 'held';--> statement-breakpoint
CREATE INDEX "holds_account" ON "holds" USING btree ("account","created_at");--> statement-breakpoint
CREATE INDEX "holds_builder" ON "holds" USING btree ("builder","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_key" ON "orders" USING btree ("account","idempotency_key");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_trial_once" ON "orders" USING btree ("plan_id","account") WHERE is_trial and status <> 'declined';--> statement-breakpoint
CREATE INDEX "orders_open" ON "orders" USING btree ("updated_at") WHERE status in ('reserved', 'charging');--> statement-breakpoint
CREATE INDEX "orders_account" ON "orders" USING btree ("account","created_at");--> statement-breakpoint
CREATE INDEX "orders_plan" ON "orders" USING btree ("plan_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "outbox_once" ON "outbox" USING btree ("kind","ref");--> statement-breakpoint
CREATE INDEX "outbox_open" ON "outbox" USING btree ("kind","due_at") WHERE state = 'open';--> statement-breakpoint
CREATE UNIQUE INDEX "plans_owner_nonce" ON "plans" USING btree ("owner","nonce");--> statement-breakpoint
CREATE INDEX "plans_owner_created" ON "plans" USING btree ("owner","created_at");--> statement-breakpoint
CREATE INDEX "plans_listed" ON "plans" USING btree ("state","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "settlements_id" ON "settlements" USING btree ("settlement_id");--> statement-breakpoint
CREATE INDEX "settlements_account" ON "settlements" USING btree ("account","created_at");--> statement-breakpoint
CREATE INDEX "settlements_builder" ON "settlements" USING btree ("builder","created_at");--> statement-breakpoint
CREATE INDEX "tokens_account" ON "tokens" USING btree ("account","issued_at");--> statement-breakpoint
CREATE INDEX "tokens_delegation" ON "tokens" USING btree ("delegation_id");--> statement-breakpoint
CREATE UNIQUE INDEX "transfers_mint_once" ON "transfers" USING btree ("ref") WHERE kind = 'mint';