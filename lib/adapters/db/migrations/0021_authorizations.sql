CREATE TABLE "authorizations" (
	"id" text PRIMARY KEY NOT NULL,
	"payer" text NOT NULL,
	"asset" text NOT NULL,
	"pay_to" text NOT NULL,
	"value" numeric(78,0) NOT NULL,
	"valid_after" numeric(78,0) NOT NULL,
	"valid_before" numeric(78,0) NOT NULL,
	"nonce" text NOT NULL,
	"signature" text NOT NULL,
	"builder" text NOT NULL,
	"plan_id" text,
	"plan_version" integer,
	"since_block" bigint NOT NULL,
	"state" text NOT NULL,
	"transaction" text,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "authorizations_open" ON "authorizations" USING btree ("payer") WHERE state = 'open';