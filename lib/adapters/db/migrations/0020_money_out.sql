CREATE TABLE "account_payments" (
	"payment_id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"account" text NOT NULL,
	"token" text NOT NULL,
	"recipient" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"state" text NOT NULL,
	"operation_hash" text,
	"since_block" bigint,
	"sent" jsonb,
	"tx_hash" text,
	"failure_code" text,
	"failure_message" text,
	"idempotency_key" text,
	"created_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone,
	"due_at" timestamp with time zone,
	CONSTRAINT "account_payments_amount" CHECK (amount > 0)
);
--> statement-breakpoint
CREATE TABLE "deposits" (
	"tx_hash" text NOT NULL,
	"log_index" integer NOT NULL,
	"account" text NOT NULL,
	"token" text NOT NULL,
	"sender" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"block" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "deposits_tx_hash_log_index_pk" PRIMARY KEY("tx_hash","log_index")
);
--> statement-breakpoint
CREATE TABLE "payout_accounts" (
	"account" text PRIMARY KEY NOT NULL,
	"processor_account" text NOT NULL,
	"status" text NOT NULL,
	"missing" jsonb NOT NULL,
	"schedule" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"next_payout_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "payouts" (
	"payout_id" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"processor_account" text NOT NULL,
	"currency" text NOT NULL,
	"amount" numeric(78,0) NOT NULL,
	"state" text NOT NULL,
	"transfer_reference" text,
	"payout_reference" text,
	"failure_code" text,
	"failure_message" text,
	"arrives_at" timestamp with time zone,
	"idempotency_key" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone,
	CONSTRAINT "payouts_amount" CHECK (amount > 0)
);
--> statement-breakpoint
CREATE TABLE "withdrawal_addresses" (
	"account" text NOT NULL,
	"address" text NOT NULL,
	"name" text,
	"created_at" timestamp with time zone NOT NULL,
	"usable_at" timestamp with time zone NOT NULL,
	CONSTRAINT "withdrawal_addresses_account_address_pk" PRIMARY KEY("account","address")
);
--> statement-breakpoint
ALTER TABLE "payables" ALTER COLUMN "order_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "payables" ADD COLUMN "payout_id" text;--> statement-breakpoint
ALTER TABLE "account_payments" ADD CONSTRAINT "account_payments_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deposits" ADD CONSTRAINT "deposits_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payout_accounts" ADD CONSTRAINT "payout_accounts_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "withdrawal_addresses" ADD CONSTRAINT "withdrawal_addresses_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "account_payments_key" ON "account_payments" USING btree ("account","idempotency_key");--> statement-breakpoint
CREATE INDEX "account_payments_account" ON "account_payments" USING btree ("account","created_at");--> statement-breakpoint
CREATE INDEX "account_payments_due" ON "account_payments" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "deposits_account" ON "deposits" USING btree ("account","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "payouts_key" ON "payouts" USING btree ("account","idempotency_key");--> statement-breakpoint
CREATE UNIQUE INDEX "payouts_reference" ON "payouts" USING btree ("payout_reference");--> statement-breakpoint
CREATE INDEX "payouts_account" ON "payouts" USING btree ("account","created_at");--> statement-breakpoint
CREATE INDEX "payouts_due" ON "payouts" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
ALTER TABLE "payables" ADD CONSTRAINT "payables_payout_id_payouts_payout_id_fk" FOREIGN KEY ("payout_id") REFERENCES "public"."payouts"("payout_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "payables_payout_once" ON "payables" USING btree ("payout_id","kind");--> statement-breakpoint
ALTER TABLE "payables" ADD CONSTRAINT "payables_cause" CHECK ((order_id is null) <> (payout_id is null));