CREATE TABLE "event_heads" (
	"account" text PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"hash" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_origin" (
	"id" smallint PRIMARY KEY NOT NULL,
	"origin" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_queue" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"accounts" text[],
	"subject" text,
	"data" jsonb,
	"refs" text[],
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"account" text NOT NULL,
	"sequence" bigint NOT NULL,
	"position" bigserial NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"data" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "events_account_sequence_pk" PRIMARY KEY("account","sequence")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"endpoint_id" text NOT NULL,
	"account" text NOT NULL,
	"sequence" bigint NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"state" text NOT NULL,
	"attempts" integer NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"leased_until" timestamp with time zone,
	"fence" bigint NOT NULL,
	"tries" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"delivered_at" timestamp with time zone,
	CONSTRAINT "webhook_deliveries_endpoint_id_sequence_pk" PRIMARY KEY("endpoint_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"endpoint_id" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"state" text NOT NULL,
	"disabled_reason" text,
	"disabled_at" timestamp with time zone,
	"disabled_sequence" bigint,
	"secret" text NOT NULL,
	"secret_hint" text NOT NULL,
	"secret_at" timestamp with time zone NOT NULL,
	"previous_secret" text,
	"previous_hint" text,
	"previous_until" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint_id_webhook_endpoints_endpoint_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."webhook_endpoints"("endpoint_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "events_position" ON "events" USING btree ("position");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("endpoint_id","sequence","due_at") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_subject" ON "webhook_deliveries" USING btree ("endpoint_id","subject","sequence") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "webhook_endpoints_account" ON "webhook_endpoints" USING btree ("account","created_at");