CREATE TABLE "alert_accounts" (
	"account" text PRIMARY KEY NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"slow_at" timestamp with time zone NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"cards" jsonb NOT NULL,
	"cards_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alert_cursor" (
	"id" smallint PRIMARY KEY NOT NULL,
	"position" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alert_rules" (
	"rule_id" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"kind" text NOT NULL,
	"object" text NOT NULL,
	"threshold" integer NOT NULL,
	"email" boolean NOT NULL,
	"webhook" boolean NOT NULL,
	"is_on" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alerts" (
	"alert_id" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"rule_id" text NOT NULL,
	"kind" text NOT NULL,
	"object" text NOT NULL,
	"measure" text NOT NULL,
	"name" text NOT NULL,
	"value" text NOT NULL,
	"threshold" integer NOT NULL,
	"email" boolean NOT NULL,
	"webhook" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "email_addresses" (
	"account" text PRIMARY KEY NOT NULL,
	"address" text,
	"new_address" text,
	"secret_hash" text,
	"secret_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"mail_id" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"kind" text NOT NULL,
	"ref" text NOT NULL,
	"recipient" text NOT NULL,
	"state" text NOT NULL,
	"attempts" integer NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"leased_until" timestamp with time zone,
	"fence" bigint NOT NULL,
	"last_error" text,
	"created_at" timestamp with time zone NOT NULL,
	"sent_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "troubled_services" (
	"name" text PRIMARY KEY NOT NULL,
	"since" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "alert_accounts" ADD CONSTRAINT "alert_accounts_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_rules" ADD CONSTRAINT "alert_rules_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_addresses" ADD CONSTRAINT "email_addresses_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_accounts_due" ON "alert_accounts" USING btree ("due_at");--> statement-breakpoint
CREATE UNIQUE INDEX "alert_rules_same" ON "alert_rules" USING btree ("account","kind","object","threshold");--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_open" ON "alerts" USING btree ("account","rule_id","object","measure") WHERE closed_at is null;--> statement-breakpoint
CREATE INDEX "alerts_account" ON "alerts" USING btree ("account","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "mails_ref" ON "mails" USING btree ("kind","ref");--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("due_at") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "mails_account" ON "mails" USING btree ("account","created_at");--> statement-breakpoint
CREATE INDEX "request_reports_unsettled" ON "request_reports" USING btree ("builder","at") WHERE money_status = 'delivered-unsettled';--> statement-breakpoint
INSERT INTO "alert_cursor" ("id", "position") SELECT 1, coalesce(max("position"), 0) FROM "events";--> statement-breakpoint
INSERT INTO "alert_accounts" ("account", "due_at", "slow_at", "seen_at", "cards", "cards_at") SELECT "address", now(), now(), now(), '[]', now() FROM "accounts" WHERE "test_of" IS NULL;
